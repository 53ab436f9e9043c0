import { clsx } from 'clsx'
import { ArrowUpRight, CircleMinus, CirclePause, LoaderCircle, Send } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Decision } from '../../../../../src/conversations/decisions/api.ts'
import { Pill } from '../../../../ui/pill.tsx'
import { type TriedOutcome, outcomeOf } from './tried.ts'

const LOOKS = {
  SENT: [Send, 'bg-ok-soft text-ok'],
  HELD: [CirclePause, 'bg-hold-soft text-hold'],
  ESCALATED: [ArrowUpRight, 'bg-bad-soft text-bad'],
  IGNORED: [CircleMinus, 'bg-sunken text-muted'],
} as const satisfies Record<TriedOutcome, unknown>

/** The outcome for a message. */
export function VerdictPill({ decision }: { decision: Decision }) {
  const t = useTranslations('bot.try')
  const short = useTranslations('why.short')
  if (decision.state !== 'DONE')
    return (
      <Pill icon={LoaderCircle} look="bg-sunken text-muted" spins>
        {t('deciding')}
      </Pill>
    )
  const outcome = outcomeOf(decision)
  const [icon, look] = LOOKS[outcome]
  return (
    <Pill icon={icon} look={clsx(look)}>
      {t(`outcomes.${outcome}`)}
      {outcome === 'HELD' && decision.hold && `: ${short(decision.hold)}`}
    </Pill>
  )
}
