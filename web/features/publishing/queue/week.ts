import { DAYS, type Day } from '../../../../src/publishing/scheduler/rules.ts'
import type { Slot } from '../../../../src/publishing/scheduler/api.ts'
import type { WeekStart } from '../../../time.ts'

const key = ({ day, time, accounts }: Slot) => `${DAYS.indexOf(day)} ${time} ${accounts?.join() ?? ''}`

/** Slots in weekly order, without duplicates. */
export const sorted = (slots: readonly Slot[]): Slot[] =>
  [...new Map(slots.map((slot) => [key(slot), slot])).values()].toSorted((a, b) => key(a).localeCompare(key(b)))

export const sameSlots = (a: readonly Slot[], b: readonly Slot[]) =>
  JSON.stringify(sorted(a).map(key)) === JSON.stringify(sorted(b).map(key))

/** Whether another slot at the same time shares an account. */
export const clashes = (slots: readonly Slot[], { day, time, accounts }: Slot) =>
  slots.some(
    (one) =>
      one.day === day &&
      one.time === time &&
      (one.accounts === null || accounts === null || one.accounts.some((id) => accounts.includes(id))),
  )

/** Copies the slots of one day to others, replacing theirs. */
export const copied = (slots: readonly Slot[], from: Day, to: readonly Day[]) =>
  sorted([
    ...slots.filter(({ day }) => day === from || !to.includes(day)),
    ...to.flatMap((day) => slots.filter((slot) => slot.day === from).map((slot) => ({ ...slot, day }))),
  ])

export const preset = (days: readonly Day[], times: readonly string[]) =>
  sorted(days.flatMap((day) => times.map((time) => ({ day, time, accounts: null }))))

/** The weekdays in order, starting with the workspace's first day of the week. */
export function daysFrom(start: WeekStart): Day[] {
  const first = DAYS.indexOf(start)
  return [...DAYS.slice(first), ...DAYS.slice(0, first)]
}
