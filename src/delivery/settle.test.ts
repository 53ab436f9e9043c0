import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { eventually } from '../../test/world.ts'
import { createClock } from '../core/platform/clock.ts'
import { openPool, type Query } from '../core/platform/db.ts'
import type { Event } from '../core/platform/events.ts'
import { createLog } from '../core/platform/log.ts'
import { type AcrossReason, createScopes, type Scopes } from '../core/platform/scope.ts'
import { postDriver, postSchedule } from '../publishing/sending/post.ts'
import { Lost } from './deliveries.ts'
import { isClaimedElsewhere, type Live, recordRemotePost, settleAlone, settleLive } from './settle.ts'
import { errorFor, type FencedRow, liveVerdict, type Verdict } from './rules.ts'
import { settleOutcome } from './worker.ts'
import { subscribers } from '../subscribers.ts'

// Live deliveries are settled in batches if nothing else depends on them, with the same result as one by one.

let database: TestDatabase
let sql: pg.Pool
let pool: pg.Pool
let scopes: Scopes
const told: { workspaceId: string; event: Event }[] = []
const events = { publish: (workspaceId: string, event: Event) => void told.push({ workspaceId, event }) }

beforeAll(async () => {
  database = await freshDatabase()
  sql = new pg.Pool({ connectionString: database.url, max: 10 })
  pool = openPool(database.url, 10, (error) => console.error(error))
  scopes = createScopes({ pool, events, clock: createClock(), log: createLog('silent'), subscribers })
})
afterAll(async () => {
  await pool?.end()
  await sql?.end()
  await database?.drop()
})
beforeEach(() => void (told.length = 0))

type Target = Live & FencedRow

/** Later than every try of this file, and less than a day ahead. */
const LIVE_AT = new Date(Date.now() + 3_600_000)

/** A post of a separate workspace, whose first target was just sent and is known to be live. */
async function sent(targets = 1): Promise<Target> {
  const [workspaceId, postId] = [randomUUID(), randomUUID()]
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspaceId])
  await sql.query(
    `insert into post (workspace_id, id, caption, status, scheduled_at) values ($1, $2, 'text', 'PUBLISHING', now())`,
    [workspaceId, postId],
  )
  const { rows } = await sql.query<{ id: string }>(
    `with account as (
       insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
       select $1, gen_random_uuid(), 'NET_PAGE', 'page-' || n, 'person', 'page', 'CONNECTED', now() from generate_series(1, $3) n
       returning id, substr(external_id, 6)::int as n)
     insert into publication (workspace_id, id, post_id, account_id, position, due_at, state, phase, fence, tries, intent_at,
       next_at, lease_until, error)
     select $1, gen_random_uuid(), $2, id, n, now(), case n when 1 then 'SUBMITTING' else 'PENDING' end,
       case n when 1 then 'commit' end, 3, 1, case n when 1 then now() end, case n when 1 then now() + interval '1 minute' end,
       case n when 1 then now() + interval '1 minute' end, '{"code": "transient"}'
     from account order by n returning id`,
    [workspaceId, postId, targets],
  )
  const live = {
    externalId: `page_${randomUUID()}`,
    permalink: 'https://example.test/1',
    publishedAt: LIVE_AT,
  }
  return { workspaceId, subjectId: postId, id: rows[0]!.id, fence: 3, state: 'SUBMITTING', ...live }
}

