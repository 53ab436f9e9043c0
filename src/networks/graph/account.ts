import * as z from 'zod'
import { ACCOUNT_METRICS, type AccountMetric } from '../api.ts'
import type { AccountAsk, AccountDay, AccountFigures, AccountRead, NetworkDay } from '../metrics.ts'
import { wholeNumber } from '../metrics.ts'
import { NetworkError } from '../answers.ts'
import { type Graph, timeOf } from './graph.ts'
import { type NamesAsked, endsAll, Insights, limited, read, withoutDead } from './insights.ts'

// The figures of an account by day. The network's day ends at midnight in California, and each value has the time at
// which its day ended.

type Period = 'day' | 'week' | 'days_28'
type Names = Readonly<Partial<Record<AccountMetric, string>>>

export interface GraphAccount {
  /** The maximum number of days in one call. */
  most: number
  /** The names of figures that one call returns for each of several days. */
  series: Readonly<Partial<Record<Period, Names>>>
  /** The names of figures that a call returns only as a sum, so each day needs its own call. */
  totals: Names
  /** The field with the current number of followers, read together with the days. */
  followersField?: 'followers_count'
}

const Account = z.looseObject({ followers_count: z.number().optional(), insights: Insights.optional() })

const HOUR = 3_600_000
const DAY = 24 * HOUR

const pacific = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles', dateStyle: 'short' })

/** Converts between times and days in California, which begin at 07:00Z in summer and at 08:00Z in winter. */
export const pacificDays = {
  at: (time: Date): NetworkDay => pacific.format(time),
  startOf(day: NetworkDay): Date {
    const summer = new Date(`${day}T07:00:00Z`)
    return pacificDays.at(summer) === day ? summer : new Date(summer.getTime() + HOUR)
  },
}

const next = (day: NetworkDay, days: number): NetworkDay =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10)

/** The day that ended at `time`. Subtracting half a day works for both offsets. */
const dayEnding = (time: string): NetworkDay => new Date(timeOf(time) - DAY / 2).toISOString().slice(0, 10)

interface Run extends NamesAsked {
  found: AccountRead
  days: Map<NetworkDay, AccountDay>
}

export function graphAccount(graph: Graph, { most, series, totals, followersField }: GraphAccount): AccountFigures {
  const metricsOf = (names: Names) => ACCOUNT_METRICS.filter((metric) => names[metric] !== undefined)
  const periods = Object.entries(series) as [Period, Names][]
  const singles = metricsOf(totals)

  function note(run: Run, day: NetworkDay, metric: AccountMetric, value: unknown): void {
    const known = run.days.get(day) ?? { day, values: {} }
    run.days.set(day, { day, values: { ...known.values, [metric]: wholeNumber(value) } })
  }

  /** Reads the daily values of one period in one call. */
  async function readSeries(
    run: Run,
    ask: AccountAsk,
    [period, names]: [Period, Names],
    from: NetworkDay,
    to: NetworkDay,
  ) {
    const range = { period, since: secondsOf(from), until: secondsOf(to) }
    const path = `/${run.place.account.externalId}`
    const asksFollowers = followersField !== undefined && period === 'day'
    const insights = await withoutDead(run, ['account'], ask.isGranted ? Object.values(names) : [], async (asked) => {
      if (!asksFollowers) {
        return asked.length > 0
          ? read(graph, run, `${path}/insights`, { metric: asked.join(','), ...range }, Insights)
          : undefined
      }
      const modifiers = Object.entries(range).map(([name, value]) => `.${name}(${value})`)
      const field = asked.length > 0 ? [`insights.metric(${asked.join(',')})${modifiers.join('')}`] : []
      const account = await read(graph, run, path, { fields: [followersField, ...field].join(',') }, Account)
      run.found.followers = wholeNumber(account.followers_count)
      return account.insights
    })
    for (const metric of metricsOf(names)) {
      for (const { value, end_time: end } of insights?.data.find(({ name }) => name === names[metric])?.values ?? []) {
        if (end !== undefined) note(run, dayEnding(end), metric, value)
      }
    }
  }

  /** Reads the sums of one day. */
  async function readSums(run: Run, day: NetworkDay) {
    const range = { period: 'day', metric_type: 'total_value', since: secondsOf(day), until: secondsOf(next(day, 1)) }
    const path = `/${run.place.account.externalId}/insights`
    const insights = await withoutDead(run, ['account'], Object.values(totals), async (asked) =>
      asked.length > 0 ? read(graph, run, path, { metric: asked.join(','), ...range }, Insights) : undefined,
    )
    for (const metric of singles) {
      const told = insights?.data.find(({ name }) => name === totals[metric])
      if (told) note(run, day, metric, told.total_value?.value)
    }
  }

  const spansOf = ({ from, to }: AccountAsk) => {
    const spans: { from: NetworkDay; to: NetworkDay }[] = []
    // Newest days first, so that they are read even if the calls run out.
    for (let end = to; end > from; end = next(end, -most)) spans.push({ from: later(from, next(end, -most)), to: end })
    return spans
  }
  const singleDays = (ask: AccountAsk) => (ask.isGranted && singles.length > 0 ? ask.singleDays : [])
  const cost = (ask: AccountAsk) => spansOf(ask).length * periods.length + singleDays(ask).length

  return {
    days: pacificDays,
    metrics: ACCOUNT_METRICS.filter((metric) => [...periods.map(([, names]) => names), totals].some((n) => n[metric])),
    singles,
    present: followersField === undefined ? [] : ['followers'],
    cost,

    async read(place, ask) {
      const run: Run = {
        place: { ...place, reservation: limited(place.reservation, cost(ask) + ask.spare) },
        gone: new Set(ask.gone),
        found: { days: [], followers: null, gone: [], isRefused: false, error: null },
        days: new Map(),
      }
      const steps = [
        ...spansOf(ask).flatMap(({ from, to }) => periods.map((each) => () => readSeries(run, ask, each, from, to))),
        ...singleDays(ask).map((day) => () => readSums(run, day)),
      ]
      try {
        for (const step of steps) {
          await step().catch((error: unknown) => {
            if (!(error instanceof NetworkError) || endsAll(error) || error.kind === 'NOT_FOUND') throw error
            run.found.isRefused = true
          })
        }
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        run.found.error = error
      }
      return { ...run.found, days: [...run.days.values()] }
    },
  }
}

const later = (one: NetworkDay, other: NetworkDay): NetworkDay => (one > other ? one : other)
const secondsOf = (day: NetworkDay) => String(pacificDays.startOf(day).getTime() / 1000)
