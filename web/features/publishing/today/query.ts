import { addDays, startOf } from '../../../time.ts'
import { calendarQuery } from '../../../queries.ts'

/** How many days the page looks ahead, and back for published posts. */
export const AHEAD = 5
const BACK = 14

/** The posts of the previous and the next days, in one request. */
export const aroundQuery = (ws: string, today: string, zone: string) =>
  calendarQuery(
    ws,
    startOf(addDays(today, -BACK), zone).toISOString(),
    startOf(addDays(today, AHEAD), zone).toISOString(),
    {},
  )