/** Everything that a settlement may change, with names instead of ids, and whether current times are current. */
async function found({ workspaceId, subjectId: postId, id, externalId }: Target): Promise<unknown> {
  const recent = (column: string) => `${column} > now() - interval '1 minute' as ${column}`
  const all = await Promise.all([
    sql.query(
      `select status, published_at, version, ${recent('updated_at')} from post where workspace_id = $1 order by id = $2 desc, id`,
      [workspaceId, postId],
    ),
    sql.query(
      `select state, phase, dropped_at is not null as dropped, fence, tries, next_at is null as resting, turn, lease_until is null as free,
         wait_reason, external_id, permalink, published_at, error, ${recent('updated_at')}
       from publication where workspace_id = $1 order by position`,
      [workspaceId],
    ),
    sql.query(
      `select actor_kind, actor_id, action, object, detail, ip, request_id, ${recent('at')} from audit_entry where workspace_id = $1`,
      [workspaceId],
    ),
    sql.query(`select state, content from delivery where workspace_id = $1 and kind = 'comment'`, [workspaceId]),
  ])
  const text = JSON.stringify([
    all.map(({ rows }) => rows as unknown[]),
    told.filter((each) => each.workspaceId === workspaceId),
  ])
  const names = { [workspaceId]: 'workspace', [postId]: 'post', [id]: 'publication', [externalId]: 'live' }
  return JSON.parse(Object.entries(names).reduce((named, [value, name]) => named.replaceAll(value, name), text))
}

const scopeOf = ({ workspaceId }: Target) => scopes.scope(workspaceId, { kind: 'system', name: 'publisher' })

const together = (lives: Live[]) => settleLive({ scopes, events, bulk: postSchedule.bulk }, lives)

/** Settles a live delivery as a worker does. */
const publish = (
  target: Target,
  settleTogether: (live: Live) => Promise<boolean>,
  otherwise?: { row: FencedRow; verdict: Verdict },
) =>
  settleOutcome(
    scopeOf(target),
    { driver: postDriver, settleLive: settleTogether },
    { row: target, verdict: liveVerdict(target, new Date()), ...(otherwise && { otherwise }) },
  )

const alone = (target: Target) => publish(target, async () => false)

interface Case {
  what: string
  /** A change after it was sent; $1 is its workspace. */
  meanwhile?: string
  targets?: number
}

const fast: Case[] = [
  { what: 'that is unchanged' },
  {
    what: 'whose lease was renewed',
    meanwhile: `update publication set lease_until = now() + interval '1 hour' where workspace_id = $1`,
  },
  {
    what: 'of a post that was live before',
    meanwhile: `update post set published_at = '2026-01-01' where workspace_id = $1`,
  },
]

const slow: Case[] = [
  { what: 'that was taken over', meanwhile: 'update publication set fence = fence + 1 where workspace_id = $1' },
  {
    what: 'that was judged absent',
    meanwhile: `update publication set state = 'PENDING', phase = null, lease_until = null where workspace_id = $1`,
  },
  {
    what: 'that is already live under another id',
    meanwhile: `update publication set state = 'PUBLISHED', phase = null, next_at = null, lease_until = null, external_id = 'other'
      where workspace_id = $1`,
  },
  { what: 'next to an open target', targets: 2 },
  {
    what: 'next to a failed target',
    targets: 2,
    meanwhile: `update publication set state = 'FAILED' where workspace_id = $1 and position = 2`,
  },
  {
    what: 'next to a live target',
    targets: 2,
    meanwhile: `update publication set state = 'PUBLISHED', external_id = 'x', published_at = '2026-10-01' where workspace_id = $1 and position = 2`,
  },
  {
    what: 'that was dropped from its post',
    meanwhile: 'update publication set dropped_at = now() where workspace_id = $1',
  },
  { what: 'of a cancelled post', meanwhile: `update post set status = 'DRAFT' where workspace_id = $1` },
  {
    what: 'of a post that was rescheduled',
    meanwhile: `update post set status = 'SCHEDULED' where workspace_id = $1`,
  },
  { what: 'of a failed post', meanwhile: `update post set status = 'FAILED' where workspace_id = $1` },
  {
    what: 'with a pending first comment',
    meanwhile: `update post set platform_options = '{"NET_PAGE": {"firstComment": "Hello"}}' where workspace_id = $1`,
  },
]

async function made({ targets, meanwhile }: Case): Promise<Target> {
  const target = await sent(targets)
  if (meanwhile) await sql.query(meanwhile, [target.workspaceId])
  return target
}

