import { beforeEach, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { sized } from '../../../test/tier.ts'
import {
  addFault,
  call,
  connect,
  eventually,
  liveOn,
  newPerson,
  type Person,
  untilSentAgain,
  untilStatus,
  uploadPicture,
  uploadVideo,
  wake,
  graphError,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Platform } from '../../networks/api.ts'
import type { Post } from '../posts/api.ts'

// Faults that independent trials found. Each of these posts once went live twice, or ended in a wrong state.

const { product, sandbox, sql } = useProduct({ own: true, env: { TIME_SCALE: '20' } })
let users = 900

beforeEach(() => call(sandbox.url, 'DELETE', '/faults'))

interface Author {
  ann: Person
  account: SocialAccount
  fault: (match: object, action: object, times?: number) => Promise<unknown>
  publish: (caption: string, media?: string[]) => Promise<Post>
  live: () => Promise<string[]>
}

async function authorOn(network: Platform): Promise<Author> {
  const ann = await newPerson(product.url)
  const [account] = (await connect(ann, network, `u${(users += 1)}`)) as [SocialAccount]
  return {
    ann,
    account,
    fault: (match, action, times) => addFault(sandbox.url, { match, do: action, ...(times && { times }) }),
    publish: (caption, media = []) =>
      ann.must<Post>('POST', '/posts', {
        caption,
        media,
        targets: [account.id],
        platformOptions: { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } },
        action: 'publish',
      }),
    live: async () => ((await liveOn(sandbox.url)).get(account.externalId) ?? []).map(({ message }) => message),
  }
}

interface Row {
  state: string
  tries: number
  failures: number
  waitReason: string | null
}
const rowOf = async ({ id }: Post) =>
  (
    await sql.query<Row>(
      `select state, tries, failures, wait_reason as "waitReason" from publication where post_id = $1`,
      [id],
    )
  ).rows[0] as Row

/** Waits until the commit of a post has ended with an unknown outcome. */
const untilOutcomeUnknown = (post: Post) =>
  eventually(async () => {
    const { rowCount } = await sql.query(
      `select from publication where post_id = $1 and state = 'SUBMITTING' and lease_until is null`,
      [post.id],
    )
    return rowCount === 1
  })

async function readNow(post: Post): Promise<void> {
  const due = 'update publication set next_at = app_now() where post_id = $1 and lease_until is null and turn is null'
  await sql.query(due, [post.id])
  await wake(sql)
}

const shiftClock = (minutes: number) =>
  sql.query('update app_clock set shift = shift + make_interval(mins => $1)', [minutes])

test('a clock that steps back between intent and read hides no post', async () => {
  const { fault, publish, live, account, ann } = await authorOn('NET_PAGE')
  await publish('The network has told its time').then(({ id }) => untilStatus(ann, id, ['PUBLISHED']))
  await shiftClock(10)
  await fault({ method: 'POST', path: `${account.externalId}/feed` }, { drop: 'after' }, 1)
  await fault({ path: `${account.externalId}/published_posts` }, { status: 503, body: 'down' }, 1)
  const post = await publish('Sent before the step')
  await untilOutcomeUnknown(post)
  await shiftClock(-10)
  await readNow(post)
  const { publications } = await untilStatus(ann, post.id, ['PUBLISHED'])
  expect(publications).toMatchObject([{ state: 'PUBLISHED', attempts: 1 }])
  expect((await live()).filter((text) => text === 'Sent before the step')).toHaveLength(1)
})

test('a leap of the clock proves no absence: 180 s, and a minute between two reads, must really pass', async () => {
  const { fault, publish, account } = await authorOn('NET_PAGE')
  await fault({ method: 'POST', path: `${account.externalId}/feed` }, { drop: 'before' }, 1)
  const post = await publish('Not there yet')
  await untilOutcomeUnknown(post)
  await shiftClock(4)
  await eventually(async () => {
    await readNow(post)
    const { rows } = await sql.query<{ fence: number }>('select fence from publication where post_id = $1', [post.id])
    return rows[0]!.fence > 8
  })
  const { rows } = await sql.query<{ absent: number; state: string }>(
    'select absent_reads as absent, state from publication where post_id = $1',
    [post.id],
  )
  expect(rows).toEqual([{ absent: 0, state: 'SUBMITTING' }])
  await shiftClock(-4)
})

