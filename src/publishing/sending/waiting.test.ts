import { beforeEach, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { sized } from '../../../test/tier.ts'
import {
  addFault,
  asPerson,
  call,
  connectPages,
  eventually,
  liveOn,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
  uploadPicture,
  untilWaitedFor,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Notification } from '../../team/notifications/api.ts'
import type { Post, Publication } from '../posts/api.ts'
import { SWEEP_LOCK } from '../../core/platform/lock-ids.ts'
import { errorFor } from '../../delivery/rules.ts'
import type { PostEvent } from './api.ts'

// What a person can do while a target waits, and who is notified.

const { product, sandbox, sql } = useProduct({ own: true, env: { TIME_SCALE: '20' } })
let users = 400

beforeEach(() => call(sandbox.url, 'DELETE', '/faults'))

interface Author {
  ann: Person
  pages: SocialAccount[]
}

async function author(): Promise<Author> {
  const ann = await newPerson(product.url)
  return { ann, pages: await connectPages(ann, `u${(users += 1)}`) }
}

const publish = (ann: Person, caption: string, pages: SocialAccount[], media: string[] = []) =>
  ann.must<Post>('POST', '/posts', { caption, media, targets: pages.map(({ id }) => id), action: 'publish' })

const fault = (path: string, action: object, times?: number) =>
  addFault(sandbox.url, { match: { path }, do: action, ...(times && { times }) })

/**
 * Waits until the target rests in a state, after the step with the fence `since`. Then only a person moves it for an
 * hour. Returns its fence.
 */
const rests = (post: Post, state: Publication['state'], since = -1) =>
  eventually(async () => {
    const { rows } = await sql.query<{ fence: number }>(
      `update publication set next_at = app_now() + interval '1 hour'
       where post_id = $1 and state = $2 and fence > $3 and lease_until is null and turn is null and next_at is not null
         and (state <> 'PENDING' or wait_reason = 'backoff') returning fence`,
      [post.id, state, since],
    )
    return rows[0]?.fence
  })

const live = async (page: SocialAccount | undefined) =>
  ((await liveOn(sandbox.url)).get(page?.externalId ?? '') ?? []).map(({ message }) => message)

const pathOf = (post: Post, act: 'stop' | 'retry-now') =>
  `/posts/${post.id}/publications/${post.publications[0]?.id}/${act}`

const first = async (ann: Person, { id }: Post) => (await ann.must<Post>('GET', `/posts/${id}`)).publications[0]

/** Makes a post with a picture that its page does not accept yet, at rest after its first failure. */
async function failing({ ann, pages: [page] }: Author, caption: string): Promise<Post> {
  await fault('/photos', { status: 503, body: 'down' })
  const post = await publish(ann, caption, [page!], [(await uploadPicture(ann)).id])
  await rests(post, 'PENDING')
  return post
}

test('"retry now" sends a target that waits for its next try, once the fault is cleared', async () => {
  const of = await author()
  const post = await failing(of, 'Fixed')
  expect(await first(of.ann, post)).toMatchObject({
    waitReason: 'backoff',
    nextAttemptAt: expect.any(String) as unknown,
  })
  await call(sandbox.url, 'DELETE', '/faults')
  await of.ann.must('POST', pathOf(post, 'retry-now'))
  await untilStatus(of.ann, post.id, ['PUBLISHED'])
  expect(await live(of.pages[0])).toEqual(['Fixed'])
  const { rows } = await sql.query("select actor_kind from audit_entry where action = 'publication.retried_now'")
  expect(rows).toEqual([{ actor_kind: 'user' }])
  const { data } = await of.ann.must<{ data: PostEvent[] }>('GET', `/posts/${post.id}/events`)
  const target = { publicationIds: [post.publications[0]!.id] }
  expect(data.slice(0, 3)).toMatchObject([
    { action: 'post.publish_requested', publicationIds: [] },
    { action: 'publication.attempt_failed', ...target, by: null },
    { action: 'publication.retried_now', ...target, by: of.ann.session.user.name },
  ])
  const over = await of.ann.call<Problem>('POST', pathOf(post, 'retry-now'))
  expect([over.status, over.body.code, over.body.current]).toEqual([409, 'invalid_state', 'PUBLISHED'])
})

test('"retry now" reads a target with a lost answer, and never sends it', async () => {
  const { ann, pages } = await author()
  await fault(`${pages[0]?.externalId}/feed`, { drop: 'after' }, 1)
  await fault(`${pages[0]?.externalId}/published_posts`, { status: 503, body: 'down' })
  const post = await publish(ann, 'Read first', [pages[0]!])
  const fence = await rests(post, 'SUBMITTING')
  await ann.must('POST', pathOf(post, 'retry-now'))
  // The network cannot be read yet: however often a person asks, nothing is sent.
  await rests(post, 'SUBMITTING', fence)
  expect(await first(ann, post)).toMatchObject({ state: 'SUBMITTING', attempts: 1 })
  await call(sandbox.url, 'DELETE', '/faults')
  await ann.must('POST', pathOf(post, 'retry-now'))
  await untilStatus(ann, post.id, ['PUBLISHED'])
  expect(await first(ann, post)).toMatchObject({ attempts: 1 })
  expect(await live(pages[0])).toEqual(['Read first'])
})

test.each((['PENDING', 'SUBMITTING'] as const).slice(0, sized(1, 2)))(
  'after the clock is set back, "retry now" still works on targets that wait in %s',
  async (state) => {
    const of = await author()
    let post: Post
    if (state === 'PENDING') {
      post = await failing(of, 'Waits longer')
    } else {
      await fault(`${of.pages[0]?.externalId}/feed`, { drop: 'after' }, 1)
      await fault(`${of.pages[0]?.externalId}/published_posts`, { status: 503, body: 'down' })
      post = await publish(of.ann, 'Waits longer', [of.pages[0]!])
      await rests(post, state)
    }
    await call(sandbox.url, 'DELETE', '/faults')
    const shift = (seconds: number) =>
      sql.query('update app_clock set shift = shift + make_interval(secs => $1)', [seconds])
    await shift(-30)
    try {
      // A target that waits longer than its kind may is moved forward. No worker holds it.
      await eventually(async () => {
        const near = `select from publication where post_id = $1 and next_at < app_now() + interval '10 minutes'`
        return (await sql.query(near, [post.id])).rowCount === 1
      })
      await of.ann.must('POST', pathOf(post, 'retry-now'))
      await untilStatus(of.ann, post.id, ['PUBLISHED'])
    } finally {
      await shift(30)
    }
  },
)

test('"retry now" neither shortens a wait that a network asked for, nor reads an accepted post early', async () => {
  const of = await author()
  const post = await failing(of, 'Asked to wait')
  // Each is shorter than the longest wait of its kind, so that the product moves none of them forward.
  const waits = [
    [`wait_reason = 'limit'`, '1 hour'],
    [`wait_reason = 'container'`, '2 seconds'],
    [`wait_reason = 'account_paused'`, '1 hour'],
    [`state = 'SUBMITTING', phase = 'confirm', wait_reason = null`, '30 seconds'],
  ] as const
  for (const [wait, rest] of waits) {
    const waiting = `update publication set ${wait}, next_at = app_now() + $2::interval where post_id = $1 returning next_at`
    const { rows } = await sql.query(waiting, [post.id, rest])
    const refused = await of.ann.call<Problem>('POST', pathOf(post, 'retry-now'))
    expect([wait, refused.status, refused.body.code]).toEqual([wait, 409, 'invalid_state'])
    expect((await sql.query('select next_at from publication where post_id = $1', [post.id])).rows).toEqual(rows)
  }
})

test('a stopped target is not sent and says so; its post goes on with the others, and a retry sends it', async () => {
  const { ann, pages } = await author()
  const [one, two] = pages as [SocialAccount, SocialAccount]
  await fault(`${one.externalId}/photos`, { status: 503, body: 'down' })
  await fault(`${two.externalId}/photos`, { status: 503, body: 'down' })
  const post = await publish(ann, 'Stopped', [one, two], [(await uploadPicture(ann)).id])
  await eventually(async () => (await first(ann, post))?.waitReason === 'backoff')
  const answer = await ann.must<Post>('POST', pathOf(post, 'stop'))
  expect([answer.status, answer.publications[0]?.state, answer.publications[0]?.error]).toEqual([
    'PUBLISHING',
    'FAILED',
    expect.objectContaining({ code: 'stopped', retryable: true }),
  ])
  expect(answer.publications.map(({ stoppedBy }) => stoppedBy)).toEqual([ann.session.user.name, null])
  const { rows: noted } = await sql.query(
    `select action, actor_kind, actor_id, object from audit_entry where workspace_id = $1
       and starts_with(action, 'publication.') and action <> 'publication.attempt_failed'`,
    [ann.workspaceId],
  )
  expect(noted).toEqual([
    {
      action: 'publication.stopped',
      actor_kind: 'user',
      actor_id: ann.session.user.id,
      object: { postId: post.id, publicationId: post.publications[0]?.id },
    },
  ])
  const again = await ann.call<Problem>('POST', pathOf(post, 'stop'))
  expect([again.status, again.body.code, again.body.current]).toEqual([409, 'invalid_state', 'FAILED'])
  await call(sandbox.url, 'DELETE', '/faults')
  await untilStatus(ann, post.id, ['PARTIALLY_PUBLISHED'])
  expect([await live(one), await live(two)]).toEqual([[], ['Stopped']])
  await ann.must('POST', `/posts/${post.id}/retry`)
  await untilStatus(ann, post.id, ['PUBLISHED'])
  expect(await live(one)).toEqual(['Stopped'])
})

test('a target with an open intent, a scheduled one or one of another workspace cannot be stopped', async () => {
  const { ann, pages } = await author()
  await fault(`${pages[0]?.externalId}/feed`, { drop: 'after' }, 1)
  await fault(`${pages[0]?.externalId}/published_posts`, { status: 503, body: 'down' })
  const post = await publish(ann, 'Under way', [pages[0]!])
  await rests(post, 'SUBMITTING')
  const later = await ann.must<Post>('POST', '/posts', {
    caption: 'Later',
    targets: [pages[0]?.id],
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const elsewhere = (await author()).ann
  for (const [who, which, expected] of [
    [ann, post, [409, 'SUBMITTING']],
    [ann, later, [409, 'SCHEDULED']],
    [ann, { ...post, publications: later.publications }, [404, undefined]],
    [elsewhere, post, [404, undefined]],
  ] as const) {
    const { status, body } = await who.call<Problem>('POST', pathOf(which, 'stop'))
    expect([status, body.current]).toEqual(expected)
  }
})

const winners = [
  ['a change of the fence alone', `fence = fence + 1`, 'PENDING'],
  ['an intent, which leaves the fence', `state = 'SUBMITTING', phase = 'commit'`, 'SUBMITTING'],
  ['a claim', `state = 'PREPARING', fence = fence + 1`, 'PREPARING'],
] as const
test.each(winners.slice(0, sized(2, 3)))('a stop that loses to %s says so', async (_, change, state) => {
  const of = await author()
  const post = await failing(of, 'Raced')
  const worker = await sql.connect()
  try {
    // As a worker does it, while the stop has already read PENDING and waits for the row.
    await worker.query('begin')
    await worker.query(
      `update publication set ${change}, lease_until = app_now() + interval '1 hour' where post_id = $1`,
      [post.id],
    )
    const answer = of.ann.call<Problem>('POST', pathOf(post, 'stop'))
    await untilWaitedFor(sql, worker)
    await worker.query('commit')
    const { status, body } = await answer
    expect([status, body.code, body.current]).toEqual([409, 'invalid_state', state])
    expect((await first(of.ann, post))?.state).toBe(state)
  } finally {
    worker.release()
  }
})

const held = [
  ['PREPARING', '/photos', ['picture']],
  ['SUBMITTING', '/feed', []],
] as const
test.each(held.slice(0, sized(1, 2)))(
  'a target that a worker holds in %s cannot be stopped, and goes out once',
  async (state, path, pictures) => {
    const { ann, pages } = await author()
    // The answer comes after a second, long after the stop was refused.
    await fault(`${pages[0]?.externalId}${path}`, { delayMs: 20_000 }, 1)
    const media = await Promise.all(pictures.map(async () => (await uploadPicture(ann)).id))
    const post = await publish(ann, 'Held', [pages[0]!], media)
    await eventually(async () => (await first(ann, post))?.state === state, 10_000, 10)
    const { status, body } = await ann.call<Problem>('POST', pathOf(post, 'stop'))
    expect([status, body.code, body.current]).toEqual([409, 'invalid_state', state])
    await untilStatus(ann, post.id, ['PUBLISHED'])
    expect(await live(pages[0])).toEqual(['Held'])
  },
)

test('a person who stops a target gets no notice of it, the others do; of another failure all get one', async () => {
  const of = await author()
  const { session } = await newPerson(product.url, 'Bob')
  await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'ADMIN')`, [
    of.ann.workspaceId,
    session.user.id,
  ])
  const bob = asPerson(product.url, session, of.ann.workspaceId)
  const told = async () => {
    const { rows } = await sql.query<{ user: string; post: string }>(
      `select user_id as user, data ->> 'postId' as post from notification where workspace_id = $1 and kind = 'post_failed'`,
      [of.ann.workspaceId],
    )
    return rows
  }
  const post = await failing(of, 'Stopped by Bob')
  await bob.must('POST', pathOf(post, 'stop'))
  expect(await told()).toEqual([{ user: of.ann.session.user.id, post: post.id }])
  await sql.query('delete from notification where workspace_id = $1', [of.ann.workspaceId])

  const [one, two] = of.pages as [SocialAccount, SocialAccount]
  const both = await publish(of.ann, 'One fails', [one, two], [(await uploadPicture(of.ann)).id])
  await rests(both, 'PENDING')
  // A worker may still hold the second target.
  await eventually(async () => {
    const failed = await sql.query(
      `update publication set state = 'FAILED', next_at = null, wait_reason = null, fence = fence + 1, error = $3
       where post_id = $1 and account_id = $2 and wait_reason = 'backoff' and lease_until is null and turn is null`,
      [both.id, two.id, errorFor('not_live')],
    )
    return failed.rowCount === 1
  })
  await bob.must('POST', pathOf(both, 'stop'))
  expect((await told()).map(({ user }) => user).toSorted()).toEqual(
    [of.ann.session.user.id, session.user.id].toSorted(),
  )
})

const RACING = sized(12, 40)
test(`stops and claims race for ${RACING} posts: each has one winner`, async () => {
  const { ann, pages } = await author()
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const posts = await Promise.all(
    Array.from({ length: RACING }, (_, i) =>
      ann.must<Post>('POST', '/posts', { caption: `Race ${i}`, targets: [pages[i % pages.length]?.id], scheduledAt }),
    ),
  )
  const ids = posts.map(({ id }) => id)
  const stopped = new Set<string>()
  const stop = async (post: Post) => {
    const { status, body } = await ann.call<Problem>('POST', pathOf(post, 'stop'))
    if (status === 200) stopped.add(post.caption)
    else expect([status, body.code]).toEqual([409, 'invalid_state'])
  }
  // Both kinds of winner are certain: the first stop comes while nothing is claimed, the last one after a claim.
  const publisher = await sql.connect()
  try {
    await publisher.query('select pg_advisory_lock($1)', [SWEEP_LOCK])
    await publisher.query(
      `with begun as (update post set status = 'PUBLISHING' where id = any ($1::uuid[]) returning id)
       update publication t set due_at = app_now(), next_at = app_now() from begun where t.post_id = begun.id`,
      [ids],
    )
    await stop(posts[0]!)
  } finally {
    await publisher.query('select pg_advisory_unlock($1)', [SWEEP_LOCK])
    publisher.release()
  }
  const [, ...others] = posts.toReversed()
  await Promise.all(others.map(stop))
  const last = posts.at(-1)!
  await eventually(async () => (await first(ann, last))?.state !== 'PENDING', 30_000, 10)
  await stop(last)
  await Promise.all(ids.map((id) => untilStatus(ann, id, ['PUBLISHED', 'FAILED'])))
  expect([stopped.has(posts[0]!.caption), stopped.has(last.caption)]).toEqual([true, false])
  const shown = (await Promise.all(pages.map(live))).flat()
  expect(shown.toSorted()).toEqual(posts.flatMap(({ caption }) => (stopped.has(caption) ? [] : [caption])).toSorted())
})

test('people who may publish are notified once that failures have delayed a post for 10 minutes', async () => {
  const of = await author()
  const post = await failing(of, 'Delayed')
  const told = async ({ id }: Post) =>
    (await of.ann.must<{ data: Notification[] }>('GET', '/notifications')).data.filter(
      ({ kind, data }) => kind === 'post_delayed' && (data as { postId: string }).postId === id,
    )
  const isTold = async ({ id }: Post) => {
    const { rows } = await sql.query<{ told: boolean }>(
      'select delay_told_at is not null as told from publication where post_id = $1',
      [id],
    )
    return rows[0]?.told
  }
  const delay = ({ id }: Post) =>
    sql.query("update publication set due_at = app_now() - interval '10 minutes' where post_id = $1", [id])
  expect([await isTold(post), await told(post)]).toEqual([false, []])
  await delay(post)
  await eventually(() => isTold(post))
  expect((await told(post)).map(({ data }) => data)).toEqual([
    { postId: post.id, excerpt: 'Delayed', accounts: [of.pages[0]?.name] },
  ])
  // A second failure of the same attempt sends no second notice. More rounds of the watch pass, each reporting another
  // post.
  await of.ann.must('POST', pathOf(post, 'retry-now'))
  await rests(post, 'PENDING')
  for (const caption of sized(['Delayed too'], ['Delayed too', 'Delayed as well'])) {
    const other = await failing(of, caption)
    await delay(other)
    await eventually(() => isTold(other))
  }
  expect(await told(post)).toHaveLength(1)
})
