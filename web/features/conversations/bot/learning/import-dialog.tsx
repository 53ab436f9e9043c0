import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Equal, Pencil } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../../client.ts'
import { useProblemText } from '../../../../problem.ts'
import { toast } from '../../../../toast.ts'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import { FormError } from '../../../../ui/field.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { configQuery } from '../queries.ts'

const LOOKS = {
  new: [CircleCheck, 'text-ok'],
  changed: [Pencil, 'text-accent-text'],
  same: [Equal, 'text-muted'],
  invalid: [CircleAlert, 'text-bad'],
} as const
const LARGEST = 1_000_000

interface Chosen {
  name: string
  format: 'csv' | 'markdown'
  content: string
}

/** Imports answers from a file, after a preview of the effect. */
export default function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('bot.importing')
  const common = useTranslations('common')
  const problem = useProblemText()
  const client = useQueryClient()
  const id = useId()
  const { ws } = usePlace()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [tooLarge, setTooLarge] = useState(false)
  const send = ({ format, content }: Chosen, dryRun: boolean) =>
    call('importKnowledge', { workspace: ws, body: { format, content, dryRun } })
  const look = useMutation({ mutationFn: (file: Chosen) => send(file, true) })
  const take = useMutation({
    mutationFn: (file: Chosen) => send(file, false),
    onSuccess: ({ imported }) => {
      toast.success(t('imported', { count: imported }))
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: configQuery(ws).queryKey }),
  })
  const choose = async (file: File | undefined) => {
    if (!file) return
    setTooLarge(file.size > LARGEST)
    if (file.size > LARGEST) return
    const format = /\.(?:md|markdown|txt)$/i.test(file.name) ? 'markdown' : 'csv'
    const next: Chosen = { name: file.name, format, content: await file.text() }
    setChosen(next)
    look.mutate(next)
  }
  const rows = look.data?.data ?? []
  const good = rows.filter(({ verdict }) => verdict === 'new' || verdict === 'changed').length
  const error = take.error ?? look.error
  return (
    <Dialog
      wide
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('title')}
      description={t('body')}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button
            variant="primary"
            busy={take.isPending}
            reason={good === 0 && t('nothing')}
            onClick={() => chosen && take.mutate(chosen)}
          >
            {t('import', { count: good })}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <label htmlFor={id} className={buttonClass('secondary', 'md', 'w-fit has-focus-visible:outline-2')}>
          {t('choose')}
          <input
            id={id}
            type="file"
            accept=".csv,.md,.markdown,.txt,text/csv,text/markdown"
            className="sr-only"
            onChange={(event) => void choose(event.target.files?.[0])}
          />
        </label>
        {chosen && <bdi className="text-xs text-muted">{chosen.name}</bdi>}
        {tooLarge && <FormError>{t('tooLarge')}</FormError>}
        {error && <FormError>{problem(error)}</FormError>}
        {look.data && (
          <>
            <p role="status" className="text-13 font-medium">
              {t('would', { good, bad: rows.filter(({ verdict }) => verdict === 'invalid').length })}
            </p>
            <ul className="max-h-80 divide-y overflow-y-auto rounded-lg border" aria-label={t('rows')}>
              {rows.map(({ line, verdict, entry, fault }) => {
                const [Icon, look_] = LOOKS[verdict]
                return (
                  <li key={line} className="flex items-start gap-2 px-3 py-2 text-13">
                    <Icon className={`mt-0.5 size-4 shrink-0 ${look_}`} aria-hidden />
                    <div className="min-w-0 grow">
                      <p className="font-medium break-words">
                        <bdi>{entry?.question ?? t('line', { line })}</bdi>
                      </p>
                      <p dir="auto" className="line-clamp-2 text-xs break-words text-muted">
                        {fault ? t(`faults.${fault}`) : entry?.answer}
                      </p>
                    </div>
                    <span className="shrink-0 text-xs text-muted">{t(`verdicts.${verdict}`)}</span>
                  </li>
                )
              })}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  )
}
