import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { History, Play } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SimulationRun } from '../../../../../src/conversations/bot/api.ts'
import { call } from '../../../../client.ts'
import { useProblemText } from '../../../../problem.ts'
import { toast } from '../../../../toast.ts'
import { Button } from '../../../../ui/button.tsx'
import { described, Frame } from '../../../../ui/field.tsx'
import { AskForm } from '../../../assistant/ai/ask-form.tsx'
import { AskButton } from '../../../assistant/ai/cost.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { simulationQuery } from '../queries.ts'
import { Comparison } from './comparison.tsx'
import { pastQuestions } from './past.ts'
import { RunError } from './run-error.tsx'
import { questionsIn, type Tried } from './tried.ts'

/** The maximum number of questions in a test, and how many to take from the inbox. */
const [MOST, PAST] = [100, 50]

interface Begun {
  texts: string[]
  saved: SimulationRun
  /** null without unsaved changes. */
  tried: SimulationRun | null
}

/** Tests many questions: their outcomes under the saved and under the unsaved settings. */
export function TryMany({ config }: { config: Tried | undefined }) {
  const t = useTranslations('bot.try')
  const problem = useProblemText()
  const client = useQueryClient()
  const id = useId()
  const { ws } = usePlace()
  const [text, setText] = useState('')
  const texts = questionsIn(text, MOST)
  const cost = texts.length * (config ? 2 : 1)
  const past = useMutation({
    mutationFn: () => pastQuestions(ws, PAST),
    onSuccess: (found) => {
      if (found.length === 0) return toast.info(t('noPast'))
      setText([...new Set([...texts, ...found])].slice(0, MOST).join('\n'))
    },
    onError: (error) => toast.error(problem(error)),
  })
  const run = useMutation({
    mutationFn: async (): Promise<Begun> => {
      const one = (tried: Tried | undefined) =>
        call('simulateReplies', {
          workspace: ws,
          body: { texts, ...(tried && { config: tried }) },
          idempotencyKey: crypto.randomUUID(),
        }) as Promise<SimulationRun>
      const saved = await one(undefined)
      return { texts, saved, tried: config ? await one(config) : null }
    },
    onSettled: () => client.invalidateQueries({ queryKey: [ws, 'usage'] }),
  })
  const hint = t('manyHint', { count: MOST })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="card p-4">
        <AskForm>
          <Frame id={id} label={t('many')} hint={hint}>
            <textarea
              id={id}
              rows={5}
              dir="auto"
              className="input field-sizing-content max-h-72"
              aria-describedby={described(id, hint, null)}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Frame>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <Button busy={past.isPending} onClick={() => past.mutate()}>
              <History className="size-4" aria-hidden />
              {t('past')}
            </Button>
            <AskButton
              operation="simulateReplies"
              cost={cost}
              busy={run.isPending}
              reason={texts.length === 0 && t('questionsFirst')}
              icon={<Play className="size-4 rtl:rotate-180" aria-hidden />}
              label={t('runMany', { count: texts.length })}
              onAsk={() => run.mutate()}
            />
          </div>
          <p className="text-xs text-muted">{t(config ? 'manyCostsBoth' : 'manyCosts')}</p>
          <RunError error={run.error} cost={cost} />
        </AskForm>
      </div>
      {run.isPending && (
        <p role="status" className="text-13 text-muted">
          {t('running')}
        </p>
      )}
      {run.data && !run.isPending && <Runs key={run.data.saved.id} begun={run.data} />}
    </div>
  )
}

/** Both runs, with the decisions so far. */
function Runs({ begun }: { begun: Begun }) {
  const t = useTranslations('bot.try')
  const { ws } = usePlace()
  const late = (run: SimulationRun | null) => ({
    ...simulationQuery(ws, run?.id ?? ''),
    enabled: run !== null && !run.done,
  })
  const saved = useQuery(late(begun.saved)).data ?? begun.saved
  const tried = useQuery(late(begun.tried)).data ?? begun.tried
  const all = begun.texts.length * (tried ? 2 : 1)
  const done = [...saved.data, ...(tried?.data ?? [])].filter(({ state }) => state === 'DONE').length
  return (
    <>
      {done < all && (
        <div className="grid gap-1">
          <div
            role="progressbar"
            aria-label={t('running')}
            aria-valuemin={0}
            aria-valuemax={all}
            aria-valuenow={done}
            className="h-1.5 overflow-hidden rounded-full bg-hover"
          >
            <div
              className="h-full bg-accent transition-[inline-size]"
              style={{ inlineSize: `${(done / all) * 100}%` }}
            />
          </div>
          <p className="text-xs text-muted tabular-nums">{t('progress', { done, all })}</p>
        </div>
      )}
      <Comparison texts={begun.texts} saved={saved.data} tried={tried?.data ?? null} />
    </>
  )
}
