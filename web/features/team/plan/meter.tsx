import { clsx } from 'clsx'
import { useFormatter, useTranslations } from 'use-intl'
import type { Usage } from '../../../../src/team/plans/api.ts'
import { useMaybe } from '../../../i18n.tsx'
import { Meter as Line, toneOf } from '../../../ui/meter.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useLargerPlans } from './larger-plans.ts'
import { DAY } from '../../../time.ts'

/** The usage of a quota, the remainder, and when it resets. */
export function Meter({ usage }: { usage: Usage }) {
  const t = useTranslations('plan')
  const maybe = useMaybe()
  const format = useFormatter()
  const amount = useAmount()
  const { workspace } = usePlace()
  const { quota, used, limit, resetsAt } = usage
  const name = maybe(`plan.quotas.${quota}`, quota)
  const full = limit !== null && used >= limit
  const larger = useLargerPlans(full ? quota : undefined)
  const said =
    limit === null
      ? t('usedUnlimited', { used: amount(quota, used) })
      : t('usedOf', { used: amount(quota, used), limit: amount(quota, limit) })
  return (
    <div className="grid content-start gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="text-13 font-medium">{name}</span>
        <span className={clsx('text-13 tabular-nums', full ? 'font-medium text-bad' : 'text-muted')}>{said}</span>
      </div>
      {limit !== null && <Line label={name} value={used} max={limit} text={said} tone={toneOf(used, limit)} />}
      {(resetsAt || full) && (
        <p className="text-xs text-muted">
          {full && `${t(resetsAt ? 'full' : 'fullStock')} `}
          {larger && `${larger} `}
          {resetsAt &&
            t('resets', {
              date: format.dateTime(new Date(resetsAt), { ...DAY, timeZone: workspace.timezone }),
            })}
        </p>
      )}
    </div>
  )
}

/** Formats an amount of a quota: bytes as GB, everything else as a number. */
export function useAmount() {
  const format = useFormatter()
  return (quota: string, amount: number) => {
    if (quota !== 'media_bytes') return format.number(amount)
    const [unit, size] = amount >= 2 ** 30 ? (['gigabyte', 2 ** 30] as const) : (['megabyte', 2 ** 20] as const)
    return format.number(amount / size, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 })
  }
}
