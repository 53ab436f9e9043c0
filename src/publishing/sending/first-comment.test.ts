import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { long, sized } from '../../../test/tier.ts'
import {
  addFault,
  call,
  connect,
  eventually,
  type LivePost,
  liveOn,
  newPerson,
  type Person,
  type Problem,
  skipWait,
  untilSentAgain,
  untilStatus,
  uploadPicture,
  graphError,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { FirstComment, Post } from '../posts/api.ts'

// The first comment below a live post. It is there once, whatever answers are lost, and its outcome never changes the
// post.

const { product, sandbox, sql, database } = useProduct({ env: FAST })
let users = 1400

type Commented = LivePost & { comments: { text: string }[] }

async function publish(platform: 'NET_PAGE' | 'NET_PHOTO', fault?: { do: object; times?: number; method?: string }) {
  const ann = await newPerson(product.url)
  const [account] = (await connect(ann, platform, `u${(users += 1)}`)) as [SocialAccount]
  // NET_PAGE needs no picture.
  const media = platform === 'NET_PAGE' ? [] : [(await uploadPicture(ann)).id]
  if (fault) {
    const prefix = platform === 'NET_PAGE' ? account.externalId : '/179\\d+'
    const match = { network: platform, method: fault.method ?? 'POST', path: `${prefix}[_\\d]*/comments` }
    await addFault(sandbox.url, { match, do: fault.do, ...(fault.times !== 0 && { times: fault.times ?? 1 }) })
  }
  const made = await ann.must<Post>('POST', '/posts', {
    caption: 'Look',
    platformOptions: { [platform]: { firstComment: ' More in our bio ' } },
    targets: [account.id],
    media,
    action: 'publish',
  })
  const post = await untilStatus(ann, made.id, ['PUBLISHED', 'FAILED'])
  expect(post.status).toBe('PUBLISHED')
  return { ann, account, post }
}

const read = async (ann: Person, { id }: Post) =>
  (await ann.must<Post>('GET', `/posts/${id}`)).publications[0]?.firstComment ?? null
const until = (ann: Person, post: Post, states: FirstComment['state'][]) =>
  eventually(async () => {
    const comment = await read(ann, post)
    return comment !== null && states.includes(comment.state) && comment
  })
/** As `until`, without the waits between tries and reads. Each read is still made when it is due. */
const untilHastened = (ann: Person, post: Post, states: FirstComment['state'][]) =>
  eventually(async () => {
    await skipWait(sql, post.id, 'comment')
    const comment = await read(ann, post)
    return comment !== null && states.includes(comment.state) && comment
  })
const commentsAt = async (account: SocialAccount) => {
  const [live] = ((await liveOn(sandbox.url)).get(account.externalId) ?? []) as Commented[]
  return live?.comments.map(({ text }) => text)
}
const again = (post: Post) => `/posts/${post.id}/publications/${post.publications[0]?.id}/comment`
const over = ['POSTED', 'FAILED', 'UNCONFIRMED'] as const

describe.each(['NET_PAGE', 'NET_PHOTO'] as const)('a first comment on %s', (platform) => {
  const onPage = test.runIf(long || platform === 'NET_PAGE')
  onPage('is written once the post is live', async () => {
    const { ann, account, post } = await publish(platform)
    expect(await until(ann, post, [...over])).toEqual({ text: 'More in our bio', state: 'POSTED', error: null })
    expect(await commentsAt(account)).toEqual(['More in our bio'])
  })

  const answers = [
    ['lost after the effect', { drop: 'after' }],
    ['lost before the effect', { drop: 'before' }],
    ['500 after the effect', { status: 500, after: true }],
  ] as const
  test.each(answers.slice(0, long ? 3 : platform === 'NET_PAGE' ? 2 : 1))(
    'with an answer %s is looked for, and is there once',
    async (_what, action) => {
      const { ann, account, post } = await publish(platform, { do: action })
      expect(await untilHastened(ann, post, [...over])).toMatchObject({ state: 'POSTED' })
      expect(await commentsAt(account)).toEqual(['More in our bio'])
    },
  )

  onPage('that a proxy sent twice is looked for before it fails', async () => {
    const body = graphError({ message: 'Duplicate', code: 506 })
    const { ann, account, post } = await publish(platform, { do: { status: 400, body, after: true } })
    expect(await until(ann, post, [...over])).toMatchObject({ state: 'POSTED' })
    expect(await commentsAt(account)).toEqual(['More in our bio'])
  })

  onPage('that is refused leaves the post live, gives the reason, and is written on a retry', async () => {
    const body = graphError({ message: 'You are blocked.', code: 368 })
    const { ann, account, post } = await publish(platform, { do: { status: 400, body } })
    expect(await until(ann, post, [...over])).toMatchObject({
      state: 'FAILED',
      error: { code: 'policy', networkCode: '368', who: 'admin' },
    })
    expect((await ann.must<Post>('GET', `/posts/${post.id}`)).status).toBe('PUBLISHED')
    const told = await ann.must<{ data: { kind: string; data: object }[] }>('GET', '/api/v1/notifications')
    expect(told.data).toMatchObject([{ kind: 'post_failed', data: { postId: post.id, status: 'COMMENT_FAILED' } }])
    await ann.must('POST', again(post))
    expect(await until(ann, post, ['POSTED'])).toMatchObject({ error: null })
    expect(await commentsAt(account)).toEqual(['More in our bio'])
    const twice = await ann.call<Problem>('POST', again(post))
    expect(twice.body).toMatchObject({ status: 409, code: 'invalid_state', current: 'POSTED' })
  })
})

test.each([
  [
    'publishing is',
    (ann: Person, _account: SocialAccount, paused: boolean) =>
      ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { publishing: { paused } }),
  ],
  [
    'the account is',
    (ann: Person, { id }: SocialAccount, paused: boolean) => ann.must('PATCH', `/social-accounts/${id}`, { paused }),
  ],
] as const)('a first comment is not begun once %s paused, not even by a step under way', async (_what, pause) => {
  const body = graphError({ message: 'You are blocked.', code: 368 })
  const { ann, account, post } = await publish('NET_PAGE', { do: { status: 400, body } })
  await until(ann, post, ['FAILED'])
  const calls = new pg.Client({ connectionString: database.url })
  await calls.connect()
  try {
    const { rows } = await sql.query<{ person: string }>(
      'select network_user as person from social_account where id = $1',
      [account.id],
    )
    await calls.query('begin')
    await calls.query('select from network_user where user_key = $1 for update', [rows[0]?.person])
    await ann.must('POST', again(post))
    // The step has checked the pause and waits for its calls.
    await eventually(async () => {
      const waiting = await sql.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%reserve_calls%'`,
      )
      return waiting.rowCount === 1
    })
    await pause(ann, account, true)
    await calls.query('commit')
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `select from delivery where after_id = $1 and state = 'PENDING' and turn is null and lease_until is null`,
        [post.publications[0]?.id],
      )
      return rowCount === 1
    })
    expect(await read(ann, post)).toMatchObject({ state: 'PENDING' })
    expect(await commentsAt(account)).toEqual([])
    await pause(ann, account, false)
    await until(ann, post, ['POSTED'])
    expect(await commentsAt(account)).toEqual(['More in our bio'])
  } finally {
    await calls.end()
  }
})

