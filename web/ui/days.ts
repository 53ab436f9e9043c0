import { addDays, addMonths, type WeekStart, weekOf } from '../time.ts'

/** The same day of another month, or that month's last day if it is shorter. */
export function inMonths(date: string, months: number): string {
  const first = addMonths(date, months)
  const last = addDays(addMonths(first, 1), -1)
  const same = `${first.slice(0, 8)}${date.slice(8)}`
  return same > last ? last : same
}

/**
 * The date that a key moves to in a grid of days: arrows by days and weeks, Home and End within the week, Page Up and
 * Page Down by months, with Shift by years. The arrows are mirrored in right-to-left text.
 */
export function dateByKey(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  date: string,
  weekStart: WeekStart,
): string | undefined {
  const forward = document.documentElement.dir === 'rtl' ? -1 : 1
  const months = shiftKey ? 12 : 1
  const to: Record<string, () => string | undefined> = {
    ArrowRight: () => addDays(date, forward),
    ArrowLeft: () => addDays(date, -forward),
    ArrowDown: () => addDays(date, 7),
    ArrowUp: () => addDays(date, -7),
    Home: () => weekOf(date, weekStart)[0],
    End: () => weekOf(date, weekStart)[6],
    PageDown: () => inMonths(date, months),
    PageUp: () => inMonths(date, -months),
  }
  return to[key]?.()
}
