import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { long, sized } from '../../../test/tier.ts'
import {
  addFault,
  call,
  connectPages,
  eventually,
  liveOn,
  newPerson,
  type Person,
  picture,
  type Problem,
  untilSentAgain,
  untilStatus,
  uploadPicture,
  wake,
  graphError,
} from '../../../test/world.ts'
import type { Post, Publication } from '../posts/api.ts'
import type { PostEvent } from './api.ts'

/** The list in which a lost answer is looked for, as opposed to the one that metrics use. */
const READ_BACK = '/published_posts\\?.*limit=100'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const { product, sql } = useProduct({ env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' }, own: true })
let sandbox: string
let ann: Person
let pages: SocialAccount[]
let person = 1

beforeAll(async () => {
  sandbox = `${product.url}/sandbox`
})

/** Every test has its own people, pages and calls, but all share the faults and the clock. */
beforeEach(async () => {
  await call(sandbox, 'DELETE', '/faults')
  ann = await newPerson(product.url)
  pages = await connectPages(ann, `u${(person += 1)}`)
})

let texts = 0
const text = () => `post number ${(texts += 1)}`

const publish = (targets: string[], caption = text()) =>
  ann.must<Post>('POST', '/posts', { caption, targets, action: 'publish' })

const get = (id: string) => ann.must<Post>('GET', `/posts/${id}`)

const first = (post: Post) => post.publications[0] as Publication

async function liveTexts(account: SocialAccount): Promise<string[]> {
  return ((await liveOn(sandbox)).get(account.externalId) ?? []).map((post) => post.message)
}

/** Moves the clock of the product only. */
async function moveClock(milliseconds: number): Promise<void> {
  await sql.query('update app_clock set shift = shift + make_interval(secs => $1::float8 / 1000)', [milliseconds])
}

const untilState = (id: string, states: Publication['state'][], limit?: number) =>
  eventually(async () => {
    const post = await get(id)
    return states.includes(first(post).state) ? post : undefined
  }, limit)

describe('a lost answer', () => {
  /** Has the network read `times` times without letting time pass. */
  const readAtOnce = async (id: string, times: number) => {
    for (let read = 0; read < times; read += 1) {
      await eventually(async () => {
        const { rowCount } = await sql.query(
          `update publication set next_at = app_now() where post_id = $1 and lease_until is null and turn is null and next_at > app_now()`,
          [id],
        )
        return rowCount === 1
      })
      await wake(sql)
    }
    await eventually(async () => {
      const waiting =
        'select from publication where post_id = $1 and lease_until is null and turn is null and next_at > app_now()'
      return (await sql.query(waiting, [id])).rowCount === 1
    })
  }

  test('of a commit with an effect is settled by reading: live once, sent once', async () => {
    await addFault(sandbox, { match: { method: 'POST', path: '/feed' }, do: { drop: 'after' }, times: 1 })
    const { id, caption } = await publish([pages[0]!.id])
    const post = await untilStatus(ann, id, ['PUBLISHED'])
    expect(first(post)).toMatchObject({ state: 'PUBLISHED', attempts: 1, error: null })
    expect(first(post).permalink).toContain('/feed/')
    expect(await liveTexts(pages[0]!)).toEqual([caption])
  })

  const answers = [
    ['a 500 after the effect', { status: 500, body: graphError({ code: 2, message: 'Please retry' }), after: true }],
    ['an unreadable body after the effect', { status: 200, body: '<html>', after: true }],
    ['a 504 after the effect', { status: 504, body: 'Gateway timeout', after: true }],
  ] as const
  test.each(answers.slice(0, sized(1, 3)))(
    '%s leaves the outcome unknown and is not a failure: live once',
    async (_, fault) => {
      await addFault(sandbox, { match: { method: 'POST', path: '/feed' }, do: fault, times: 1 })
      const { id, caption } = await publish([pages[0]!.id])
      expect(first(await untilStatus(ann, id, ['PUBLISHED']))).toMatchObject({ attempts: 1 })
      expect(await liveTexts(pages[0]!)).toEqual([caption])
    },
  )

  test('of a commit without an effect is sent again, but only after two reads have proven its absence', async () => {
    await addFault(sandbox, { match: { method: 'POST', path: '/feed' }, do: { drop: 'before' }, times: 1 })
    const { id, caption } = await publish([pages[0]!.id])
    await untilState(id, ['SUBMITTING'])
    await readAtOnce(id, 3)
    // Reads this early prove nothing yet.
    expect(first(await get(id))).toMatchObject({ state: 'SUBMITTING', attempts: 1 })
    const post = await untilSentAgain(sql, ann, id)
    expect(first(post)).toMatchObject({ state: 'PUBLISHED', attempts: 2 })
    expect(await liveTexts(pages[0]!)).toEqual([caption])
  })

  test('that cannot be read back becomes UNCONFIRMED after 30 minutes, and is never sent a second time', async () => {
    await addFault(sandbox, { match: { method: 'POST', path: '/feed' }, do: { drop: 'after' }, times: 1 })
    await addFault(sandbox, {
      match: { path: '/published_posts' },
      do: { status: 500, body: graphError({ code: 2, message: 'down' }) },
    })
    const { id, caption } = await publish([pages[0]!.id])
    await untilState(id, ['SUBMITTING'])
    await moveClock(31 * MINUTE)
    const post = await untilSentAgain(sql, ann, id)
    expect(first(post)).toMatchObject({ state: 'UNCONFIRMED', attempts: 1, error: { code: 'outcome_unknown' } })
    expect(await liveTexts(pages[0]!)).toEqual([caption])

    const refused = await Promise.all([
      ann.call<Problem>('PATCH', `/posts/${id}`, { caption: 'other' }),
      ann.call<Problem>('PATCH', `/posts/${id}`, { targets: [pages[1]!.id] }),
      ann.call<Problem>('DELETE', `/posts/${id}`),
      ann.call<Problem>('POST', `/posts/${id}/retry`),
      ann.call<Problem>('POST', `/posts/${id}/retry`, { publicationIds: [first(post).id] }),
      ann.call<Problem>('DELETE', `/social-accounts/${pages[0]!.id}?confirm=true`),
    ])
    expect(refused.map((each) => [each.status, each.body.code])).toEqual(refused.map(() => [409, 'outcome_unknown']))

    const url = `/posts/${id}/publications/${first(post).id}/resolve`
    const resolved = await ann.must<Post>('POST', url, { outcome: 'live', permalink: 'https://example.test/p/1' })
    expect(resolved).toMatchObject({ status: 'PUBLISHED' })
    expect(first(resolved)).toMatchObject({ state: 'PUBLISHED', permalink: 'https://example.test/p/1', error: null })
    expect((await ann.call('POST', url, { outcome: 'live' })).status).toBe(409)
  })

  test('resolved as not live is FAILED, and a retry sends the post', async () => {
    await addFault(sandbox, { match: { method: 'POST', path: '/feed' }, do: { drop: 'before' }, times: 1 })
    await addFault(sandbox, { match: { path: '/published_posts' }, do: { status: 503, body: 'down' } })
    const { id, caption } = await publish([pages[0]!.id])
    await untilState(id, ['SUBMITTING'])
    await moveClock(31 * MINUTE)
    const post = await untilSentAgain(sql, ann, id)
    expect(first(post).state).toBe('UNCONFIRMED')
    const url = `/posts/${id}/publications/${first(post).id}/resolve`
    expect(first(await ann.must<Post>('POST', url, { outcome: 'not_live' }))).toMatchObject({
      state: 'FAILED',
      error: { code: 'not_live' },
    })
    await ann.must('POST', `/posts/${id}/retry`)
    await untilStatus(ann, id, ['PUBLISHED'])
    expect(await liveTexts(pages[0]!)).toEqual([caption])
  })

  test('is found even if the network clock jumps over midnight and a daylight saving change', async () => {
    await addFault(sandbox, { match: { method: 'POST', path: '/feed' }, do: { drop: 'after' }, times: 1 })
    await addFault(sandbox, { match: { path: READ_BACK }, do: { status: 500, body: 'down' }, times: 2 })
    const { id, caption } = await publish([pages[0]!.id])
    await untilState(id, ['SUBMITTING'])
    await call(sandbox, 'POST', '/clock', { advanceMs: 26 * HOUR })
    expect(first(await untilSentAgain(sql, ann, id))).toMatchObject({ state: 'PUBLISHED', attempts: 1 })
    expect(await liveTexts(pages[0]!)).toEqual([caption])
  })

  test('is not settled by another post with the same text', async () => {
    const caption = text()
    const one = await publish([pages[0]!.id], caption)
    await untilStatus(ann, one.id, ['PUBLISHED'])
    await untilStatus(ann, (await publish([pages[0]!.id])).id, ['PUBLISHED'])
    await addFault(sandbox, { match: { method: 'POST', path: '/feed' }, do: { drop: 'before' }, times: 1 })
    const two = await publish([pages[0]!.id], caption)
    await untilState(two.id, ['SUBMITTING'])
    const post = await untilSentAgain(sql, ann, two.id)
    expect(first(post)).toMatchObject({ state: 'PUBLISHED', attempts: 2 })
    expect((await liveTexts(pages[0]!)).filter((each) => each === caption)).toHaveLength(2)
  })
})

describe('pictures', () => {
  const withPictures = async (count: number) => {
    const files = []
    for (let i = 0; i < count; i += 1) files.push(await uploadPicture(ann, await picture(300 + i, 200)))
    return files.map((file) => file.id)
  }
  const unpublished = async () => {
    const { body } = await call<{ networks: { NET_PAGE: { accounts: { id: string; unpublished: number }[] } } }>(
      sandbox,
      'GET',
      '/state',
    )
    return body.networks.NET_PAGE.accounts.find((each) => each.id === pages[0]!.externalId)?.unpublished
  }

  test('go out together in one post, and the network fetches them from this service', async () => {
    const media = await withPictures(3)
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: text(),
      media,
      targets: [pages[0]!.id],
      action: 'publish',
    })
    await untilStatus(ann, id, ['PUBLISHED'])
    const [live] = (await liveOn(sandbox)).get(pages[0]!.externalId) ?? []
    expect(new Set(live?.photos.map((photo) => photo.sha256)).size).toBe(3)
  })

  test('are uploaded once and used again after a refused commit', async () => {
    await addFault(sandbox, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ code: 1363047, error_subcode: 1363047, message: 'Try again' }) },
      times: 1,
    })
    const media = await withPictures(2)
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: text(),
      media,
      targets: [pages[0]!.id],
      action: 'publish',
    })
    const post = await untilSentAgain(sql, ann, id)
    expect(first(post)).toMatchObject({ state: 'PUBLISHED', attempts: 2 })
    expect(await unpublished()).toBe(0)
  })

  test('with a lost commit are found by their ids, even if the same text is already live', async () => {
    const caption = text()
    await untilStatus(ann, (await publish([pages[0]!.id], caption)).id, ['PUBLISHED'])
    await addFault(sandbox, { match: { method: 'POST', path: '/feed' }, do: { drop: 'after' }, times: 1 })
    const media = await withPictures(1)
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption,
      media,
      targets: [pages[0]!.id],
      action: 'publish',
    })
    expect(first(await untilStatus(ann, id, ['PUBLISHED']))).toMatchObject({ attempts: 1 })
    expect(await liveTexts(pages[0]!)).toEqual([caption, caption])
  })
})