test('a first comment that cannot be looked for is UNCONFIRMED, and a retry looks first', async () => {
  await addFault(sandbox.url, { match: { method: 'GET', path: '/comments' }, do: { status: 503 } })
  const { ann, account, post } = await publish('NET_PAGE', { do: { drop: 'after' } })
  await until(ann, post, ['SENDING'])
  await sql.query("update delivery set intent_at = intent_at - interval '90 seconds' where kind = 'comment'")
  expect(await untilHastened(ann, post, ['UNCONFIRMED'])).toMatchObject({ error: { code: 'outcome_unknown' } })
  await fetch(`${sandbox.url}/faults`, { method: 'DELETE', headers: { 'content-type': 'application/json' } })
  await ann.must('POST', again(post))
  await until(ann, post, ['POSTED'])
  expect(await commentsAt(account)).toEqual(['More in our bio'])
})

test('a first comment of a deleted post is not found', async () => {
  const { ann, post } = await publish('NET_PAGE')
  await until(ann, post, ['POSTED'])
  await ann.must('DELETE', `/posts/${post.id}`)
  expect((await ann.call<Problem>('POST', again(post))).body).toMatchObject({ status: 404, code: 'not_found' })
})

test.runIf(long)('a first comment survives any number of rate limits', async () => {
  const { ann, account, post } = await publish('NET_PAGE', { do: { status: 429 }, times: 6 })
  expect(await untilHastened(ann, post, [...over])).toMatchObject({ state: 'POSTED' })
  expect(await commentsAt(account)).toEqual(['More in our bio'])
  const { rows } = await sql.query('select failures, backoffs from delivery where after_id = $1', [
    post.publications[0]?.id,
  ])
  expect(rows).toEqual([{ failures: 0, backoffs: 6 }])
})

