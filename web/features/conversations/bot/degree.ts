import { useFormatter, useTranslations } from 'use-intl'

const rounded = (value: number) => Math.round(value * 100)

/** Formats a confidence: 70%. Adds a decimal only if it would otherwise look equal to a different value next to it. */
export function useDegree() {
  const format = useFormatter()
  return (value: number, beside?: number) => {
    const digits = beside !== undefined && value !== beside && rounded(value) === rounded(beside) ? 1 : 0
    return format.number(value, { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits })
  }
}

/** The bot's confidence and the required one, in a few words. */
export function useSureness() {
  const t = useTranslations('why.short')
  const degree = useDegree()
  return (confidence: number, threshold: number) =>
    t('sure', { degree: degree(confidence, threshold), needed: degree(threshold) })
}