test('a clock that is set back does not delay a post that is published now', async () => {
  const { publish, ann } = await authorOn('NET_PAGE')
  await shiftClock(10)
  await publish('By the clock ahead').then(({ id }) => untilStatus(ann, id, ['PUBLISHED']))
  await shiftClock(-10)
  const post = await publish('By the clock set back')
  await untilStatus(ann, post.id, ['PUBLISHED'])
})

test('a clock that is set back delays neither a wait, a read nor a target whose worker is gone', async () => {
  const { ann, account } = await authorOn('NET_PAGE')
  await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { publishing: { paused: true } })
  const posts = await Promise.all(
    ['after a failure', 'after a lost answer', 'in the hands of nobody'].map((caption) =>
      ann.must<Post>('POST', '/posts', { caption, targets: [account.id], action: 'publish' }),
    ),
  )
  // The state that a worker leaves behind if its clock is a day ahead.
  const ahead = "app_now() + interval '1 day'"
  const left = [
    `state = 'PENDING', wait_reason = 'backoff', failures = 1, next_at = ${ahead}`,
    `state = 'SUBMITTING', phase = 'commit', tries = 1, sent = '{"text":"x","media":[]}', intent_at = ${ahead}, first_intent_at = ${ahead}, next_at = ${ahead}`,
    `state = 'PREPARING', lease_until = ${ahead}, next_at = ${ahead}`,
  ]
  for (const [i, post] of posts.entries()) {
    await sql.query(`update publication set fence = fence + 1, ${left[i]} where post_id = $1`, [post.id])
  }
  const longestWait = async () => {
    const { rows } = await sql.query<{ seconds: number }>(
      'select extract(epoch from max(next_at) - app_now())::float8 as seconds from publication where post_id = any ($1)',
      [posts.map(({ id }) => id)],
    )
    return rows[0]!.seconds
  }
  expect(await longestWait()).toBeGreaterThan(3600)
  await shiftClock(-1)
  // The longest of these waits is 20 minutes, between two reads.
  await eventually(async () => (await longestWait()) <= 60, 10_000)
  await shiftClock(1)
})

test('two equal texts on one page with both answers lost are each found, and live once', async () => {
  const { fault, publish, live, account, ann } = await authorOn('NET_PAGE')
  await fault({ method: 'POST', path: `${account.externalId}/feed`, nth: 1 }, { drop: 'after' })
  await fault({ method: 'POST', path: `${account.externalId}/feed`, nth: 3 }, { drop: 'after' })
  await fault({ path: `${account.externalId}/published_posts` }, { status: 503, body: 'down' })
  const first = await publish('Open today')
  await untilOutcomeUnknown(first)
  await publish('In between').then(({ id }) => untilStatus(ann, id, ['PUBLISHED']))
  const second = await publish('Open today')
  await untilOutcomeUnknown(second)
  await call(sandbox.url, 'DELETE', '/faults')
  await readNow(first)
  await readNow(second)
  const [one, two] = [await untilStatus(ann, first.id, ['PUBLISHED']), await untilStatus(ann, second.id, ['PUBLISHED'])]
  expect([one.publications[0]?.attempts, two.publications[0]?.attempts]).toEqual([1, 1])
  expect(one.publications[0]?.externalId).not.toBe(two.publications[0]?.externalId)
  expect(await live()).toHaveLength(3)
})

test('of two equal texts with both answers lost and one live, each says which post may be meant', async () => {
  const { fault, publish, account, ann } = await authorOn('NET_PAGE')
  await fault({ method: 'POST', path: `${account.externalId}/feed`, nth: 1 }, { drop: 'before' })
  await fault({ method: 'POST', path: `${account.externalId}/feed`, nth: 3 }, { drop: 'after' })
  await fault({ path: `${account.externalId}/published_posts` }, { status: 503, body: 'down' })
  const first = await publish('Open at ten')
  await untilOutcomeUnknown(first)
  await publish('In between').then(({ id }) => untilStatus(ann, id, ['PUBLISHED']))
  const second = await publish('Open at ten')
  await untilOutcomeUnknown(second)
  await call(sandbox.url, 'DELETE', '/faults')
  await shiftClock(31)
  const ended = [await untilSentAgain(sql, ann, first.id), await untilSentAgain(sql, ann, second.id)]
  await shiftClock(-31)
  const live = (await liveOn(sandbox.url)).get(account.externalId) ?? []
  const [meant, ...more] = live.filter(({ message }) => message === 'Open at ten')
  expect(more).toEqual([])
  for (const { publications } of ended) {
    expect(publications).toMatchObject([{ state: 'UNCONFIRMED', attempts: 1 }])
    expect(publications[0]?.error?.text).toMatchObject({
      key: 'failures.outcome_unknown/several',
      values: { posts: expect.stringContaining(meant!.id.split('_')[1]!) },
    })
  }
})