describe('a worker that lost the lease', () => {
  /** Makes the row look as if its lease had expired and another worker had claimed it. */
  const takeOver = (id: string, change: string) =>
    sql.query(
      `update publication set fence = fence + 1, lease_until = null, turn = null, ${change} where post_id = $1`,
      [id],
    )

  test('and returns late changes nothing, and nothing is sent twice', async () => {
    await addFault(sandbox, {
      match: { method: 'POST', path: '/feed' },
      do: { delayMs: 40_000, after: true },
      times: 2,
    })
    const { id, caption } = await publish([pages[0]!.id])
    await eventually(async () => (await liveTexts(pages[0]!)).length === 1)
    // This post is sent later and its answer is as slow, so once it is answered, the first one has been answered too.
    const later = await publish([pages[1]!.id])
    await takeOver(id, 'next_at = app_now()')
    const post = await untilStatus(ann, id, ['PUBLISHED'])
    await untilStatus(ann, later.id, ['PUBLISHED'])
    expect(first(await get(id))).toEqual(first(post))
    expect(await liveTexts(pages[0]!)).toEqual([caption])
  })

  test('but learns the id of a live post records it, and the new worker stops', async () => {
    await addFault(sandbox, {
      match: { method: 'POST', path: '/feed' },
      do: { delayMs: 40_000, after: true },
      times: 1,
    })
    const { id, caption } = await publish([pages[0]!.id])
    await eventually(async () => (await liveTexts(pages[0]!)).length === 1)
    await takeOver(
      id,
      "state = 'PENDING', phase = null, wait_reason = 'backoff', next_at = app_now() + interval '1 hour'",
    )
    const post = await untilStatus(ann, id, ['PUBLISHED'])
    expect(first(post)).toMatchObject({ state: 'PUBLISHED', waitReason: null, nextAttemptAt: null })
    expect(await liveTexts(pages[0]!)).toEqual([caption])
  })
})

