import { useFormatter, useLocale, useTranslations } from 'use-intl'
import type { ListedApproval } from '../../../../src/publishing/approvals/api.ts'
import type { Approval } from '../../../../src/publishing/posts/api.ts'
import { isolate } from '../../../bidi.ts'
import { timeFormat, zoneName } from '../../../time.ts'

/** Formats a time in a workspace's zone, with the zone's name. */
export function useMomentIn(zone: string) {
  const format = useFormatter()
  const locale = useLocale()
  return (iso: string) => {
    const at = new Date(iso)
    return `${format.dateTime(at, timeFormat(at, zone))} ${zoneName(zone, at, locale)}`
  }
}

export type Waiting = Pick<ListedApproval, 'waitsFor' | 'mayDecideToo'>

/** Returns whose decision an open request waits for, since when, and who else may decide. */
export function useWaits() {
  const t = useTranslations('approvals')
  const locale = useLocale()
  const list = (names: string[], type: 'conjunction' | 'disjunction') =>
    new Intl.ListFormat(locale, { type }).format(names.map(isolate))
  return (waiting: Waiting | undefined, ago: string) => {
    if (!waiting || waiting.waitsFor.length === 0) return t('waits', { ago })
    const asked = t('waitsFor', { names: list(waiting.waitsFor, 'conjunction'), ago })
    return waiting.mayDecideToo.length === 0
      ? asked
      : `${asked}. ${t('mayToo', { names: list(waiting.mayDecideToo, 'disjunction') })}`
  }
}

/** Returns what happens after the approval, as text. */
export function useConsequence(zone: string) {
  const t = useTranslations('approvals.outcome')
  const moment = useMomentIn(zone)
  return (asks: Approval['asks'], scheduledAt: string | null) => {
    if (asks.act !== 'schedule' || !scheduledAt) return t(asks.act === 'publish' ? 'publish' : 'draft')
    return t(Date.parse(scheduledAt) < Date.now() ? 'late' : 'schedule', { time: moment(scheduledAt) })
  }
}