test('an answer about another account settles nothing: a read of the network decides', async () => {
  const every = [
    { network: 'NET_PAGE', path: 'feed', effect: true },
    { network: 'NET_PAGE', path: 'feed', effect: false },
    { network: 'NET_PHOTO', path: 'media_publish', effect: true },
  ] as const
  const asked = every.slice(0, sized(1, 3))
  const found = await Promise.all(
    asked.map(async ({ network, path, effect }) => {
      const { fault, publish, account, ann } = await authorOn(network)
      const media = network === 'NET_PHOTO' ? [(await uploadPicture(ann)).id] : []
      const foreign = { status: 200, body: { id: '1_1' }, after: effect }
      await fault({ method: 'POST', path: `${account.externalId}/${path}` }, foreign, 1)
      const post = await publish('Whose answer', media)
      const [target] = (await untilSentAgain(sql, ann, post.id)).publications
      const ids = ((await liveOn(sandbox.url)).get(account.externalId) ?? []).map(({ id }) => id)
      // On a busy machine there are more tries, since a call before the commit can time out.
      const tried = (target?.attempts ?? 0) >= (effect ? 1 : 2)
      return { tried, own: ids.length === 1 && ids[0] === target?.externalId }
    }),
  )
  expect(found).toEqual(asked.map(() => ({ tried: true, own: true })))
})

test('a video that NET_VIDEO wrongly reports as complete is uploaded again and live once', async () => {
  const { fault, publish, live, ann } = await authorOn('NET_VIDEO')
  const file = await uploadVideo(ann)
  await fault({ method: 'PUT' }, { status: 201, body: '' }, 1)
  const post = await publish('No bytes arrived', [file.id])
  const { publications } = await untilSentAgain(sql, ann, post.id)
  expect(publications).toMatchObject([{ state: 'PUBLISHED', attempts: 2 }])
  expect(await live()).toHaveLength(1)
})

test('a retry after UNCONFIRMED reads before it sends, whatever a person said', async () => {
  const { fault, publish, live, account, ann } = await authorOn('NET_PAGE')
  await fault({ method: 'POST', path: `${account.externalId}/feed` }, { drop: 'after' }, 1)
  await fault({ path: `${account.externalId}/published_posts` }, { status: 503, body: 'down' })
  const post = await publish('Overlooked')
  await untilOutcomeUnknown(post)
  await sql.query(
    "update publication set intent_at = intent_at - interval '31 minutes', next_at = app_now() where post_id = $1",
    [post.id],
  )
  await untilSentAgain(sql, ann, post.id)
  expect((await rowOf(post)).state).toBe('UNCONFIRMED')
  for (const [act, body] of [
    ['publish', {}],
    ['schedule', { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() }],
    ['submit', {}],
  ] as const) {
    const refused = await ann.call<{ code: string }>('POST', `/posts/${post.id}/${act}`, body)
    expect([act, refused.status, refused.body.code]).toEqual([act, 409, 'outcome_unknown'])
  }
  await call(sandbox.url, 'DELETE', '/faults')
  const { id } = (await ann.must<Post>('GET', `/posts/${post.id}`)).publications[0]!
  await ann.must('POST', `/posts/${post.id}/publications/${id}/resolve`, { outcome: 'not_live' })
  await ann.must('POST', `/posts/${post.id}/retry`)
  const found = await untilStatus(ann, post.id, ['PUBLISHED'])
  expect(found.publications).toMatchObject([{ state: 'PUBLISHED', error: null }])
  expect(await live()).toEqual(['Overlooked'])
  const { data } = await ann.must<{ data: { kind: string; data: object }[] }>('GET', '/notifications')
  expect(data.find(({ kind }) => kind === 'outcome_unknown')).toMatchObject({ data: { postId: post.id, found: true } })
})

test('a bare 429 to a commit is read back, waits like a limit, and does not count as a failure', async () => {
  const { fault, publish, live, account, ann } = await authorOn('NET_PAGE')
  await fault({ method: 'POST', path: `${account.externalId}/feed` }, { status: 429, body: 'slow down' }, 1)
  const post = await publish('Slowly')
  expect((await untilSentAgain(sql, ann, post.id)).publications[0]?.attempts).toBe(2)
  expect((await rowOf(post)).failures).toBe(0)
  expect(await live()).toEqual(['Slowly'])
})

