import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import pg from 'pg'
import { Temporal } from 'temporal-polyfill'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import {
  type Answer,
  eventually,
  newPerson,
  type Person,
  picture,
  type Problem,
  uploadPicture,
} from '../../../test/world.ts'
import { sized } from '../../../test/tier.ts'
import type { Quota } from '../../core/http/endpoint.ts'
import { createClock } from '../../core/platform/clock.ts'
import { openPool, query } from '../../core/platform/db.ts'
import { type Events, openEvents } from '../../core/platform/events.ts'
import { createLog } from '../../core/platform/log.ts'
import { createScopes, type Scopes, type Scope } from '../../core/platform/scope.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { giveBack, chargeReservation, reserveQuota, useQuota, useQuotaAtCommit } from './plans.ts'

const { product, sql, database } = useProduct({ env: { DEFAULT_PLAN: 'free' }, own: true })
let ann: Person

/** A workspace on the free plan: 30 posts a month. */
beforeEach(async () => {
  ann = await newPerson(product.url)
})

const post = <T = Problem>(body: object = { caption: 'a' }) => ann.call<T>('POST', '/posts', body)
const broken = () => ann.call<Problem>('POST', '/posts', '{', { 'content-type': 'application/json' })
const told = (answer: Answer<Problem>) => [answer.status, answer.body.code]

/** The used amount of a quota in its latest period. */
async function used(quota: Quota, workspaceId = ann.workspaceId): Promise<number> {
  const { rows } = await sql.query<{ used: string }>(
    'select used from workspace_usage where workspace_id = $1 and quota_id = $2 order by period desc limit 1',
    [workspaceId, quota],
  )
  return Number(rows[0]?.used)
}

/** Sets the used amount of a quota in its latest period. */
const use = (quota: Quota, amount: number, workspaceId = ann.workspaceId) =>
  sql.query(
    `update workspace_usage u set used = $3 where workspace_id = $1 and quota_id = $2 and period =
      (select max(period) from workspace_usage x where x.workspace_id = u.workspace_id and x.quota_id = u.quota_id)`,
    [workspaceId, quota, amount],
  )

describe('a quota', () => {
  test('with room for ten admits ten of many at once, and gives the others all the facts', async () => {
    await use('posts', 20)
    const answers = await Promise.all(Array.from({ length: sized(40, 200) }, () => post()))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10)
    const refused = answers.filter((answer) => answer.status !== 201)
    const nextMonth = Temporal.Now.zonedDateTimeISO('Europe/Berlin').with({ day: 1 }).startOfDay().add({ months: 1 })
    const resetsAt = new Date(nextMonth.epochMilliseconds).toISOString()
    expect(
      refused.map(({ body: { code, quota, limit, used, resetsAt } }) => [code, quota, limit, used, resetsAt]),
    ).toEqual(refused.map(() => ['quota_exceeded', 'posts', 30, 30, resetsAt]))
    expect(refused[0]?.status).toBe(402)
    expect(await used('posts')).toBe(30)
    const { rows } = await sql.query('select from post where workspace_id = $1', [ann.workspaceId])
    expect(rows).toHaveLength(10)
  })

  test('is charged once per creation and duplicate, and for nothing else; a deletion gives nothing back', async () => {
    const { body: made } = await post<Post>()
    expect(await used('posts')).toBe(1)
    await ann.must('PATCH', `/posts/${made.id}`, { caption: 'b' })
    await ann.must('POST', '/posts/validate', { caption: 'b' })
    await ann.must('DELETE', `/posts/${made.id}`)
    expect(await used('posts')).toBe(1)
    const { body: other } = await post<Post>()
    await ann.must('POST', `/posts/${other.id}/duplicate`)
    expect(await used('posts')).toBe(3)
  })

  test('is not charged for a refused creation', async () => {
    const refused = [
      await post({ targets: [randomUUID()] }),
      await post({ colour: 'red' }),
      await post({ caption: 'a', action: 'publish' }),
      await post({ caption: 'a', workspaceId: randomUUID() }),
      await broken(),
    ]
    expect(refused.map((answer) => answer.status)).toEqual([422, 422, 422, 422, 400])
    expect(await used('posts')).toBe(0)
  })

  test('that is used up stops only creation: existing posts can be edited and scheduled', async () => {
    const { body: made } = await post<Post>()
    await use('posts', 30)
    expect(told(await ann.call('POST', `/posts/${made.id}/duplicate`))).toEqual([402, 'quota_exceeded'])
    const edited = await ann.must<Post>('PATCH', `/posts/${made.id}`, { caption: 'b' })
    expect(edited.caption).toBe('b')
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
    expect(await ann.must('POST', `/posts/${made.id}/schedule`, { scheduledAt })).toMatchObject({ status: 'SCHEDULED' })
  })

  test('is checked before the body: without room, the faults of a post are not reported', async () => {
    await use('posts', 30)
    expect(told(await post({ colour: 'red' }))).toEqual([402, 'quota_exceeded'])
    expect(told(await broken())).toEqual([402, 'quota_exceeded'])
  })

  test('of bytes counts what is stored: a refused file takes none, a removed one gives its bytes back', async () => {
    const form = new FormData()
    form.append('file', new Blob(['<html>']), 'page.html')
    expect((await ann.call('POST', '/media', form)).status).toBe(415)
    expect(await used('media_bytes')).toBe(0)
    const bytes = await picture()
    const file = await uploadPicture(ann, bytes)
    expect(await used('media_bytes')).toBeGreaterThanOrEqual(bytes.length)
    await ann.must('DELETE', `/media/${file.id}`)
    await eventually(async () => (await used('media_bytes')) === 0)
  })

  test('of another workspace is not touched', async () => {
    const bea = await newPerson(product.url, 'Bea')
    await use('posts', 30)
    expect((await bea.call('POST', '/posts', { caption: 'a' })).status).toBe(201)
    expect([await used('posts'), await used('posts', bea.workspaceId)]).toEqual([30, 1])
  })
})