describe('targets of one post', () => {
  test('are never worked on at the same time', async () => {
    await addFault(sandbox, { match: { method: 'POST', path: '/feed' }, do: { delayMs: 6_000 } })
    const more = await connectPages(ann, `u${(person += 1)}`)
    const targets = [...new Set([...pages, ...more].map((page) => page.id))]
    const { id } = await publish(targets)
    let most = 0
    let over = false
    const watch = async () => {
      while (!over) {
        const { rows } = await sql.query<{ busy: string }>(
          'select count(*) as busy from publication where post_id = $1 and lease_until > app_now()',
          [id],
        )
        most = Math.max(most, Number(rows[0]?.busy))
        await sleep(5)
      }
    }
    const watching = watch()
    await untilStatus(ann, id, ['PUBLISHED'])
    over = true
    await watching
    expect(targets.length).toBeGreaterThanOrEqual(3)
    expect(most).toBe(1)
  })

  test('do not wait for a delayed one: the next one starts', async () => {
    await addFault(sandbox, {
      match: { method: 'POST', path: `${pages[0]!.externalId}/feed` },
      do: { status: 400, body: graphError({ code: 368, message: 'Blocked for now' }) },
      times: 1,
    })
    await addFault(sandbox, {
      match: { method: 'POST', path: `${pages[1]!.externalId}/feed` },
      do: { status: 400, body: graphError({ code: 32, message: 'Too many calls' }) },
      times: 1,
    })
    const { id, caption } = await publish([pages[0]!.id, pages[1]!.id])
    const post = await untilStatus(ann, id, ['PARTIALLY_PUBLISHED'])
    expect(post.publications).toMatchObject([
      { state: 'FAILED', error: { code: 'policy', networkCode: '368', who: 'admin' } },
      { state: 'PUBLISHED' },
    ])
    // It happens when it went live, although it has no time as a whole yet.
    expect(post).toMatchObject({ publishedAt: null, happensAt: post.publications[1]!.publishedAt })
    const refused = await ann.call<Problem>('PATCH', `/posts/${id}`, { caption: 'other' })
    expect([refused.status, refused.body.code]).toEqual([409, 'already_published'])
    const live = await ann.call<Problem>('POST', `/posts/${id}/retry`, { publicationIds: [post.publications[1]!.id] })
    expect([live.status, live.body.code]).toEqual([409, 'already_published'])
    const { id: nobody } = await ann.must<Post>('POST', '/posts', { caption: 'x' })
    expect((await ann.call('POST', `/posts/${id}/retry`, { publicationIds: [nobody] })).status).toBe(422)

    const again = await ann.must<Post>('POST', `/posts/${id}/retry`)
    expect(again).toMatchObject({ status: 'PUBLISHING', happensAt: post.happensAt })
    const whole = await untilStatus(ann, id, ['PUBLISHED'])
    expect(whole.publishedAt).toBe(
      whole.publications.map((each) => each.publishedAt ?? '').reduce((a, b) => (a > b ? a : b)),
    )
    for (const page of pages) expect(await liveTexts(page)).toEqual([caption])
    // Failures stay in the history, hidden from strangers.
    const path = `/posts/${id}/events`
    const { data } = await ann.must<{ data: PostEvent[] }>('GET', path)
    const ofFirst = { publicationIds: [first(post).id] }
    const by = ann.session.user.name
    expect(data).toMatchObject([
      { action: 'post.publish_requested', publicationIds: [], by, scheduledAt: null },
      { action: 'publication.failed', ...ofFirst, by: null },
      { action: 'post.retried', ...ofFirst, by },
    ])
    expect((await (await newPerson(product.url)).call('GET', path)).status).toBe(404)
  })

  test('can be dropped if failed, which makes a partly live post PUBLISHED', async () => {
    await addFault(sandbox, {
      match: { method: 'POST', path: `${pages[0]!.externalId}/feed` },
      do: { status: 400, body: graphError({ code: 368, message: 'Blocked' }) },
      times: 1,
    })
    const { id } = await publish([pages[0]!.id, pages[1]!.id])
    await untilStatus(ann, id, ['PARTIALLY_PUBLISHED'])
    const kept = await ann.must<Post>('PATCH', `/posts/${id}`, { targets: [pages[1]!.id] })
    expect(kept).toMatchObject({ status: 'PUBLISHED', targets: [pages[1]!.id] })
    expect(kept.publications.find((each) => each.accountId === pages[0]!.id)).toMatchObject({
      state: 'FAILED',
      dropped: true,
    })
    expect(kept.publishedAt).not.toBeNull()
  })

  test('start over when an edit makes their FAILED post a draft', async () => {
    await addFault(sandbox, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ code: 100, error_user_msg: 'This text is not possible' }) },
      times: 1,
    })
    const { id } = await publish([pages[0]!.id])
    const failed = await untilStatus(ann, id, ['FAILED'])
    expect(first(failed)).toMatchObject({
      error: { code: 'content', message: 'This text is not possible', who: 'author' },
    })
    const caption = text()
    const edited = await ann.must<Post>('PATCH', `/posts/${id}`, { caption })
    expect(edited.status).toBe('DRAFT')
    const again = await ann.must<Post>('POST', `/posts/${id}/publish`)
    expect(first(again)).toMatchObject({ attempts: 0, error: null })
    await untilStatus(ann, id, ['PUBLISHED'])
    expect(await liveTexts(pages[0]!)).toEqual([caption])
  })
})

