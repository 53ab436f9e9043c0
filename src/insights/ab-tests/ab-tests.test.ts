import type { JobName } from '../../core/platform/job-names.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import type { Page } from '../../core/platform/cursor.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { addJob } from '../../../test/jobs.ts'
import {
  call,
  connectPages,
  eventually,
  newPerson,
  type Person,
  untilStatus,
  untilClockKnown,
} from '../../../test/world.ts'
import { long, sized } from '../../../test/tier.ts'
import type { ABBlock, ABTest, NewABTest } from './api.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const { product, sql, sandbox } = useProduct({ env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' }, own: true })
let ann: Person
let account: SocialAccount
let other: SocialAccount

beforeAll(async () => {
  ann = await newPerson(product.url)
  await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { timezone: 'UTC' })
  ;[account, other] = (await connectPages(ann)) as [SocialAccount, SocialAccount]
})

const wish = (name: string, over: Partial<NewABTest> = {}): NewABTest => ({
  name,
  accountId: account.id,
  kind: 'post',
  slot: 'weekday-08',
  trait: 'question',
  a: 'with a question',
  b: 'without one',
  blocks: 8,
  ...over,
})
const create = (name: string, over: Partial<NewABTest> = {}) => ann.must<ABTest>('POST', '/ab-tests', wish(name, over))
const get = ({ id }: Pick<ABTest, 'id'>) => ann.must<ABTest>('GET', `/ab-tests/${id}`)
const fill = ({ id }: Pick<ABTest, 'id'>, n: number, body: object) =>
  ann.call('PUT', `/ab-tests/${id}/blocks/${n}`, body)

async function now(): Promise<number> {
  const { rows } = await sql.query<{ now: Date }>('select app_now() as now')
  return rows[0]!.now.getTime()
}
async function pass(milliseconds: number): Promise<void> {
  await call(sandbox.url, 'POST', '/clock', { advanceMs: milliseconds })
  await sql.query('update app_clock set shift = shift + make_interval(secs => $1::float8 / 1000)', [milliseconds])
  await untilClockKnown(sql, ann)
}
/** Returns Monday of the week after next, at the given hour. */
async function monday(hour: number): Promise<number> {
  const today = Math.floor((await now()) / DAY)
  return (today - ((today + 3) % 7) + 14) * DAY + hour * HOUR
}
const schedule = (at: number, caption: string, over: object = {}) =>
  ann.must<Post>('POST', '/posts', {
    caption,
    targets: [account.id],
    action: 'schedule',
    scheduledAt: new Date(at).toISOString(),
    ...over,
  })
const faultsOf = async (answer: ReturnType<typeof fill>) => {
  const { status, body } = await answer
  return [
    status,
    ...((body as { errors?: { path: string; code: string }[] }).errors ?? []).map(
      ({ path, code }) => `${path} ${code}`,
    ),
  ]
}
async function run(name: JobName, id: string, data: object): Promise<void> {
  const key = `${name === 'ab-test-check' ? 'ab-test' : 'sync'}:${id}`
  await addJob(sql, name, data, { workspaceId: ann.workspaceId, key })
  await eventually(async () => {
    const { rows } = await sql.query<{ error: string | null; waits: boolean }>(
      'select last_error as error, run_at > now() as waits from graphile_worker.jobs where key = $1',
      [key],
    )
    if (rows[0]?.error) throw new Error(rows[0].error)
    return rows.every(({ waits }) => waits)
  })
}
const check = ({ id }: ABTest) => run('ab-test-check', id, { testId: id })