describe('a month', () => {
  /** Sets the product's clock. */
  async function setClock(at: Temporal.ZonedDateTime): Promise<void> {
    await sql.query('update app_clock set shift = $1::timestamptz - clock_timestamp()', [at.toInstant().toString()])
  }
  const to = (timezone: string) => ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { timezone })

  test('follows the workspace’s time zone; moving to a zone where it is over and back gives no second quota', async () => {
    const end = Temporal.Now.zonedDateTimeISO('UTC').with({ day: 1 }).startOfDay().add({ months: 2 })
    try {
      await to('UTC')
      await setClock(end.subtract({ hours: 4 }))
      await post()
      await use('posts', 30)
      expect(await post()).toMatchObject({
        status: 402,
        body: { resetsAt: new Date(end.epochMilliseconds).toISOString() },
      })

      await to('Etc/GMT+12') // the month ends later there
      expect(told(await post())).toEqual([402, 'quota_exceeded'])
      await to('Pacific/Kiritimati') // the new month has begun there, with its own quota
      expect((await post()).status).toBe(201)
      await use('posts', 30)
      await to('UTC') // back in the old month
      const afterNext = new Date(end.add({ months: 1 }).epochMilliseconds).toISOString()
      expect(await post()).toMatchObject({ status: 402, body: { used: 30, resetsAt: afterNext } })
      await setClock(end.add({ hours: 1 })) // the new month, whose quota is used up
      expect(await post()).toMatchObject({ status: 402, body: { used: 30, resetsAt: afterNext } })
      await setClock(end.add({ months: 1, hours: 1 }))
      expect((await post()).status).toBe(201)
    } finally {
      await sql.query(`update app_clock set shift = '0'`)
    }
  })
})

describe('a feature that the plan lacks', () => {
  test('is refused with the plans that include it, after the role and before the quota', async () => {
    await use('posts', 30)
    await sql.query(`delete from plan_feature where plan_id = 'free' and feature_id = 'publishing'`)
    try {
      const answer = await post()
      expect(told(answer)).toEqual([402, 'feature_not_in_plan'])
      expect([answer.body.feature, answer.body.plans]).toEqual(['publishing', ['pro', 'business']])
      await sql.query(`update member set role = 'VIEWER' where workspace_id = $1`, [ann.workspaceId])
      expect(told(await post())).toEqual([403, 'role_required'])
    } finally {
      await sql.query(`insert into plan_feature values ('free', 'publishing')`)
    }
  })

  test('comes with another plan on the next request, and so does a larger quota', async () => {
    await use('posts', 30)
    expect((await post()).status).toBe(402)
    await sql.query(`update subscription set plan_id = 'pro' where workspace_id = $1`, [ann.workspaceId])
    expect((await post()).status).toBe(201)
    await sql.query(`update subscription set plan_id = 'business' where workspace_id = $1`, [ann.workspaceId])
    await use('posts', 1_000_000)
    expect((await post()).status).toBe(201) // unlimited
    await sql.query(`update subscription set plan_id = 'free' where workspace_id = $1`, [ann.workspaceId])
    expect(await post()).toMatchObject({ status: 402, body: { limit: 30, used: 1_000_001 } }) // stays, but cannot grow
  })
})