test.each((['NET_PAGE', 'NET_VIDEO'] as const).slice(0, sized(1, 2)))(
  '429s before a commit on %s end nothing, whatever their body',
  async (network) => {
    const { fault, publish, ann } = await authorOn(network)
    const media = network === 'NET_PAGE' ? [(await uploadPicture(ann)).id] : [(await uploadVideo(ann)).id]
    const path = network === 'NET_PAGE' ? '/photos' : '/video/init/'
    await fault({ method: 'POST', path }, { status: 429, body: '' }, 6)
    const post = await publish('After six limits', media)
    await eventually(async () => {
      const row = await rowOf(post)
      if (row.waitReason === 'limit') await readNow(post)
      // Six failures would have ended it. On a busy machine, a call can also time out, which counts as one.
      expect(row.state).not.toBe('FAILED')
      return row.state === 'PUBLISHED'
    })
  },
)

test('the second of two equal picture posts on a page is refused as the same text', async () => {
  const { publish, live, ann } = await authorOn('NET_PAGE')
  const { id } = await uploadPicture(ann)
  await publish('A picture', [id]).then((post) => untilStatus(ann, post.id, ['PUBLISHED']))
  const second = await untilStatus(ann, (await publish('A picture', [id])).id, ['FAILED'])
  expect(second.publications[0]?.error).toMatchObject({ code: 'same_text' })
  expect(await live()).toHaveLength(1)
})

test('a post never went live before it was sent', async () => {
  const { publish, ann } = await authorOn('NET_PAGE')
  const post = await publish('On time')
  const { publishedAt } = await untilStatus(ann, post.id, ['PUBLISHED'])
  const { rows } = await sql.query<{ intent: Date; published: Date }>(
    'select intent_at as intent, published_at as published from publication where post_id = $1',
    [post.id],
  )
  expect(rows[0]!.published.getTime()).toBeGreaterThanOrEqual(rows[0]!.intent.getTime())
  expect(publishedAt).toBe(rows[0]!.published.toISOString())
})

test('if the network gives no time, a post went live when we learned of it', async () => {
  const { publish, ann } = await authorOn('NET_VIDEO')
  const post = await publish('Without a time', [(await uploadPicture(ann)).id])
  await untilStatus(ann, post.id, ['PUBLISHED'])
  const { rows } = await sql.query<{ accepted: Date; published: Date }>(
    'select accepted_at as accepted, published_at as published from publication where post_id = $1',
    [post.id],
  )
  expect(rows[0]!.published.getTime()).toBeGreaterThan(rows[0]!.accepted.getTime())
})