test('a test is planned with a coin flip for each block, and can be listed, changed by version and deleted', async () => {
  const made = await create('Questions')
  expect(made.blocks).toHaveLength(8)
  for (const { first, second } of made.blocks) expect([first.variant, second.variant].toSorted()).toEqual(['A', 'B'])
  expect(made).toMatchObject({ state: 'draft', result: null, version: 1, platform: 'NET_PAGE' })
  expect((await ann.must<Page<ABTest>>('GET', '/ab-tests')).data[0]).toEqual(made)
  expect(await ann.call('POST', '/ab-tests', wish('questions'))).toMatchObject({
    status: 409,
    body: { code: 'name_taken' },
  })
  expect(await ann.call('POST', '/ab-tests', wish('Few', { blocks: 7 }))).toMatchObject({ status: 422 })
  const changed = await ann.must<ABTest>('PATCH', `/ab-tests/${made.id}`, { slot: 'weekend-12', version: 1 })
  expect(changed).toMatchObject({ slot: 'weekend-12', version: 2, blocks: made.blocks })
  expect(await ann.must<ABTest>('POST', `/ab-tests/${made.id}/start`)).toMatchObject({ state: 'running' })
  expect(await ann.call('PATCH', `/ab-tests/${made.id}`, { slot: 'weekday-08' })).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current: 'running' },
  })
  expect(await ann.must<ABTest>('PATCH', `/ab-tests/${made.id}`, { name: 'Asking' })).toMatchObject({ name: 'Asking' })
  for (const act of ['start', 'delete'] as const)
    expect(
      await (act === 'start'
        ? ann.call('POST', `/ab-tests/${made.id}/start`)
        : ann.call('DELETE', `/ab-tests/${made.id}`)),
    ).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  expect(await ann.must<ABTest>('POST', `/ab-tests/${made.id}/stop`)).toMatchObject({ state: 'stopped', result: null })
  expect(await ann.call('DELETE', `/ab-tests/${made.id}`)).toMatchObject({ status: 204 })
  expect(await ann.call('GET', `/ab-tests/${made.id}`)).toMatchObject({ status: 404 })
})

test('a coin decides the order: over many blocks each variant comes first about as often', async () => {
  const tests = await Promise.all([1, 2, 3, 4, 5].map((n) => create(`Coins ${n}`, { blocks: 20 })))
  const heads = tests.flatMap(({ blocks }) => blocks).filter(({ first }) => first.variant === 'A').length
  expect(heads).toBeGreaterThan(25)
  expect(heads).toBeLessThan(75)
})

test('a block accepts only posts that fit and are not live', async () => {
  const made = await create('Fitting')
  const at = await monday(9)
  const good = await schedule(at, 'One?')
  const next = await schedule(at + 7 * DAY, 'One.')
  expect(await faultsOf(fill(made, 9, { firstPostId: good.id }))).toEqual([404])
  expect(await fill(made, 1, { firstPostId: good.id })).toMatchObject({
    status: 200,
    body: { n: 1, first: { postId: good.id } },
  })
  // The answer can be sent back with a change. Its read-only fields are ignored, unless they differ.
  const [block] = (await get(made)).blocks
  expect(await fill(made, 1, { ...block, firstPostId: good.id })).toMatchObject({ status: 200, body: block })
  expect(await faultsOf(fill(made, 1, { ...block, ratio: 2 }))).toEqual([422, '/ratio read_only'])
  expect(await faultsOf(fill(made, 1, { ...block, second: block!.first }))).toEqual([422, '/second read_only'])
  expect(await faultsOf(fill(made, 2, { firstPostId: good.id }))).toEqual([422, '/firstPostId already_used'])
  expect(await faultsOf(fill(made, 1, { secondPostId: good.id }))).toEqual([422, '/secondPostId other_week'])
  const late = await schedule(at + 4 * HOUR, 'Two?')
  expect(await faultsOf(fill(made, 2, { firstPostId: late.id }))).toEqual([422, '/firstPostId other_slot'])
  const theirs = await schedule(at, 'Three?', { targets: [other.id] })
  expect(await faultsOf(fill(made, 2, { firstPostId: theirs.id }))).toEqual([422, '/firstPostId other_account'])
  const draft = await ann.must<Post>('POST', '/posts', { caption: 'Four?', targets: [account.id] })
  expect(await faultsOf(fill(made, 2, { firstPostId: draft.id }))).toEqual([422, '/firstPostId not_scheduled'])
  const same = await schedule(at + DAY, 'Five.')
  expect(await faultsOf(fill(made, 1, { secondPostId: same.id }))).toEqual([422, '/secondPostId other_week'])
  expect((await get(made)).blocks[0]!.second.postId).toBeNull()
  expect(await fill(made, 1, { secondPostId: next.id })).toMatchObject({ status: 200 })
  // The conditions are fixed once a block has a post.
  expect(await ann.call('PATCH', `/ab-tests/${made.id}`, { kind: 'reel' })).toMatchObject({ status: 409 })
  const live = await ann.must<Post>('POST', '/posts', { caption: 'Six?', targets: [account.id], action: 'publish' })
  await untilStatus(ann, live.id, ['PUBLISHED'])
  expect(await fill(made, 3, { firstPostId: live.id })).toMatchObject({
    status: 409,
    body: { code: 'already_published' },
  })
  await ann.must('POST', `/posts/${good.id}/publish`)
  await untilStatus(ann, good.id, ['PUBLISHED'])
  expect(await fill(made, 1, { firstPostId: null })).toMatchObject({ status: 409, body: { code: 'already_published' } })
  await ann.must('POST', `/posts/${next.id}/cancel`)
  for (const { id } of [late, theirs, same]) await ann.must('POST', `/posts/${id}/cancel`)
})

