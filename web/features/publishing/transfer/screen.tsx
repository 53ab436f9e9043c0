import './endpoints.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemError, call } from '../../../client.ts'
import { Page } from '../../../ui/page.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { Choose } from './choose.tsx'
import { Saved } from './saved.tsx'
import { VerdictList } from './verdicts.tsx'

/** Imports posts from a table: choose it, check it row by row, and save after a confirmation. */
export function ImportScreen() {
  const t = useTranslations('transfer')
  const { ws, membership } = usePlace()
  const client = useQueryClient()
  const [csv, setCsv] = useState('')
  const look = useMutation({
    mutationFn: (text: string) => call('importPosts', { workspace: ws, body: { csv: text } }),
  })
  /** Saving again after a lost response returns the first response. */
  const key = useRef('')
  const save = useMutation({
    mutationFn: (lines: number[]) => {
      key.current ||= crypto.randomUUID()
      return call('importPosts', { workspace: ws, body: { csv, save: true, lines }, idempotencyKey: key.current })
    },
    onSuccess: () => {
      for (const name of ['posts', 'calendar', 'usage']) void client.invalidateQueries({ queryKey: [ws, name] })
    },
    onError: (error) => {
      if (error instanceof ProblemError && error.code !== 'offline') key.current = ''
    },
  })
  const heading = useRef<HTMLDivElement>(null)
  const stage = save.data ? 'saved' : look.data ? 'verdicts' : 'choose'
  useEffect(() => {
    if (stage !== 'choose') heading.current?.focus()
  }, [stage])
  const refused = refusal(membership, 'importPosts')
  const again = () => {
    look.reset()
    save.reset()
    key.current = ''
  }
  return (
    <Page title={t('title')}>
      {refused ? (
        <Refused refused={refused} />
      ) : (
        <div
          ref={heading}
          tabIndex={-1}
          className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 outline-none lg:px-6"
        >
          {stage === 'choose' && (
            <Choose
              csv={csv}
              onChange={setCsv}
              busy={look.isPending}
              error={look.error}
              onLook={(text) => {
                setCsv(text)
                look.mutate(text)
              }}
            />
          )}
          {stage === 'verdicts' && look.data && (
            <VerdictList
              verdicts={look.data}
              busy={save.isPending}
              error={save.error}
              onSave={(lines) => save.mutate(lines)}
              onAgain={again}
            />
          )}
          {save.data && <Saved verdicts={save.data} onAgain={again} />}
        </div>
      )}
    </Page>
  )
}
