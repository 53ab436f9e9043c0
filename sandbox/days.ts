import { chances, normal } from './metrics.ts'

// How an account does, day by day: a pure function of the account and the day. The days of the Graph networks are Pacific ones.

const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** An account whose days are counted. */
export type DailyAccount = { id: string; followers: number }

export type DayFigures = Record<'followers' | 'reach' | 'reach7' | 'reach28' | 'impressions' | 'engagement', number>

/** When accounts had the followers that the sandbox makes them with. */
const EPOCH = Date.parse('2026-01-01T00:00:00Z')
const LOUDEST_WEEKDAY = 4

const pacific = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles', dateStyle: 'short' })

/** The Pacific day of a time, as `2026-11-25`. */
export const dayOf = (time: number): string => pacific.format(time)

/** When a Pacific day begins: at 07:00Z in summer, at 08:00Z in winter. */
export function startOf(day: string): number {
  const summer = Date.parse(`${day}T07:00:00Z`)
  return dayOf(summer) === day ? summer : summer + HOUR
}

export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10)

/** The followers of an account on a day. */
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

/** Many who were reached on one day are reached on another one too: a sum would count them twice. */
function reachWithin(account: DailyAccount, last: string, days: number): number {
  const sum = Array.from({ length: days }, (_, back) => reachOn(account, addDays(last, -back))).reduce((a, b) => a + b)
  return Math.floor(sum * days ** -0.3)
}

/** What a day has in the end. */
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

/** A day is whole so long after its end, and shown a day before that at the earliest. */
const WHOLE = 2 * DAY
/** The part of it that is counted before. */
const EARLY = 0.97

/** What a network shows of an ended day at a time; undefined while it shows nothing. */
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