test('the form shows in advance which differences a test can find', async () => {
  const plan = (blocks: number) =>
    ann.must<{ sigma: number; n: number; effects: { ratio: number; power: number }[] }>('POST', '/ab-tests/power', {
      accountId: account.id,
      kind: 'post',
      blocks,
    })
  const [few, many] = [await plan(8), await plan(20)]
  expect(few).toMatchObject({ sigma: 0.7, n: 0 })
  few.effects.forEach(({ ratio, power }, index) => {
    expect(many.effects[index]).toMatchObject({ ratio })
    expect(many.effects[index]!.power).toBeGreaterThanOrEqual(power)
  })
})

test('the sweep checks a running test once a day, and again after a check that failed for good', async () => {
  const [running, draft] = [await create('Swept'), await create('Not begun')]
  await ann.must('POST', `/ab-tests/${running.id}/start`)
  const sweep = async () => {
    await addJob(sql, 'ab-test-check', {})
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `select from graphile_worker.jobs where task_identifier = 'ab-test-check' and attempts < max_attempts`,
      )
      return rowCount === 0
    })
    const { rows } = await sql.query<{ at: Date | null }>(
      'select checked_at as at from ab_test where id = any ($1) order by id',
      [[running.id, draft.id]],
    )
    return rows.map(({ at }) => at?.getTime() ?? null)
  }
  expect(await sweep()).toEqual([null, null])
  await pass(DAY + HOUR)
  // The last check has used up its tries.
  await sql.query(
    `select graphile_worker.add_job('ab-test-check', $1::json, job_key => $2, run_at => now() + '1 hour')`,
    [JSON.stringify({ workspaceId: ann.workspaceId, data: { testId: running.id } }), `ab-test:${running.id}`],
  )
  await sql.query(`update graphile_worker._private_jobs set attempts = max_attempts where key = $1`, [
    `ab-test:${running.id}`,
  ])
  const [first, notBegun] = await sweep()
  expect([typeof first, notBegun]).toEqual(['number', null])
  expect(await sweep()).toEqual([first, null])
  await pass(DAY)
  expect((await sweep())[0]).toBeGreaterThan(first!)
  // The result of a pair is hidden while others are open, and forever if the test never ends.
  await sql.query('update ab_block set ratio = 2 where test_id = $1', [running.id])
  expect(new Set((await get(running)).blocks.map(({ ratio }) => ratio))).toEqual(new Set([null]))
  const stopped = await ann.must<ABTest>('POST', `/ab-tests/${running.id}/stop`)
  expect(stopped.blocks[0]!.ratio).toBeNull()
  await check(running)
  expect(await get(running)).toMatchObject({ state: 'stopped', result: null })
})

test('a test is judged again if a block loses its post meanwhile', async () => {
  const made = await create('Changed')
  const { id } = await ann.must<Post>('POST', '/posts', { caption: 'Gone', targets: [account.id] })
  await ann.must('DELETE', `/posts/${id}`)
  // All blocks are decided, because their post is lost.
  await sql.query('update ab_block set first_post_id = $2, second_post_id = $2 where test_id = $1', [made.id, id])
  await ann.must('POST', `/ab-tests/${made.id}/start`)
  const other = await sql.connect()
  try {
    // Someone removes a post from a block, which locks the test, while the check wants to lock it too.
    await other.query('begin')
    await other.query('select from ab_test where id = $1 for update', [made.id])
    const checking = check(made)
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rowCount === 1
    })
    await other.query('update ab_block set second_post_id = null where test_id = $1 and n = 1', [made.id])
    await other.query('commit')
    await checking
  } finally {
    other.release(true)
  }
  expect(await get(made)).toMatchObject({ state: 'running', result: null })
  await sql.query('update ab_block set second_post_id = $2 where test_id = $1', [made.id, id])
  await check(made)
  expect(await get(made)).toMatchObject({ state: 'done', result: { verdict: 'too_few_blocks', n: 0 } })
})