test('a batch settles targets that are still as they were sent, and leaves all others unchanged', async () => {
  const targets = await Promise.all([...fast, ...slow].map((each) => made(each)))
  const before = await Promise.all(targets.map(found))
  expect(await together(targets)).toEqual([...fast.map(() => true), ...slow.map(() => false)])
  const after = await Promise.all(targets.map(found))
  expect(after.slice(fast.length)).toEqual(before.slice(fast.length))
  for (const each of after.slice(0, fast.length)) {
    expect(each).toMatchObject([
      [
        [{ status: 'PUBLISHED', updated_at: true }],
        [{ state: 'PUBLISHED', phase: null, fence: 4, resting: true, free: true, external_id: 'live', error: null }],
        [
          {
            actor_kind: 'system',
            action: 'publication.published',
            object: { postId: 'post', publicationId: 'publication' },
          },
        ],
        [],
      ],
      [{ workspaceId: 'workspace', event: { kind: 'post', id: 'post' } }],
    ])
  }
})

test.each([...fast, ...slow])('a live target $what ends in a batch as it does alone', async (each) => {
  const [one, another] = [await made(each), await made(each)]
  await publish(one, async (live) => (await together([live]))[0] ?? false)
  await alone(another)
  expect(await found(one)).toEqual(await found(another))
})

test('an id of another publication fails only the batch: each target is then settled alone and published once', async () => {
  const [fine, taken] = [await sent(), await sent(2)]
  await sql.query('update publication set external_id = $2 where workspace_id = $1 and position = 2', [
    taken.workspaceId,
    taken.externalId,
  ])
  // Both targets have the same account, so they cannot both have the id.
  await sql.query(
    `with account as (select id from social_account where workspace_id = $1 and external_id = 'page-1'),
       post as (insert into post (workspace_id, id, status) values ($1, gen_random_uuid(), 'PUBLISHED') returning id)
     update publication t set post_id = post.id, account_id = account.id from account, post where t.workspace_id = $1 and t.position = 2`,
    [taken.workspaceId],
  )
  const before = [await found(fine), await found(taken)]
  await expect(together([fine, taken])).rejects.toSatisfy(isClaimedElsewhere)
  expect([await found(fine), await found(taken)]).toEqual(before)
  const both = () => together([fine, taken]).then(() => true)
  await publish(fine, both)
  expect(await found(fine)).toMatchObject([[[{ status: 'PUBLISHED' }], [{ state: 'PUBLISHED' }], [{}], []], [{}]])
  await expect(publish(taken, both)).rejects.toSatisfy(isClaimedElsewhere)
  // The alternative that the step found for this case is settled instead.
  const unnamed: Verdict = { state: 'PUBLISHED', externalId: null, permalink: null, publishedAt: LIVE_AT }
  await publish(taken, both, { row: taken, verdict: unnamed })
  await recordRemotePost(scopeOf(taken), postDriver, taken, { ...unnamed, externalId: 'page_found' })
  const { rows } = await sql.query('select state, external_id from publication where id = $1', [taken.id])
  expect(rows).toEqual([{ state: 'PUBLISHED', external_id: 'page_found' }])
  const { rowCount } = await sql.query(
    `select from audit_entry where workspace_id = $1 and action = 'publication.published'`,
    [taken.workspaceId],
  )
  expect(rowCount).toBe(1)
})