describe('a scheduled post', () => {
  const scheduleIn = (milliseconds: number, targets: string[]) =>
    ann.must<Post>('POST', '/posts', {
      caption: text(),
      targets,
      scheduledAt: new Date(Date.now() + shift + milliseconds).toISOString(),
    })
  let shift = 0
  beforeEach(async () => {
    const { rows } = await sql.query<{ ms: number }>(
      'select (extract(epoch from shift) * 1000)::float8 as ms from app_clock',
    )
    shift = rows[0]!.ms
  })

  test('tells who gave it which time, took it off the schedule and published it, in the order of writing', async () => {
    const post = await scheduleIn(HOUR, [pages[0]!.id])
    const path = `/posts/${post.id}`
    const later = (hours: number) => new Date(Date.parse(post.scheduledAt!) + hours * HOUR).toISOString()
    await ann.must('POST', `${path}/schedule`, { scheduledAt: later(1) })
    await ann.must('PATCH', path, { scheduledAt: later(2) })
    await ann.must('POST', `${path}/cancel`)
    await ann.must('POST', `${path}/submit`)
    await ann.must('PATCH', path, { scheduledAt: later(3) })
    await ann.must('POST', `${path}/publish`)
    await untilStatus(ann, post.id, ['PUBLISHED'])
    const { data } = await ann.must<{ data: PostEvent[] }>('GET', `${path}/events`)
    expect(data.map(({ action, scheduledAt }) => [action, scheduledAt])).toEqual([
      ['post.scheduled', post.scheduledAt],
      ['post.scheduled', later(1)],
      ['post.scheduled', later(2)],
      ['post.cancelled', null],
      ['approval.requested', null],
      ['approval.withdrawn', null],
      ['post.publish_requested', null],
    ])
    expect(new Set(data.map(({ by }) => by))).toEqual(new Set([ann.session.user.name]))
    // The demo dates its posts into the past. Their earlier history would then be younger than they are.
    await ann.must('POST', `${path}/backdate`, { publishedAt: new Date(Date.now() - 10 * HOUR).toISOString() })
    expect((await ann.must<{ data: PostEvent[] }>('GET', `${path}/events`)).data).toEqual([])
  })

  test('goes out at its time and not before', async () => {
    const post = await scheduleIn(1_500, [pages[0]!.id])
    const live = await untilStatus(ann, post.id, ['PUBLISHED'])
    expect(live.late).toBe(false)
    const { rows } = await sql.query<{ at: Date }>('select intent_at as at from publication where post_id = $1', [
      post.id,
    ])
    expect(rows[0]!.at.getTime()).toBeGreaterThanOrEqual(Date.parse(post.scheduledAt!))
    expect(await liveTexts(pages[0]!)).toEqual([post.caption])
  })

  test('missed by hours goes out marked late; missed by more than a day it is FAILED, and a retry sends it', async () => {
    const late = await scheduleIn(HOUR, [pages[0]!.id])
    await moveClock(3 * HOUR)
    expect(await untilStatus(ann, late.id, ['PUBLISHED'])).toMatchObject({ late: true })
    shift += 3 * HOUR
    const missed = await scheduleIn(HOUR, [pages[1]!.id])
    await moveClock(26 * HOUR)
    const failed = await untilStatus(ann, missed.id, ['FAILED'])
    expect(failed).toMatchObject({ late: true })
    expect(first(failed)).toMatchObject({ state: 'FAILED', error: { code: 'missed', retryable: true } })
    await ann.must('POST', `/posts/${missed.id}/retry`)
    await untilStatus(ann, missed.id, ['PUBLISHED'])
    expect(await liveTexts(pages[1]!)).toEqual([missed.caption])
  })

  test('whose accounts are all paused stays SCHEDULED, and goes out when one is resumed', async () => {
    await ann.must('PATCH', `/social-accounts/${pages[0]!.id}`, { paused: true })
    const post = await scheduleIn(500, [pages[0]!.id])
    await eventually(async () => first(await get(post.id)).waitReason === 'account_paused')
    expect((await get(post.id)).status).toBe('SCHEDULED')
    await ann.must('PATCH', `/social-accounts/${pages[0]!.id}`, { paused: false })
    await untilStatus(ann, post.id, ['PUBLISHED'])
    expect(await liveTexts(pages[0]!)).toEqual([post.caption])
  })

  test('held for a day is FAILED with the reason', async () => {
    await ann.must('PATCH', `/social-accounts/${pages[0]!.id}`, { paused: true })
    const post = await scheduleIn(500, [pages[0]!.id])
    await eventually(async () => first(await get(post.id)).waitReason === 'account_paused')
    await moveClock(25 * HOUR)
    const failed = await untilStatus(ann, post.id, ['FAILED'])
    expect(first(failed)).toMatchObject({ error: { code: 'account_paused' } })
    expect(await liveTexts(pages[0]!)).toEqual([])
  })

  test('without targets is FAILED, so that nothing is lost silently', async () => {
    const post = await scheduleIn(300, [])
    await untilStatus(ann, post.id, ['FAILED'])
    // A retry asks for an account: nothing was sent, so nothing may be live.
    const again = await ann.call<Problem>('POST', `/posts/${post.id}/retry`)
    expect([again.status, again.body.errors?.map(({ code, path }) => `${path} ${code}`)]).toEqual([
      422,
      ['/targets no_target'],
    ])
  })
})

