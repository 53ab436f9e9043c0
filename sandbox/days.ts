import { chances, normal } from './metrics.ts'

// The daily figures of an account: a pure function of the account and the day. The days of the Graph networks are
// Pacific days.

const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** An account with daily figures. */
export type DailyAccount = { id: string; followers: number }

export type DayFigures = Record<'followers' | 'reach' | 'reach7' | 'reach28' | 'impressions' | 'engagement', number>

/** The time at which accounts have their initial number of followers. */
const EPOCH = Date.parse('2026-01-01T00:00:00Z')
const LOUDEST_WEEKDAY = 4

const pacific = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles', dateStyle: 'short' })

/** Returns the Pacific day of a time, such as `2026-11-25`. */
export const dayOf = (time: number): string => pacific.format(time)

/** Returns the start of a Pacific day: 07:00Z in summer, 08:00Z in winter. */
export function startOf(day: string): number {
  const summer = Date.parse(`${day}T07:00:00Z`)
  return dayOf(summer) === day ? summer : summer + HOUR
}

export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10)

/** Returns the followers of an account on a day. */
export function followersOn({ id, followers }: DailyAccount, day: string): number {
  const days = (Date.parse(`${day}T00:00:00Z`) - EPOCH) / DAY
  const [growth = 0.5, unrest = 0.5] = [...chances(`${id} growth`), ...chances(`${id} ${day}`)]
  return Math.max(0, Math.round(followers * (1 + days * (growth - 0.2) * 0.001 + unrest * 0.002)))
}

function reachOn(account: DailyAccount, day: string): number {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  const week = 1 + 0.25 * Math.cos(((weekday - LOUDEST_WEEKDAY) * 2 * Math.PI) / 7)
  return Math.floor(account.followers * 0.15 * week * Math.exp(0.25 * normal(`${account.id} ${day}`)))
}

/**
 * Returns the reach within several days. It is less than the sum, which would count people again who were reached on
 * several days.
 */
function reachWithin(account: DailyAccount, last: string, days: number): number {
  const sum = Array.from({ length: days }, (_, back) => reachOn(account, addDays(last, -back))).reduce((a, b) => a + b)
  return Math.floor(sum * days ** -0.3)
}

/** Returns the final figures of a day. */
export function dayFigures(account: DailyAccount, day: string): DayFigures {
  const reach = reachOn(account, day)
  const [again = 0, acting = 0] = chances(`${account.id} ${day} traits`)
  return {
    followers: followersOn(account, day),
    reach,
    reach7: reachWithin(account, day, 7),
    reach28: reachWithin(account, day, 28),
    impressions: Math.floor(reach * (1.2 + 0.5 * again)),
    engagement: Math.floor(reach * (0.02 + 0.05 * acting)),
  }
}

/** The time after the end of a day until its figures are final. A network shows the day at most a day before that. */
const WHOLE = 2 * DAY
/** The share of the figures that is shown before they are final. */
const EARLY = 0.97

/** Returns the figures of an ended day that a network shows at a time; undefined while it shows none. */
export function dayShown(account: DailyAccount, day: string, at: number): DayFigures | undefined {
  const endedFor = at - startOf(addDays(day, 1))
  const [lag = 0] = chances(`${account.id} ${day} lag`)
  if (endedFor < DAY * (1 + lag) || day < addDays(dayOf(at), -730)) return undefined
  const figures = dayFigures(account, day)
  if (endedFor >= WHOLE) return figures
  const { followers } = figures
  const early = Object.entries(figures).map(([name, value]) => [name, Math.floor(value * EARLY)])
  return { ...(Object.fromEntries(early) as DayFigures), followers }
}
