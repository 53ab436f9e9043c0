import { addDays, startOf } from '../../../time.ts'
import { calendarQuery } from '../../../queries.ts'

/** Days that the page looks ahead, and back for what went out. */
export const AHEAD = 5
const BACK = 14

/** The posts of the next and the last days, in one answer. */
export const aroundQuery = (ws: string, today: string, zone: string) =>
  calendarQuery(
    ws,
    startOf(addDays(today, -BACK), zone).toISOString(),
    startOf(addDays(today, AHEAD), zone).toISOString(),
    {},
  )
