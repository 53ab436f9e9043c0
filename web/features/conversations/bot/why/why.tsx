import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ArrowUpRight, Check, CircleMinus, CirclePause, CircleX, Send } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Decision } from '../../../../../src/conversations/decisions/api.ts'
import { Loaded } from '../../../../ui/states.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { decisionQuery } from '../queries.ts'
import { Considered } from './considered.tsx'
import { Replay } from './replay.tsx'
import { Sources } from './sources.tsx'
import { shownSteps, useHoldWords, useStepWords } from './steps.ts'

/** Explains the bot's decision about one message. */
export function Why({ id, held }: { id: string; /** Set if the reason already appears above. */ held?: boolean }) {
  const { ws } = usePlace()
  const query = useQuery(decisionQuery(ws, id))
  return (
    <Loaded query={query} skeleton={<div className="skeleton h-24" aria-hidden />}>
      {(decision) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <Steps decision={decision} held={held ?? false} />
          <Sources decision={decision} />
          <Considered decision={decision} />
          <Replay decision={decision} />
        </div>
      )}
    </Loaded>
  )
}

const STOPS = {
  SENT: [Send, 'text-ok'],
  HELD: [CirclePause, 'text-hold'],
  ESCALATED: [ArrowUpRight, 'text-bad'],
  QUIET: [CircleMinus, 'text-muted'],
  IGNORED: [CircleMinus, 'text-muted'],
  SUPERSEDED: [CircleX, 'text-muted'],
  EXPIRED: [CircleX, 'text-muted'],
} as const

/** The steps of the decision in order, and where it ended. */
export function Steps({ decision, held }: { decision: Decision; held: boolean }) {
  const t = useTranslations('why')
  const words = useStepWords()
  const hold = useHoldWords()
  const { verdict, kind } = decision
  const steps = shownSteps(decision)
  const erased = steps.length === 0 && decision.contextSnapshot === null
  // Messages in a thread that a person handles are still classified. The thread's state is what kept the bot silent.
  const silent = verdict === 'QUIET' ? steps.findIndex(({ step }) => step === 'thread_state') : -1
  const last = silent === -1 ? steps.length - 1 : silent
  return (
    <div className="grid gap-2">
      {verdict && !held && (
        <p className="text-13 font-medium">
          {verdict === 'HELD' && decision.hold
            ? hold(decision.hold)
            : t(verdict === 'SENT' && kind === 'simulate' ? 'wouldSend' : `verdicts.${verdict}`)}
        </p>
      )}
      {erased ? (
        <p className="text-13 text-muted">{t('stepsErased')}</p>
      ) : (
        <ol
          className="grid grid-cols-[minmax(0,1fr)] gap-x-5 gap-y-1 text-xs text-muted @lg:grid-cols-2"
          aria-label={t('stepsTitle')}
        >
          {steps.map((entry, at) => {
            const { text, value } = words(entry, decision)
            const stops = at === last && verdict !== null && verdict !== 'SENT'
            const [Icon, look] = stops ? STOPS[verdict] : ([Check, 'text-ok'] as const)
            return (
              <li
                // A step may come twice: before and after it waited.
                // oxlint-disable-next-line react/no-array-index-key -- a step may come twice, and the log does not change
                key={`${entry.step} ${at}`}
                className="flex min-w-0 items-start gap-1.5"
              >
                <Icon className={clsx('mt-0.5 size-3.5 shrink-0', look)} aria-hidden />
                <span className={clsx('min-w-0 grow break-words', stops && ['font-medium', look])}>{text}</span>
                {value && <bdi className={clsx('shrink-0 tabular-nums', stops && ['font-medium', look])}>{value}</bdi>}
              </li>
            )
          })}
        </ol>
      )}
    </div>
  )
}
