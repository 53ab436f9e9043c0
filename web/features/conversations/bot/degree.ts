import { useFormatter } from 'use-intl'

/** A confidence as people read it: 0.70. A third digit shows where two would hide a difference. */
export function useDegree() {
  const format = useFormatter()
  return (value: number) => format.number(value, { minimumFractionDigits: 2, maximumFractionDigits: 3 })
}