test('a partly live post takes the time of its last live target, also of one that is found later', async () => {
  const post = await sent(3)
  const { rows } = await sql.query<{ id: string }>(
    `update publication set state = case position when 2 then 'UNCONFIRMED' else 'FAILED' end, intent_at = now()
      where workspace_id = $1 and position > 1 returning id`,
    [post.workspaceId],
  )
  const times = async () => {
    const { rows: found } = await sql.query<{ happens_at: Date; published_at: Date | null }>(
      'select happens_at, published_at from post where workspace_id = $1',
      [post.workspaceId],
    )
    return found[0]!
  }
  const find = (id: string, publishedAt: Date) =>
    recordRemotePost(
      scopeOf(post),
      postDriver,
      { subjectId: post.subjectId, id },
      { state: 'PUBLISHED', externalId: `page_${randomUUID()}`, permalink: null, publishedAt },
    )
  await alone(post)
  expect(await times()).toEqual({ happens_at: LIVE_AT, published_at: null })
  const later = new Date(LIVE_AT.getTime() + 60_000)
  await find(rows[0]!.id, later)
  expect(await times()).toEqual({ happens_at: later, published_at: null })
  // The last one went live before the others.
  await find(rows[1]!.id, new Date(LIVE_AT.getTime() - 60_000))
  expect(await times()).toEqual({ happens_at: later, published_at: later })
})

test('after a failed intent a delivery is settled in its actual state, and a lost one is not settled', async () => {
  const [target, lost] = [await sent(), await sent()]
  await sql.query('update publication set fence = fence + 1 where workspace_id = $1', [lost.workspaceId])
  const outcomeOf = (row: Target) => ({
    row: { ...row, state: 'PREPARING' as const },
    verdict: { state: 'FAILED' as const, error: errorFor('missed') },
    otherwise: { row, verdict: { state: 'SUBMITTING' as const, phase: 'commit' as const, nextAt: LIVE_AT } },
  })
  const ports = { driver: postDriver, settleLive: async () => false }
  await settleOutcome(scopeOf(target), ports, outcomeOf(target))
  expect(await found(target)).toMatchObject([
    [[{ status: 'PUBLISHING' }], [{ state: 'SUBMITTING', fence: 4 }], [], []],
    [{}],
  ])
  const before = await found(lost)
  await expect(settleOutcome(scopeOf(lost), ports, outcomeOf(lost))).rejects.toBeInstanceOf(Lost)
  expect(await found(lost)).toEqual(before)
})

test.each([
  ['is paused', 'paused_at = now()', true],
  ['must be reconnected', `status = 'RECONNECT_NEEDED'`, true],
  ['was resumed in between', 'paused_at = null', false],
  ['was disconnected in between', `status = 'DISCONNECTED', access_token = null`, false],
])('a delivery waits for its account only if necessary: the account %s', async (_what, change, waits) => {
  const target = await sent()
  const { workspaceId } = target
  await sql.query(
    `update publication set state = 'PREPARING', phase = null, tries = 0, intent_at = null where workspace_id = $1`,
    [workspaceId],
  )
  await sql.query(`update social_account set ${change} where workspace_id = $1`, [workspaceId])
  const row = { ...target, state: 'PREPARING' as const }
  const verdict = { state: 'PENDING' as const, nextAt: LIVE_AT, waitReason: 'account_paused' as const }
  expect(await settleAlone(scopeOf(target), postDriver, row, verdict)).toBe('settled')
  const { rows } = await sql.query<{ due: boolean; waitReason: string | null }>(
    `select next_at <= app_now() as due, wait_reason as "waitReason" from publication where workspace_id = $1`,
    [workspaceId],
  )
  expect(rows).toEqual([{ due: !waits, waitReason: waits ? 'account_paused' : null }])
})

