import { expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import type { Workspace } from '../../team/workspaces/api.ts'
import { DAY, HOUR, useFigures } from '../../../test/figures.ts'
import { long } from '../../../test/tier.ts'
import { addFault, call, untilClockKnown, uploadPicture, graphError } from '../../../test/world.ts'

// Two accounts over many days. Each reading happens on time.

/** Calls may take as long as a busy machine needs, because a call that is given up and repeated would count twice. */
const CALM = { TIME_SCALE: '4' }

const { sql, sandbox, person, pass, sync, truthAt, open, alone, readDaysToo, atNine, now, calls } = useFigures(
  6200,
  CALM,
)

const DAYS = 90
const TEN_MINUTES = 600_000
/**
 * This gives 200 posts in 90 days. No two of their readings in the first week are within ten minutes of each other or
 * of nine o'clock.
 */
const TIMES = ['08:20', '14:41', '17:03']
const timesOf = (day: number) => (day % 9 < 2 ? TIMES : TIMES.slice(0, 2))

interface Turn {
  account: SocialAccount
  publish(): Promise<unknown>
  /** Runs before each reading. */
  before?(time: { at: Date; share: number }): Promise<void>
}

/** Publishes and reads for `DAYS` days. Returns when the posts went live, and the calls of all readings. */
async function live({ account, publish, before }: Turn) {
  await atNine()
  const start = (await now()).getTime()
  const dayOf = (day: number) => new Date(start + day * DAY).toISOString().slice(0, 10)
  const times = Array.from({ length: DAYS }, (_, day) => day + 1)
    .flatMap((day) => timesOf(day).map((time) => Date.parse(`${dayOf(day)}T${time}:00Z`)))
    .toSorted((a, b) => a - b)
  const [first = start] = times
  const published: number[] = []
  let made = 0
  const read = async () => {
    await sql.query('delete from network_call')
    await sync(account)
    made += await calls(account)
  }
  await read()
  for (;;) {
    const { rows } = await sql.query<{ at: Date }>('select next_at as at from account_sync where account_id = $1', [
      account.id,
    ])
    const at = Math.min(rows[0]!.at.getTime(), times[0] ?? Infinity)
    if (at > start + (DAYS + 1) * DAY) return { published, made, start }
    const time = await now()
    await pass(Math.max(0, at - time.getTime()) + 200)
    if (at === times[0]) {
      await untilClockKnown(sql, person())
      await publish()
      published.push(times.shift()!)
    }
    await before?.({ at: new Date(at), share: (at - first) / (DAYS * DAY) })
    await read()
  }
}

interface Reading {
  externalId: string
  day: string
  readAt: Date
  values: Record<string, number | null>
}

async function readingsOf({ id }: SocialAccount): Promise<Reading[]> {
  const { rows } = await sql.query<Reading>(
    `select p.external_id as "externalId", m.day::text, m.read_at as "readAt", json_build_object('reach', m.reach,
        'impressions', m.impressions, 'likes', m.likes, 'comments', m.comments, 'shares', m.shares, 'saves', m.saves,
        'videoViews', m.video_views) as values
      from post_metric m join measured_post p on p.workspace_id = m.workspace_id and p.id = m.post_id
      where p.account_id = $1 order by m.read_at, p.external_id`,
    [id],
  )
  return rows
}

/**
 * Returns the calls for posts after their first week: each day at nine, one for the due posts that are adjacent in the
 * account's list.
 */
function laterCalls(published: readonly number[], start: number): number {
  let sum = 0
  for (let nine = start + DAY; nine <= start + (DAYS + 1) * DAY; nine += DAY) {
    const isDue = (at: number) =>
      [10, 14, 21, 30, 45, 60, 90].some((days) => at + days * DAY <= nine && at + days * DAY > nine - DAY)
    const newest = published.filter((at) => at < nine).toReversed()
    let listed = -Infinity
    newest.forEach((at, place) => {
      if (!isDue(at) || place < listed + 25) return
      listed = place
      sum += 1
    })
  }
  return sum
}

test.runIf(long)('the calls for a page match the formula, and every figure is what the network showed', async () => {
  const { account, publish } = await open('NET_PAGE')
  await alone(account)
  await sync(account)
  await readDaysToo(account)
  const { published, made, start } = await live({ account, publish })
  const nines = DAYS + 2
  const early = [0.25, 1, 3, 6, 12, 24, 48, 72, 96, 120, 144, 168].map((hours) => hours * HOUR)
  const end = start + (DAYS + 1) * DAY
  // Posts published at the same time of day are read together each day.
  const times = published.flatMap((at) => early.map((age) => at + age).filter((time) => time <= end))
  const first = new Set(times.map((time) => Math.round(time / TEN_MINUTES))).size
  // The account's days take three calls, and the list of its posts takes one.
  expect(made).toBe(4 * nines + first + laterCalls(published, start))
  const readings = await readingsOf(account)
  expect(new Set(readings.map(({ externalId }) => externalId)).size).toBe(published.length)
  for (const { externalId, readAt, values } of readings) {
    expect(values, externalId).toEqual(await truthAt(externalId, readAt.toISOString()))
  }
})

test.runIf(long)(
  'despite faults, a retired metric and a change of time zone, every figure is what the network showed, on its day',
  async () => {
    const { account, publish } = await open('NET_PHOTO', { media: [(await uploadPicture(person())).id] })
    await alone(account)
    await sync(account)
    await readDaysToo(account)
    const gone: Date[] = []
    let moved = new Date()
    let zone = 'Europe/Berlin'
    let turns = 0
    const faults = [
      { status: 503 },
      { drop: 'before' },
      { status: 400, body: graphError({ message: 'Too many calls', code: 4 }) },
    ]
    await live({
      account,
      publish,
      async before({ at, share }) {
        turns += 1
        if (gone.length < 2 && share >= [0.2, 0.35][gone.length]!) {
          await call(sandbox.url, 'POST', '/metrics', { gone: gone.length === 0 ? ['saved'] : [] })
          gone.push(at)
        }
        if (share >= 0.6 && zone !== 'America/New_York') {
          zone = 'America/New_York'
          moved = at
          await untilClockKnown(sql, person())
          await person().must<Workspace>('PATCH', `/workspaces/${person().workspaceId}`, { timezone: zone })
        }
        if (turns % 7 !== 0) return
        await call(sandbox.url, 'DELETE', '/faults')
        await addFault(sandbox.url, {
          match: { method: 'GET', network: 'NET_PHOTO' },
          do: faults[turns % 3]!,
          times: 1,
        })
      },
    })
    await call(sandbox.url, 'DELETE', '/faults')
    await call(sandbox.url, 'POST', '/metrics', {})
    const readings = await readingsOf(account)
    const isTriedAgain = new Date(gone[1]!.getTime() + 8 * DAY)
    const zones = new Set<string>()
    let unknown = 0
    for (const { externalId, day: of, readAt, values } of readings) {
      const { saves, ...truth } = await truthAt(externalId, readAt.toISOString())
      expect(values, externalId).toMatchObject(truth)
      if (values['saves'] === null) unknown += 1
      else expect(values['saves'], externalId).toBe(saves)
      if (values['saves'] === null) expect([readAt >= gone[0]!, readAt < isTriedAgain]).toEqual([true, true])
      const at = readAt < moved ? 'Europe/Berlin' : 'America/New_York'
      zones.add(at)
      expect(of, readAt.toISOString()).toBe(readAt.toLocaleDateString('sv', { timeZone: at }))
    }
    expect([zones.size, unknown > 0]).toEqual([2, true])
  },
)
