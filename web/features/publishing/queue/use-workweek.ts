import { useLocale, useTranslations } from 'use-intl'
import { workdays } from '../../../time.ts'

/** The workdays of the reader's language, with the names of the first and the last. */
export function useWorkweek() {
  const t = useTranslations('slots.days')
  const days = workdays(useLocale())
  return { days, names: { first: t(days[0]!), last: t(days.at(-1)!) } }
}
