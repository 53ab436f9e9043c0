import { addDays, type DailyAccount, DAY, type DayFigures, dayOf, dayShown, startOf } from '../days.ts'
import { findPage, findPhotoAccount } from '../people.ts'
import type { State } from '../state.ts'
import { type GraphRequest, idOf } from './call.ts'
import { GraphError, refuse } from './errors.ts'
import { askedIn, FEWEST_FOLLOWERS } from './insights.ts'
import { graphTime } from './nodes.ts'
import { instant, type Params, text } from './params.ts'
import { mayRead } from './posts.ts'
import { hasScope } from './tokens.ts'

/** The daily figures of accounts, as a field of a node and as an edge. */

type Days = {
  /** The maximum number of days in one call, which differs between the networks. */
  most: number
  scope: string
  /** The names of figures, by period. */
  names: Record<string, Record<string, keyof DayFigures>>
  /** Names of figures that a call returns only as one sum for its whole range. */
  totals: Record<string, 'impressions' | 'engagement'>
}

const DAYS: Record<'page' | 'photo', Days> = {
  page: {
    most: 90,
    scope: 'read_insights',
    names: {
      day: {
        page_media_view: 'impressions',
        page_total_media_view_unique: 'reach',
        page_post_engagements: 'engagement',
        page_follows: 'followers',
      },
      week: { page_total_media_view_unique: 'reach7' },
      days_28: { page_total_media_view_unique: 'reach28' },
    },
    totals: {},
  },
  photo: {
    most: 30,
    scope: 'instagram_manage_insights',
    names: { day: { reach: 'reach' }, week: { reach: 'reach7' }, days_28: { reach: 'reach28' } },
    totals: { views: 'impressions', total_interactions: 'engagement' },
  },
}
/**
 * Returns the parameters of insights: those of the edge, or those of `insights.metric(a).period(day)` within `fields`.
 */
function insightParams({ params }: GraphRequest): Params {
  const [, inFields = ''] = /insights((?:\.[a-z_]+\([^()]*\))+)/.exec(text(params, 'fields') ?? '') ?? []
  const told = [...inFields.matchAll(/\.([a-z_]+)\(([^()]*)\)/g)].map(([, name = '', value]) => [name, value] as const)
  return new Map<string, unknown>([...params, ...told])
}

const YEARS_KEPT = 2 * 365 * DAY

/** Returns the figures of an account's day that a network shows at a time, in all its places together. */
export function dayOfAccount(
  { metricFaults: { gone } }: Pick<State, 'metricFaults'>,
  network: keyof typeof DAYS,
  account: DailyAccount,
  day: string,
  at: number,
): Record<keyof DayFigures, number | null> {
  const { names, totals } = DAYS[network]
  const told = new Set(
    [...Object.values(names), totals].flatMap((each) =>
      Object.entries(each).flatMap(([n, f]) => (gone.includes(n) ? [] : [f])),
    ),
  )
  const shown = account.followers < FEWEST_FOLLOWERS ? undefined : dayShown(account, day, at)
  const field = (name: keyof DayFigures) => (told.has(name) ? (shown?.[name] ?? null) : null)
  return {
    followers: field('followers'),
    reach: field('reach'),
    reach7: field('reach7'),
    reach28: field('reach28'),
    impressions: field('impressions'),
    engagement: field('engagement'),
  }
}

/** Returns the figures of an account by day, or as one sum for the whole range. */
export function accountInsights(
  network: keyof typeof DAYS,
  account: DailyAccount,
  call: GraphRequest,
): { data: object[] } {
  const { state, clock } = call.store
  const { most, scope, names, totals } = DAYS[network]
  if (!hasScope(state, call.caller(), scope)) throw refuse.readPermission(scope)
  const params = insightParams(call)
  const period = text(params, 'period') ?? 'day'
  const isTotal = text(params, 'metric_type') === 'total_value'
  const known: Record<string, keyof DayFigures> = (isTotal ? totals : names[period]) ?? {}
  const asked = askedIn(call)
  if (asked.length === 0) throw new GraphError({ message: '(#3001) No metric was given', code: 3001, subcode: 1504028 })
  if (asked.some((name) => state.metricFaults.gone.includes(name) || !(name in known))) {
    throw refuse.parameter('The value must be a valid insights metric')
  }
  const now = clock.now()
  const until = instant(params, 'until') ?? now
  const since = instant(params, 'since') ?? until - 2 * DAY
  if (until - since > most * DAY + 3_600_000) {
    throw refuse.parameter(`There cannot be more than ${most} days between since and until`)
  }
  if (since < now - YEARS_KEPT) throw refuse.parameter('Metrics data is available for the last 2 years')
  const days: string[] = []
  for (let day = dayOf(since); startOf(addDays(day, 1)) <= until; day = addDays(day, 1)) {
    if (startOf(addDays(day, 1)) > since) days.push(day)
  }
  const shown = days.flatMap((day) => {
    const figures = account.followers < FEWEST_FOLLOWERS ? undefined : dayShown(account, day, now)
    return figures ? [{ figures, end_time: graphTime(startOf(addDays(day, 1))) }] : []
  })
  if (shown.length === 0) return { data: [] }
  return {
    data: asked.map((name) => {
      const field = known[name] as keyof DayFigures
      const told = shown.map(({ figures, end_time }) => ({ value: figures[field], end_time }))
      const id = `${account.id}/insights/${name}/${period}`
      return isTotal
        ? { name, period, total_value: { value: told.reduce((sum, { value }) => sum + value, 0) }, title: name, id }
        : { name, period, values: told, title: name, id }
    }),
  }
}

/** `GET {account}/insights`: the daily figures of a page or a photo account. */
export function readAccountInsights(call: GraphRequest): object {
  const id = idOf(call)
  const photo = findPhotoAccount(id)
  const page = findPage(photo?.pageId ?? id)
  const caller = call.caller()
  if (!page || !mayRead(call, caller, page.id)) throw refuse.unknownObject(call.method, id)
  if (caller.kind !== 'page') throw refuse.pageTokenNeeded()
  return photo ? accountInsights('photo', photo, call) : accountInsights('page', page, call)
}
