// Clock times, as people type them and as the product stores them: 'HH:MM' in 24 hours.

const MORNING = /^(a|am|ص|صباحا|صباحًا)$/
const EVENING = /^(p|pm|م|مساء|مساءً)$/

/** Replaces Arabic digits with Latin ones. */
const latin = (text: string) => text.replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))

/** The time in a typed text, such as "9", "930", "9.30" or "9:30 pm"; null if it contains none. */
export function readClock(typed: string): string | null {
  const text = latin(typed.trim().toLowerCase()).replaceAll(/[\u200e\u200f\u061c]/g, '')
  const parts = /^(\d{1,2})(?:\s*(?:[:.h٫]\s*)?(\d\d))?(?:\s*([^\d\s]+))?$/u.exec(text)
  if (!parts) return null
  const [, hours = '', minutes = '00', half] = parts
  const mark = half?.replaceAll('.', '') ?? ''
  const late = EVENING.test(mark)
  if (mark && !late && !MORNING.test(mark)) return null
  let hour = Number(hours)
  if (mark && (hour < 1 || hour > 12)) return null
  if (mark) hour = (hour % 12) + (late ? 12 : 0)
  if (hour > 23 || Number(minutes) > 59) return null
  return `${String(hour).padStart(2, '0')}:${minutes}`
}

/** Every half hour of a day. */
export const HALF_HOURS = Array.from(
  { length: 48 },
  (_, index) => `${String(Math.floor(index / 2)).padStart(2, '0')}:${index % 2 ? '30' : '00'}`,
)