describe('an account', () => {
  test('with a refused token asks to be reconnected; its post waits and goes out afterwards', async () => {
    await call(sandbox, 'POST', '/accounts', { id: pages[0]!.externalId, do: 'revoke' })
    const { id, caption } = await publish([pages[0]!.id])
    const waiting = await eventually(async () => {
      const post = await get(id)
      return first(post).waitReason === 'reconnect_needed' ? post : undefined
    })
    expect(waiting.status).toBe('PUBLISHING')
    const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
    expect(data.find((each) => each.id === pages[0]!.id)?.status).toBe('RECONNECT_NEEDED')
    await call(sandbox, 'POST', '/accounts', { id: pages[0]!.externalId, do: 'restore' })
    await connectPages(ann, `u${person}`)
    await untilStatus(ann, id, ['PUBLISHED'])
    expect(await liveTexts(pages[0]!)).toEqual([caption])
  })

  test.runIf(long)(
    'reconnected while its old token is refused keeps the new one, and the post goes out soon',
    async () => {
      await addFault(sandbox, {
        match: { method: 'POST', path: `/${pages[0]!.externalId}/feed` },
        do: { delayMs: 30_000, status: 401, body: graphError({ code: 190, message: 'The token has ended.' }) },
        times: 1,
      })
      const { id } = await publish([pages[0]!.id])
      await untilState(id, ['SUBMITTING'])
      await connectPages(ann, `u${person}`)
      await untilStatus(ann, id, ['PUBLISHED'], 15_000)
      const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
      expect(data.find((each) => each.id === pages[0]!.id)?.status).toBe('CONNECTED')
    },
  )

  test('in use is disconnected only on confirmation, which fails its waiting targets; reconnecting reuses the row', async () => {
    const at = new Date(Date.now() + 900 * HOUR).toISOString()
    const post = await ann.must<Post>('POST', '/posts', { caption: text(), targets: [pages[0]!.id], scheduledAt: at })
    const refused = await ann.call<Problem>('DELETE', `/social-accounts/${pages[0]!.id}`)
    expect([refused.status, refused.body.code, refused.body.count]).toEqual([409, 'account_in_use', 1])
    expect((await ann.call('DELETE', `/social-accounts/${pages[0]!.id}?confirm=true`)).status).toBe(204)
    expect(first(await get(post.id))).toMatchObject({ state: 'FAILED', error: { code: 'account_disconnected' } })
    const { rows } = await sql.query('select access_token, user_token from social_account where id = $1', [
      pages[0]!.id,
    ])
    expect(rows).toEqual([{ access_token: null, user_token: null }])
    const again = await connectPages(ann, `u${person}`)
    expect(again.map((page) => page.id).toSorted()).toEqual(pages.map((page) => page.id).toSorted())
  })
})