test('the accounts are returned in pages if a limit is given', async () => {
  const { ann } = await authorOn('NET_PAGE')
  const all = (await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')).data.map(({ id }) => id)
  const one = await ann.must<{ data: SocialAccount[]; nextCursor: string }>('GET', '/social-accounts?limit=1')
  const rest = await ann.must<{ data: SocialAccount[]; nextCursor: null }>(
    'GET',
    `/social-accounts?limit=100&cursor=${one.nextCursor}`,
  )
  expect([one.data.length, rest.nextCursor]).toEqual([1, null])
  expect([...one.data, ...rest.data].map(({ id }) => id).toSorted()).toEqual(all.toSorted())
  for (const bad of ['101', '0', '-1', '1.5', 'ten', '']) {
    expect([bad, (await ann.call('GET', `/social-accounts?limit=${bad}`)).status]).toEqual([bad, 422])
  }
})

test('a paused workspace says why its targets wait', async () => {
  const { ann, account } = await authorOn('NET_PAGE')
  const path = `/workspaces/${ann.workspaceId}`
  await ann.must('PATCH', path, { publishing: { paused: true } })
  const post = await ann.must<Post>('POST', '/posts', { caption: 'Paused', targets: [account.id], action: 'publish' })
  expect(post.publications[0]?.waitReason).toBe('publishing_paused')
})

/** Waits until the outcome is UNCONFIRMED, clears the faults, and says as a person that the post is not live. */
async function saidNotLive(ann: Person, post: Post): Promise<void> {
  await untilOutcomeUnknown(post)
  await sql.query(
    "update publication set intent_at = intent_at - interval '31 minutes', next_at = app_now() where post_id = $1",
    [post.id],
  )
  const { publications } = await untilSentAgain(sql, ann, post.id)
  await call(sandbox.url, 'DELETE', '/faults')
  await ann.must('POST', `/posts/${post.id}/publications/${publications[0]?.id}/resolve`, { outcome: 'not_live' })
}

test('pictures are found as they were sent, after one was removed while UNCONFIRMED', async () => {
  const { fault, publish, live, account, ann } = await authorOn('NET_PAGE')
  await fault({ method: 'POST', path: `${account.externalId}/feed` }, { drop: 'after' }, 1)
  await fault({ path: `${account.externalId}/published_posts` }, { status: 503, body: 'down' })
  const [one, two] = [await uploadPicture(ann), await uploadPicture(ann)]
  const post = await publish('Two pictures', [one.id, two.id])
  await saidNotLive(ann, post)
  await ann.must('PATCH', `/posts/${post.id}`, { media: [one.id] })
  await ann.must('POST', `/posts/${post.id}/publish`)
  await untilStatus(ann, post.id, ['PUBLISHED'])
  expect(await live()).toEqual(['Two pictures'])
})

test('a video replaced while UNCONFIRMED does not wait for the old one, whose bytes never arrived', async () => {
  const { fault, publish, live, ann } = await authorOn('NET_VIDEO')
  await fault({ method: 'PUT' }, { drop: 'before' }, 1)
  await fault({ path: 'status/fetch' }, { status: 503, body: 'down' })
  const post = await publish('Another film', [(await uploadVideo(ann)).id])
  await saidNotLive(ann, post)
  await ann.must('PATCH', `/posts/${post.id}`, { media: [(await uploadVideo(ann)).id] })
  await ann.must('POST', `/posts/${post.id}/publish`)
  await untilStatus(ann, post.id, ['PUBLISHED'])
  expect(await live()).toHaveLength(1)
})

test('a PUBLISHED container is not sent again if the list shows only the post of another target', async () => {
  const { fault, publish, live, account, ann } = await authorOn('NET_PHOTO')
  const { id } = await uploadPicture(ann)
  const first = await untilStatus(ann, (await publish('Twins', [id])).id, ['PUBLISHED'])
  const shown = { id: first.publications[0]?.externalId, caption: 'Twins', timestamp: first.publishedAt }
  await fault({ method: 'POST', path: `${account.externalId}/media_publish` }, { drop: 'after' }, 1)
  await fault({ method: 'GET', path: `${account.externalId}/media` }, { status: 200, body: { data: [shown] } })
  const second = await untilStatus(ann, (await publish('Twins', [id])).id, ['PUBLISHED', 'FAILED'])
  expect(second).toMatchObject({ status: 'PUBLISHED', publications: [{ attempts: 1, externalId: null }] })
  expect(await live()).toHaveLength(2)
})

test('a first try that is refused as a duplicate is live if the network has its own copy', async () => {
  const { fault, publish, live, account, ann } = await authorOn('NET_PAGE')
  const body = graphError({ message: 'Duplicate status message', code: 506 })
  // A proxy sent the request twice, and the network refused the second copy.
  await fault({ method: 'POST', path: `${account.externalId}/feed` }, { status: 400, body, after: true }, 1)
  const post = await untilStatus(ann, (await publish('Sent on twice')).id, ['PUBLISHED', 'FAILED'])
  expect(post).toMatchObject({ status: 'PUBLISHED', publications: [{ attempts: 1, error: null }] })
  expect(await live()).toEqual(['Sent on twice'])
  // A post of another target is not mistaken for it.
  const twin = await untilStatus(ann, (await publish('Sent on twice')).id, ['PUBLISHED', 'FAILED'])
  expect(twin.publications[0]?.error).toMatchObject({ code: 'same_text' })
})

// This must be the last test: the networks keep this clock.
test('a network whose clock is two days ahead does not date a post into the future', async () => {
  const { publish, ann, fault, account } = await authorOn('NET_PAGE')
  await call(sandbox.url, 'POST', '/clock', { advanceMs: 48 * 3_600_000 })
  // The post is found by a read, which has the network's time.
  await fault({ method: 'POST', path: `${account.externalId}/feed` }, { drop: 'after' }, 1)
  const { id } = await publish('From the future')
  const { publications, updatedAt } = await untilStatus(ann, id, ['PUBLISHED', 'FAILED'])
  expect(publications[0]).toMatchObject({ state: 'PUBLISHED' })
  expect(Date.parse(publications[0]!.publishedAt!)).toBeLessThanOrEqual(Date.parse(updatedAt))
})
