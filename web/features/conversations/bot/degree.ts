import { useFormatter } from 'use-intl'

const rounded = (value: number) => Math.round(value * 100)

/** A confidence as people read it: 0.70. It has a third digit only where two would hide that it differs from what stands beside it. */
export function useDegree() {
  const format = useFormatter()
  return (value: number, beside?: number) => {
    const digits = beside !== undefined && value !== beside && rounded(value) === rounded(beside) ? 3 : 2
    return format.number(value, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  }
}