describe('concurrently', () => {
  test.each(['post', 'publication'])('a locked %s is skipped without waiting', async (table) => {
    const [held, free] = [await sent(), await sent()]
    const other = await sql.connect()
    await other.query('begin')
    await other.query(`select from ${table} where workspace_id = $1 for update`, [held.workspaceId])
    // A statement that waited for the lock would be cut off, and throw.
    expect(await together([held, free])).toEqual([false, true])
    await other.query('commit')
    other.release()
  })

  test('a change after a batch has started is taken into account', async () => {
    const [taken, cancelled, renewed, fine] = [await sent(), await sent(), await sent(), await sent()]
    const slowed = {
      ...scopes,
      ask: <R>(why: AcrossReason, statement: Query<R>) => {
        const { sql: text, parameters } = statement.compile()
        const slow = text.replace('from json_to', 'from (select pg_sleep(1) offset 0) begun cross join json_to')
        return scopes.ask<R>(why, { compile: () => ({ sql: slow, parameters }) })
      },
    }
    const settling = settleLive({ scopes: slowed, events, bulk: postSchedule.bulk }, [taken, cancelled, renewed, fine])
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      )
      return rowCount === 1
    })
    for (const [change, { workspaceId }] of [
      ['update publication set fence = fence + 1 where workspace_id = $1', taken],
      [`update post set status = 'DRAFT' where workspace_id = $1`, cancelled],
      [`update publication set lease_until = now() + interval '1 hour' where workspace_id = $1`, renewed],
    ] as const) {
      await sql.query(change, [workspaceId])
    }
    expect(await settling).toEqual([false, false, true, true])
  })

  test('a target goes either to a batch or to a worker that takes it over', async () => {
    const targets = await Promise.all(Array.from({ length: 60 }, () => sent()))
    const winners: boolean[][] = []
    for (let at = 0; at < targets.length; at += 10) {
      const lives = targets.slice(at, at + 10)
      const taking = lives.map(async ({ workspaceId, id, fence }) => {
        const { rowCount } = await sql.query(
          `update publication set fence = fence + 1 where workspace_id = $1 and id = $2 and fence = $3 and state = 'SUBMITTING'`,
          [workspaceId, id, fence],
        )
        return rowCount === 1
      })
      const [settled, ...taken] = await Promise.all([together(lives), ...taking])
      winners.push(...settled.map((mine, i) => [mine, taken[i] ?? false]))
    }
    // Neither wins if both met at one row, which is then settled alone.
    expect(winners.filter(([mine, theirs]) => mine && theirs)).toEqual([])
    for (const [i, [mine, theirs]] of winners.entries()) {
      const { rows } = await sql.query('select state, fence from publication where workspace_id = $1', [
        targets[i]!.workspaceId,
      ])
      expect(rows).toEqual([mine ? { state: 'PUBLISHED', fence: 4 } : { state: 'SUBMITTING', fence: theirs ? 4 : 3 }])
    }
  })

  test('two batches with the same targets in another order do not wait for each other, and each target ends once', async () => {
    const lives = await Promise.all(Array.from({ length: 40 }, () => sent()))
    const began = Date.now()
    const [one, another] = await Promise.all([together(lives), together(lives.toReversed())])
    expect(Date.now() - began).toBeLessThan(4_000)
    expect(one.filter((mine, i) => mine === another.toReversed()[i])).toEqual([])
    const { rows } = await sql.query(
      `select from audit_entry where workspace_id = any ($1) and action = 'publication.published'`,
      [lives.map(({ workspaceId }) => workspaceId)],
    )
    expect(rows).toHaveLength(lives.length)
  })
})

test.each(['commit', 'confirm'] as const)(
  'undecided reads of %s are counted across steps, until one decides',
  async (phase) => {
    const target = await sent()
    const next = { state: 'SUBMITTING', phase, nextAt: new Date() } as const
    const count = async (verdict: Verdict) => {
      expect(await settleAlone(scopeOf(target), postDriver, target, verdict)).toBe('settled')
      // The next worker to claim it has the next fence.
      target.fence += 1
      const { rows } = await sql.query<{ reads: number; at: Date | null }>(
        'select late_reads as reads, late_read_at as at from publication where workspace_id = $1',
        [target.workspaceId],
      )
      return rows[0]
    }
    const at = new Date('2026-01-01T00:31:00Z')
    expect(await count({ ...next, late: { reads: 1, at } })).toEqual({ reads: 1, at })
    expect(await count({ ...next })).toEqual({ reads: 1, at })
    expect(await count({ ...next, late: { reads: 0, at: null } })).toMatchObject({ reads: 0 })
  },
)