test('a rate limit of a first comment is no failure, and is waited for 15 minutes at most', async () => {
  const { ann, account, post } = await publish('NET_PAGE', { do: { status: 429 }, times: 0 })
  const below = [post.publications[0]?.id]
  // One more failure would end the comment, and its wait would double to days.
  await eventually(async () => {
    const { rowCount } = await sql.query(
      `update delivery set failures = 4, backoffs = 40, next_at = app_now()
        where after_id = $1 and state = 'PENDING' and wait_reason = 'limit' and turn is null`,
      below,
    )
    return rowCount === 1
  })
  const [waits] = await eventually(async () => {
    const { rows } = await sql.query<{ failures: number; minutes: number }>(
      `select failures, (extract(epoch from next_at - updated_at) / 60)::float8 as minutes from delivery
        where after_id = $1 and (state = 'FAILED' or backoffs > 40)`,
      below,
    )
    return rows.length > 0 && rows
  })
  expect(await read(ann, post)).toMatchObject({ state: 'PENDING' })
  expect(waits?.failures).toBe(4)
  expect(waits!.minutes * Number(FAST.TIME_SCALE)).toBeGreaterThan(7)
  expect(waits!.minutes * Number(FAST.TIME_SCALE)).toBeLessThan(15.1)
  await fetch(`${sandbox.url}/faults`, { method: 'DELETE', headers: { 'content-type': 'application/json' } })
  expect(await untilHastened(ann, post, [...over])).toMatchObject({ state: 'POSTED' })
  expect(await commentsAt(account)).toEqual(['More in our bio'])
})

test('a first comment waits for an account to be reconnected, then goes out', async () => {
  const body = graphError({ message: 'You are blocked.', code: 368 })
  const { ann, account, post } = await publish('NET_PAGE', { do: { status: 400, body } })
  await until(ann, post, ['FAILED'])
  await call(sandbox.url, 'POST', '/accounts', { id: account.externalId, do: 'expire' })
  await ann.must('POST', again(post))
  await eventually(async () => {
    const { rows } = await sql.query<{ waits: string }>(
      'select wait_reason as waits from delivery where after_id = $1',
      [post.publications[0]?.id],
    )
    return rows[0]?.waits === 'reconnect_needed'
  })
  expect(await read(ann, post)).toMatchObject({ state: 'PENDING', error: null })
  await connect(ann, 'NET_PAGE', `u${users}`)
  await until(ann, post, ['POSTED'])
  expect(await commentsAt(account)).toEqual(['More in our bio'])
})

test('a first comment waits a day for a paused account, then fails with the reason', async () => {
  const body = graphError({ message: 'You are blocked.', code: 368 })
  const { ann, account, post } = await publish('NET_PAGE', { do: { status: 400, body } })
  await until(ann, post, ['FAILED'])
  await ann.must('PATCH', `/social-accounts/${account.id}`, { paused: true })
  await ann.must('POST', again(post))
  const below = [post.publications[0]?.id]
  await eventually(async () => {
    const held = `select from delivery where after_id = $1 and state = 'PENDING' and wait_reason = 'account_paused'`
    return (await sql.query(held, below)).rowCount === 1
  })
  await sql.query(
    `update delivery set due_at = due_at - interval '24 hours', next_at = app_now() where after_id = $1`,
    below,
  )
  expect(await until(ann, post, ['FAILED'])).toMatchObject({ error: { code: 'account_paused' } })
  expect(await commentsAt(account)).toEqual([])
})

test('an unwritten first comment ends when its account is disconnected, and people are notified', async () => {
  const body = graphError({ message: 'You are blocked.', code: 368 })
  const { ann, account, post } = await publish('NET_PAGE', { do: { status: 400, body } })
  await until(ann, post, ['FAILED'])
  await ann.must('PATCH', `/social-accounts/${account.id}`, { paused: true })
  await ann.must('POST', again(post))
  expect(await read(ann, post)).toMatchObject({ state: 'PENDING' })
  await ann.must('DELETE', `/social-accounts/${account.id}?confirm=true`)
  expect(await until(ann, post, ['FAILED'])).toMatchObject({ error: { code: 'account_disconnected' } })
  expect(await commentsAt(account)).toEqual([])
})

