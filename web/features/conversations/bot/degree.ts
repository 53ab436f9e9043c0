import { useFormatter, useTranslations } from 'use-intl'

const rounded = (value: number) => Math.round(value * 100)

/** A confidence as people read it: 70%. It has a tenth only where it would else look like what stands beside it, and is not. */
export function useDegree() {
  const format = useFormatter()
  return (value: number, beside?: number) => {
    const digits = beside !== undefined && value !== beside && rounded(value) === rounded(beside) ? 1 : 0
    return format.number(value, { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits })
  }
}

/** How sure the bot was, beside what it needed, in a few words. */
export function useSureness() {
  const t = useTranslations('why.short')
  const degree = useDegree()
  return (confidence: number, threshold: number) =>
    t('sure', { degree: degree(confidence, threshold), needed: degree(threshold) })
}
