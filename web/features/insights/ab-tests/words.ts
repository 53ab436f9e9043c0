import { useFormatter, useTranslations } from 'use-intl'
import type { ABTest } from '../../../../src/insights/ab-tests/api.ts'

export const KINDS = ['post', 'reel', 'pictures'] as const satisfies ABTest['kind'][]
export const TRAITS = ['question', 'link', 'length', 'tone', 'topic'] as const satisfies ABTest['trait'][]
/** The numbers of blocks that a test may have. */
export const COUNTS = Array.from({ length: 13 }, (_, index) => 8 + index)

/** The twelve slots of a week. */
export const SLOTS = (['weekday', 'weekend'] as const).flatMap((days) =>
  (['00', '04', '08', '12', '16', '20'] as const).map((hour) => `${days}-${hour}` as const),
)

/** Formats a slot, such as “Weekdays, 8 AM – 12 PM”. */
export function useSlotName() {
  const t = useTranslations('abTests')
  const format = useFormatter()
  const timeOf = (hour: number) =>
    format.dateTime(new Date(Date.UTC(2026, 0, 1, hour)), { hour: 'numeric', timeZone: 'UTC' })
  return (slot: ABTest['slot']) => {
    const [days, hour] = slot.split('-') as ['weekday' | 'weekend', string]
    return t(`slots.${days}`, { from: timeOf(Number(hour)), to: timeOf((Number(hour) + 4) % 24) })
  }
}

/** The ratio of the larger to the smaller side, for texts such as “1.5 times”. */
export const timesOf = (ratio: number) => (ratio >= 1 ? ratio : 1 / ratio)