/** Makes a live post without an id: its answer was lost, and a person said that it is live. */
async function resolvedLive() {
  const ann = await newPerson(product.url)
  const [account] = (await connect(ann, 'NET_PAGE', `u${(users += 1)}`)) as [SocialAccount]
  await addFault(sandbox.url, { match: { path: `${account.externalId}/feed` }, do: { drop: 'after' }, times: 1 })
  await addFault(sandbox.url, { match: { path: `${account.externalId}/published_posts` }, do: { status: 503 } })
  const { id } = await ann.must<Post>('POST', '/posts', {
    caption: 'Live, says a person',
    platformOptions: { NET_PAGE: { firstComment: 'More in our bio' } },
    targets: [account.id],
    action: 'publish',
  })
  await eventually(async () => {
    const { rowCount } = await sql.query(
      `update publication set intent_at = intent_at - interval '31 minutes', next_at = app_now()
        where post_id = $1 and state = 'SUBMITTING' and lease_until is null and turn is null`,
      [id],
    )
    return rowCount === 1
  })
  const post = await untilSentAgain(sql, ann, id)
  const target = `/posts/${id}/publications/${post.publications[0]?.id}`
  await ann.must('POST', `${target}/resolve`, { outcome: 'live' })
  return { ann, post }
}

test('a first comment below a post with an unknown id fails, and people are notified', async () => {
  const { ann, post } = await resolvedLive()
  expect(await read(ann, post)).toMatchObject({ state: 'FAILED', error: { code: 'post_unnamed', retryable: false } })
  const told = await ann.must<{ data: { kind: string; data: object }[] }>('GET', '/api/v1/notifications')
  expect(told.data.map(({ data }) => data)).toContainEqual(expect.objectContaining({ status: 'COMMENT_FAILED' }))
  await ann.must('POST', again(post))
  expect(await until(ann, post, ['FAILED'])).toMatchObject({ error: { code: 'post_unnamed' } })
})

const unnamed = [
  ['the network cannot be read', null],
  ['its token cannot be opened', `access_token = 'v1.0.0.0.0'`],
  ['its account is gone', 'access_token = null'],
] as const
test.each(unnamed.slice(0, sized(1, 3)))(
  'a first comment fails after the last look for the id of its post, also if %s',
  async (_what, change) => {
    const { ann, post } = await resolvedLive()
    if (change) await sql.query(`update social_account set ${change} where id = $1`, [post.targets[0]])
    await sql.query(
      `update delivery set state = 'PENDING', error = null, wait_reason = 'unnamed' where after_id = $1`,
      [post.publications[0]?.id],
    )
    const payload = {
      workspaceId: ann.workspaceId,
      data: { publicationId: post.publications[0]?.id, looked: 9 },
    }
    if (!change) await addFault(sandbox.url, { match: { method: 'GET' }, do: { status: 503 }, times: 1 })
    await sql.query(`select graphile_worker.add_job('id-lookup', $1::json)`, [JSON.stringify(payload)])
    expect(await until(ann, post, ['FAILED'])).toMatchObject({ error: { code: 'post_unnamed' } })
  },
)

const failing = [
  ['when it is looked for', 'SUBMITTING', 'outcome_unknown'],
  ['before it is written', 'PENDING', 'config'],
] as const
test.each(failing.slice(0, sized(1, 2)))(
  'a first comment ends when a step of the service fails %s',
  async (_when, state, code) => {
    const body = graphError({ message: 'You are blocked.', code: 368 })
    const { ann, account, post } = await publish('NET_PAGE', { do: { status: 400, body } })
    await until(ann, post, ['FAILED'])
    await sql.query("update social_account set access_token = 'v1.0.0.0.0' where id = $1", [account.id])
    const publicationId = post.publications[0]?.id
    // As after four tries, or half an hour.
    await sql.query(
      `update delivery set state = $2, phase = case $2 when 'SUBMITTING' then 'commit' end, failures = 4, error = null,
       intent_at = app_now() - interval '31 minutes', due_at = app_now(), next_at = app_now()
     where after_id = $1`,
      [publicationId, state],
    )
    expect(await untilHastened(ann, post, ['FAILED', 'UNCONFIRMED'])).toMatchObject({ error: { code } })
  },
)