const lost = [
  ['that failed when it was published now', { status: 'FAILED', target: 'FAILED' }],
  ['that was taken off the schedule', { status: 'DRAFT', target: 'PENDING' }],
  ['whose outcome nobody settled', { status: 'FAILED', target: 'UNCONFIRMED' }],
] as const

test.each(long ? lost : lost.slice(0, 1))(
  'a block with a post %s is dropped a week later',
  async (_, { status, target }) => {
    const made = await create(`Lost ${status} ${target}`)
    const at = await monday(9)
    const texts = made.blocks[0]!.first.variant === 'A' ? ['Lost?', 'Lost.'] : ['Lost.', 'Lost?']
    const first = await schedule(at, `${status} ${target} ${texts[0]}`)
    const second = await schedule(at + 7 * DAY, `${status} ${target} again ${texts[1]}`)
    const pair = { firstPostId: first.id, secondPostId: second.id }
    expect((await fill(made, 1, pair)).status).toBe(200)
    await ann.must('POST', `/ab-tests/${made.id}/start`)
    const dropped = async () => {
      await check(made)
      const { rows } = await sql.query<{ dropped: string | null }>(
        'select dropped from ab_block where test_id = $1 and n = 1',
        [made.id],
      )
      return rows[0]!.dropped
    }
    await sql.query('update delivery set state = $2, due_at = null, next_at = null where post_id = $1', [
      first.id,
      target,
    ])
    await sql.query('update post set status = $2, scheduled_at = null, updated_at = app_now() where id = $1', [
      first.id,
      status,
    ])
    expect(await dropped()).toBeNull()
    await sql.query(`update post set updated_at = app_now() - interval '8 days' where id = $1`, [first.id])
    expect(await dropped()).toBe('failed')
  },
)

describe('a whole test', () => {
  test('hides results until all blocks are in, drops a post that failed, and then names the better variant', async () => {
    const made = await create('Whole')
    const at = await monday(9)
    const posts: { first: Post; second: Post }[] = []
    for (const { n, first } of made.blocks) {
      const [one, two] = first.variant === 'A' ? ['?', '.'] : ['.', '?']
      const minute = at + n * 60_000
      const pair = {
        first: await schedule(minute, `Coffee ${n}${one}`),
        second: await schedule(minute + 7 * DAY, `Coffee ${n}${two} Again`.replace(`${two} Again`, ` again${two}`)),
      }
      posts.push(pair)
      expect(await fill(made, n, { firstPostId: pair.first.id, secondPostId: pair.second.id })).toMatchObject({
        status: 200,
      })
    }
    await ann.must('POST', `/ab-tests/${made.id}/start`)
    // The last block loses its second post.
    await ann.must('DELETE', `/posts/${posts[7]!.second.id}`)
    await pass(at + 10 * 60_000 - (await now()))
    for (const { first } of posts) await untilStatus(ann, first.id, ['PUBLISHED'], 120_000)
    await pass(7 * DAY)
    for (const { second } of posts.slice(0, 7)) await untilStatus(ann, second.id, ['PUBLISHED'], 120_000)
    await run('analytics-sync', account.id, { accountId: account.id })
    await check(made)
    const between = await get(made)
    expect(between).toMatchObject({ state: 'running', result: null })
    for (const { ratio } of between.blocks) expect(ratio).toBeNull()
    for (const days of sized(
      [7, 1],
      Array.from({ length: 8 }, () => 1),
    )) {
      await pass(days * DAY)
      await sql.query('delete from network_call')
      await run('analytics-sync', account.id, { accountId: account.id })
    }
    await check(made)
    const done = await get(made)
    expect(done).toMatchObject({ state: 'done', result: { n: 7 } })
    expect(done.blocks.map(({ dropped }) => dropped)).toEqual([...Array.from({ length: 7 }, () => null), 'failed'])
    const ratios = done.blocks.slice(0, 7).map(({ ratio }) => ratio!)
    expect(done.result!.ratio).toBeCloseTo(Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / 7), 2)
    expect(done.result!.low).toBeLessThan(done.result!.ratio!)
    expect(done.result!.high).toBeGreaterThan(done.result!.ratio!)
    const before: ABBlock[] = done.blocks
    await check(made)
    expect((await get(made)).blocks).toEqual(before)
  })
})
