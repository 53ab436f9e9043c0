import { useFormatter, useTranslations } from 'use-intl'
import type { ContentKind } from '../../../../src/networks/rules.ts'
import type { PredictionReason, SlotOfWeek } from '../../../../src/insights/predictions/api.ts'

const HOURS_OF_SLOT = 4

/** Returns the days and hours of a slot as text. */
export function useSlotWords(): (slot: SlotOfWeek) => string {
  const t = useTranslations('predictions')
  const format = useFormatter()
  const clock = (hour: number) =>
    format.dateTime(new Date(Date.UTC(2000, 0, 1, hour)), { timeStyle: 'short', timeZone: 'UTC' })
  return (slot) => {
    const hour = Number(slot.slice(-2))
    const hours = { from: clock(hour), to: clock(hour + HOURS_OF_SLOT) }
    return t(slot.startsWith('weekday') ? 'slots.weekday' : 'slots.weekend', hours)
  }
}

/** Returns the subject of a prediction's reason as text. */
export function useReasonWords(): (reason: PredictionReason) => string {
  const t = useTranslations('predictions')
  const slotWords = useSlotWords()
  return ({ factor, value }) => {
    if (factor === 'slot') return slotWords(value as SlotOfWeek)
    if (factor === 'kind') return t(`kinds.${value as ContentKind}`)
    return t(`factors.${factor}`, { value })
  }
}