describe('a reservation for a running call', () => {
  let pool: pg.Pool
  let events: Events
  let scopes: Scopes
  let scope: Scope

  beforeAll(async () => {
    const log = createLog('silent')
    pool = openPool(database.url, 10, () => undefined, { prepare: true })
    events = await openEvents(database.url, log)
    scopes = createScopes({ pool, events, clock: createClock(), log, subscribers: [] })
  })
  afterAll(async () => {
    await events?.close()
    await pool?.end()
  })
  /** The plan has 20 credits a month. */
  beforeEach(() => {
    scope = scopes.scope(ann.workspaceId, { kind: 'system', name: 'test' })
  })

  const setAside = (amount: number) => scope.transaction((tx) => reserveQuota(tx, 'ai_credits', amount))
  const take = (amount: number) => scope.transaction((tx) => useQuota(tx, 'ai_credits', amount))
  const exceeded = (seen: number) => ({ code: 'quota_exceeded', more: { quota: 'ai_credits', limit: 20, used: seen } })

  test('counts as used: of forty at once, as many pass as there is room for', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 40 }, () => setAside(1)))
    expect(tries.filter((each) => each.status === 'fulfilled')).toHaveLength(20)
    await expect(take(1)).rejects.toMatchObject(exceeded(20))
    expect(await used('ai_credits')).toBe(0)
  })

  test('never exceeds the limit together with plain use', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => (i % 2 ? setAside(1) : take(1))))
    expect(tries.filter((each) => each.status === 'fulfilled')).toHaveLength(20)
  })

  test('never exceeds the limit together with use at the commit', async () => {
    const atCommit = () => useQuotaAtCommit(scope, 'ai_credits', 1, (_tx, use) => use())
    const tries = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => (i % 2 ? setAside(1) : atCommit())))
    expect(tries.filter((each) => each.status === 'fulfilled')).toHaveLength(20)
    await expect(atCommit()).rejects.toMatchObject(exceeded(20))
  })

  test('does not wait for a transaction that uses the quota at its commit', async () => {
    await take(1)
    const lock = () =>
      sql.query('select from workspace_usage where workspace_id = $1 for update nowait', [ann.workspaceId])
    await useQuotaAtCommit(scope, 'ai_credits', 1, async (tx, use) => {
      await use()
      await tx.run(query`select 1`)
      expect((await lock()).rows.length).toBeGreaterThan(0)
    })
    expect(await used('ai_credits')).toBe(2)
    await scope.transaction(async (tx) => {
      await useQuota(tx, 'ai_credits', 1)
      await expect(lock()).rejects.toMatchObject({ code: '55P03' })
    })
  })

  test('counts for calls that waited while it was made', async () => {
    const marks = new EventEmitter()
    const [isSet, goOn] = [once(marks, 'set'), once(marks, 'on')]
    const setting = scope.transaction(async (tx) => {
      await reserveQuota(tx, 'ai_credits', 20)
      marks.emit('set')
      await goOn
    })
    await isSet
    const takers = [take(1), setAside(1)]
    const refused = expect(Promise.allSettled(takers)).resolves.toMatchObject([
      { reason: exceeded(20) },
      { reason: exceeded(20) },
    ])
    await eventually(async () => {
      const { rows } = await sql.query(`select from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database()`)
      return rows.length === 2
    })
    marks.emit('on')
    await setting
    await refused
  })

  test('is charged for the used part, and the rest is free again', async () => {
    const reservation = await setAside(20)
    await scope.transaction((tx) => chargeReservation(tx, reservation, 5))
    expect(await used('ai_credits')).toBe(5)
    await take(15)
    await expect(take(1)).rejects.toMatchObject(exceeded(20))
  })

  test('costs nothing if the call fails, or if its charge is rolled back', async () => {
    const reservation = await setAside(20)
    const undone = scope.transaction(async (tx) => {
      await chargeReservation(tx, reservation, 20)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await scope.transaction((tx) => chargeReservation(tx, reservation, 0))
    expect(await used('ai_credits')).toBe(0)
    await take(20)
  })

  test('lapses ten minutes after a crash, and a call that ends later is still charged', async () => {
    const forgotten = await setAside(12)
    const slow = await setAside(8)
    try {
      await sql.query(`update app_clock set shift = '9 minutes 50 seconds'`)
      await expect(take(1)).rejects.toMatchObject(exceeded(20))
      await sql.query(`update app_clock set shift = '10 minutes 1 second'`)
      await take(12)
      await scope.transaction((tx) => chargeReservation(tx, slow, 8))
      expect(await used('ai_credits')).toBe(20)
      await scope.transaction((tx) => chargeReservation(tx, forgotten, 0))
      expect(await used('ai_credits')).toBe(20)
    } finally {
      await sql.query(`update app_clock set shift = '0'`)
    }
  })

  test('of a stock: removed objects are given back, never below zero', async () => {
    const stock = (amount: number) => scope.transaction((tx) => giveBack(tx, 'social_accounts', amount))
    await scope.transaction((tx) => useQuota(tx, 'social_accounts', 3))
    await stock(1)
    expect(await used('social_accounts')).toBe(2)
    await stock(5)
    expect(await used('social_accounts')).toBe(0)
  })
})
