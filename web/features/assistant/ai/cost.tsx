import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useOnline } from '../../../online.ts'
import { configQuery, usageQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import type { Operation } from '../../../client.ts'
import { PlanLink } from '../../team/plan/plan-link.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { leftKey } from './queries.ts'
import { DAY } from '../../../time.ts'

/** The credits left: null without a limit, undefined while unknown. */
function useLeft() {
  const { ws, membership } = usePlace()
  const usage = useQuery({ ...usageQuery(ws), enabled: !refusal(membership, 'listUsage') })
  const told = useQuery<number | null>({ queryKey: leftKey(ws), enabled: false })
  const credits = usage.data?.find(({ quota }) => quota === 'ai_credits')
  const left = credits ? (credits.limit === null ? null : Math.max(0, credits.limit - credits.used)) : told.data
  return { left, resetsAt: credits?.resetsAt ?? null }
}

interface Props {
  operation: Operation
  /** In credits. */
  cost: number
  /** Why the request cannot be made now, regardless of credits. */
  reason?: string | null | false
  busy?: boolean
  icon?: ReactNode
  label: string
  onAsk: () => void
  secondary?: boolean
}

/**
 * Why a request of this cost cannot be made now. `refused` excludes being offline; `unset` means that the service has
 * no AI, which no plan changes.
 */
export function useNoAsk(operation: Operation, cost: number) {
  const t = useTranslations('ai')
  const problems = useTranslations('problems')
  const format = useFormatter()
  const { workspace } = usePlace()
  const { data: config } = useQuery(configQuery)
  const unset = config?.ai === false
  const may = useMay(operation)
  const online = useOnline()
  const { left, resetsAt } = useLeft()
  const lacks = typeof left === 'number' && left < cost
  const full = lacks
    ? t(resetsAt ? 'usedUpUntil' : 'usedUp', {
        left,
        cost,
        date: resetsAt ? format.dateTime(new Date(resetsAt), { ...DAY, timeZone: workspace.timezone }) : '',
      })
    : null
  const refused = may.hidden ? t('notForRole') : unset ? problems('ai_not_configured') : (may.reason ?? full)
  return { refused, full, hidden: may.hidden, unset, left, reason: refused ?? (online ? null : t('offline')) }
}

/**
 * A button that sends an AI request, with its cost and the credits left. When disabled, it shows the reason and the way
 * to the plan.
 */
export function AskButton({ operation, cost, reason, busy, icon, label, onAsk, secondary }: Props) {
  const t = useTranslations('ai')
  const none = useNoAsk(operation, cost)
  const { refused, hidden, unset, left } = none
  return (
    <div data-ask className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button
        variant={secondary ? 'secondary' : 'primary'}
        busy={busy ?? false}
        reason={none.reason ?? reason}
        onClick={onAsk}
      >
        {icon}
        {label}
      </Button>
      {refused ? (
        <p role="status" className="min-w-0 text-xs text-bad">
          {refused} {!hidden && !unset && <PlanLink quota={refused === none.full ? 'ai_credits' : undefined} />}
        </p>
      ) : (
        <p className="text-xs text-muted tabular-nums">
          {t('cost', { count: cost })}
          {typeof left === 'number' && ` · ${t('left', { count: left })}`}
        </p>
      )}
    </div>
  )
}
