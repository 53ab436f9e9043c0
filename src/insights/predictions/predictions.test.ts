import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Suggestion } from '../../assistant/ai/api.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { connectWithPast, passTime, readFigures } from '../../../test/history.ts'
import { connect, eventually, newPerson, type Person, untilStatus, uploadPicture } from '../../../test/world.ts'
import type { BestTimes, EngagementPrediction, PredictionAccuracy, Predictions } from './api.ts'

const { product, sql, sandbox } = useProduct({ env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' }, own: true })
let ann: Person
let account: SocialAccount
let young: SocialAccount

const asks = (post: number) => (post % 2 === 0 ? `Which bread today, number ${post}?` : `Bread number ${post}`)

beforeAll(async () => {
  ann = await newPerson(product.url)
  account = await connectWithPast(
    { sql, sandbox },
    ann,
    'u6101',
    Array.from({ length: 40 }, (_, post) => asks(post)),
  )
  young = await connectWithPast(
    { sql, sandbox },
    ann,
    'u6102',
    Array.from({ length: 12 }, (_, post) => asks(post)),
  )
})

const draft = (more: object = {}) =>
  ann.must<Post>('POST', '/posts', { caption: 'Which cake would you like?', targets: [account.id], ...more })
const predict = ({ id }: Post) => ann.must<Predictions>('POST', `/posts/${id}/predictions`, {})
const predictionsOf = ({ id }: Post) => ann.must<Predictions>('GET', `/posts/${id}/predictions`)
const accuracy = () => ann.must<PredictionAccuracy>('GET', `/predictions/accuracy?accountId=${account.id}`)
const only = ({ data }: Predictions) => {
  expect(data).toHaveLength(1)
  return data[0] as EngagementPrediction
}

test('a post is predicted for each account from posts made elsewhere, and refused if there are too few', async () => {
  const { data } = await predict(await draft({ targets: [account.id, young.id] }))
  const made = data.find(({ accountId }) => accountId === account.id)
  expect(made).toMatchObject({ verdict: 'predicted', version: 1, n: 40, actual: null })
  expect(data.find(({ accountId }) => accountId === young.id)).toMatchObject({
    verdict: 'too_little_data',
    have: 12,
    need: 20,
  })
  const { low, middle, high } = made as EngagementPrediction
  expect(low).toBeLessThan(middle)
  expect(middle).toBeLessThan(high)
  // The prediction is within the engagement of these posts.
  const { rows } = await sql.query<{ least: number; most: number }>(
    `select min(engagement)::int as least, max(engagement)::int as most from measured_post where account_id = $1`,
    [account.id],
  )
  expect(middle).toBeGreaterThanOrEqual(rows[0]!.least)
  expect(middle).toBeLessThanOrEqual(rows[0]!.most)
})

test('the prediction for an account that was removed from the post is not listed', async () => {
  const post = await draft({ targets: [account.id, young.id] })
  await predict(post)
  const { version } = await ann.must<Post>('GET', `/posts/${post.id}`)
  await ann.must('PATCH', `/posts/${post.id}`, { version, targets: [young.id] })
  expect((await predictionsOf(post)).data.map(({ accountId }) => accountId)).toEqual([young.id])
})

test('a version is predicted once, and an edited version again', async () => {
  const post = await draft()
  expect(await predictionsOf(post)).toEqual({ data: [], nextCursor: null })
  const first = only(await predict(post))
  // The posts of the account are not evaluated again, or this would wait for their tags.
  const client = await sql.connect()
  try {
    await client.query('begin; lock table post_tags in access exclusive mode')
    expect(only(await predict(post))).toEqual(first)
  } finally {
    await client.query('rollback')
    client.release()
  }
  const edited = await ann.must<Post>('PATCH', `/posts/${post.id}`, { caption: 'Cake.' })
  expect(only(await predictionsOf(edited))).toEqual(first)
  expect(only(await predict(edited))).toMatchObject({ version: edited.version })
  expect(edited.version).toBeGreaterThan(first.version)
})

test('a post can be edited while it is predicted, and then the edited version is predicted', async () => {
  const post = await draft()
  const client = await sql.connect()
  try {
    // The prediction waits for the tags of the posts.
    await client.query('begin; lock table post_tags in access exclusive mode')
    const predicting = predict(post)
    await eventually(async () => {
      const { rows } = await sql.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%post_tags%'`,
      )
      return rows.length > 0
    })
    await client.query('select from post where id = $1 for update nowait', [post.id])
    await client.query('update post set version = version + 1 where id = $1', [post.id])
    await client.query('commit')
    expect(only(await predicting)).toMatchObject({ version: post.version + 1 })
  } finally {
    client.release(true)
  }
})

describe('a prediction with an Idempotency-Key that breaks off', () => {
  /** Waits for a statement that waits for a lock, and returns its process. */
  const waiting = (statement: string) =>
    eventually(async () => {
      const { rows } = await sql.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
        [statement],
      )
      return rows[0]?.pid
    })
  /** Cuts a statement off, so that its request answers 503. */
  const cutOff = async (statement: string) => {
    await sql.query('select pg_cancel_backend($1)', [await waiting(statement)])
  }
  const ofPost = 'select from post where%for update'
  /** Predicts with a key. `call` repeats a request that was answered with 503. */
  const predictOnce = ({ id }: Post) =>
    ann.call<Predictions>('POST', `/posts/${id}/predictions`, {}, { 'idempotency-key': randomUUID() })

  test('is made by a repeat with the key', async () => {
    const post = await draft()
    const other = await sql.connect()
    try {
      await other.query('begin')
      await other.query('select from post where id = $1 for update', [post.id])
      const predicting = predictOnce(post)
      await cutOff(ofPost)
      await other.query('commit')
      const { status, body } = await predicting
      expect(status).toBe(200)
      expect(body).toEqual(await predictionsOf(post))
      expect(only(body)).toMatchObject({ version: 1, verdict: 'predicted' })
    } finally {
      other.release(true)
    }
  })

  test('is made by a repeat with the key, even if an edit has made the first computation useless', async () => {
    const post = await draft()
    const [editing, tagging] = [await sql.connect(), await sql.connect()]
    try {
      await editing.query('begin')
      await editing.query('update post set version = version + 1 where id = $1', [post.id])
      const predicting = predictOnce(post)
      await waiting(ofPost)
      // The second computation waits for the tags of the posts.
      await tagging.query('begin; lock table post_tags in access exclusive mode')
      await editing.query('commit')
      await cutOff('%post_tags%')
      await tagging.query('commit')
      const { status, body } = await predicting
      expect(status).toBe(200)
      expect(only(body)).toMatchObject({ version: post.version + 1, verdict: 'predicted' })
    } finally {
      editing.release(true)
      tagging.release(true)
    }
  })
})

describe('a post that goes live', () => {
  let post: Post
  let before: EngagementPrediction

  beforeAll(async () => {
    post = await draft()
    before = only(await predict(post))
    await ann.must('POST', `/posts/${post.id}/publish`, {})
    post = await untilStatus(ann, post.id, ['PUBLISHED'])
  })

  test('is no longer predicted, and keeps its last prediction', async () => {
    expect(await ann.call('POST', `/posts/${post.id}/predictions`, {})).toMatchObject({
      status: 409,
      body: { code: 'already_published', current: 'PUBLISHED' },
    })
    expect(only(await predictionsOf(post))).toEqual(before)
    expect(await accuracy()).toEqual({ accountId: account.id, inside: 0, of: 0, skill: null })
  })

  test('gets its engagement by day 7 next to the prediction, and counts as an outcome', async () => {
    const reading = async () => {
      const { rows } = await sql.query<{ engagement: number; age: number }>(
        `select m.engagement::int as engagement, m.age_hours::float8 as age from post_metric m join measured_post p on p.id = m.post_id
          join delivery d on d.id = p.delivery_id where d.post_id = $1 order by m.day desc limit 1`,
        [post.id],
      )
      return rows[0]
    }
    const until = async (age: number) => {
      await readFigures({ sql }, ann.workspaceId, account.id, async () => ((await reading())?.age ?? 0) >= age)
      return (await reading())!.engagement
    }
    await passTime({ sql, sandbox }, 6 * 24)
    await until(6 * 24)
    expect(only(await predictionsOf(post)).actual).toBeNull()
    await passTime({ sql, sandbox }, 25)
    const engagement = await until(7 * 24)
    expect(only(await predictionsOf(post))).toEqual({ ...before, actual: engagement })
    const isInside = before.low <= engagement && engagement <= before.high
    expect(await accuracy()).toMatchObject({ inside: isInside ? 1 : 0, of: 1 })
    // A later reading does not change it.
    await passTime({ sql, sandbox }, 4 * 24)
    await until(10 * 24)
    await sql.query(
      `update post_metric m set likes = m.likes + 1000 from measured_post p join delivery d on d.id = p.delivery_id
        where p.id = m.post_id and d.post_id = $1 and m.age_hours >= 240`,
      [post.id],
    )
    expect(only(await predictionsOf(post)).actual).toBe(engagement)
  })
})

test('a story has no prediction', async () => {
  const [photo] = await connect(ann, 'NET_PHOTO', 'u6103')
  const post = (kind: string) =>
    draft({ targets: [photo!.id], platformOptions: { NET_PHOTO: { kind } }, mediaIds: [picture.id] })
  const picture = await uploadPicture(ann)
  expect((await predict(await post('post'))).data).toMatchObject([{ verdict: 'too_little_data', have: 0 }])
  expect(await predict(await post('story'))).toEqual({ data: [], nextCursor: null })
})

test('best times need 30 posts', async () => {
  const of = ({ id }: SocialAccount) => ann.must<BestTimes>('GET', `/analytics/best-times?accountId=${id}`)
  expect(await of(young)).toEqual({
    accountId: young.id,
    timezone: 'Europe/Berlin',
    verdict: 'too_little_data',
    have: 12,
    need: 30,
    slots: [],
  })
  expect(await of(account)).toMatchObject({
    have: expect.any(Number),
    need: 30,
    verdict: expect.not.stringMatching('too'),
  })
  expect((await ann.call('GET', '/analytics/best-times?accountId=0b9e3c1e-0000-4000-8000-000000000000')).status).toBe(
    404,
  )
})

test('ideas name better times, and repeat posts that did well', async () => {
  // Every slot gets posts, whatever time it is now. Those of weekday evenings have eight times the likes.
  await sql.query(
    `with spread as (
      select p.id, (p.published_at at time zone 'Europe/Berlin')::date
          + make_interval(hours => 4 * (row_number() over (order by p.published_at, p.id) % 6)::int) as wall
        from measured_post p where p.account_id = $1 and p.delivery_id is null
    ), moved as (
      update measured_post p set published_at = s.wall at time zone 'Europe/Berlin' from spread s where s.id = p.id
    )
    update post_metric m set likes = case when extract(hour from s.wall) = 20 and extract(isodow from s.wall) < 6 then 80 else 10 end
      from spread s where s.id = m.post_id`,
    [account.id],
  )
  const live = async (caption: string, likes: number) => {
    const { id } = await draft({ caption, action: 'publish' })
    await untilStatus(ann, id, ['PUBLISHED'])
    await sql.query(`update post set published_at = published_at - interval '70 days' where id = $1`, [id])
    await sql.query(
      `insert into measured_post (workspace_id, id, account_id, delivery_id, external_id, kind, caption, published_at)
        select workspace_id, id, account_id, id, id, 'post', $2, app_now() - interval '70 days' from delivery where post_id = $1
        on conflict (workspace_id, delivery_id) do update set published_at = excluded.published_at`,
      [id, caption],
    )
    const day = `(app_now() - interval '63 days')::date`
    await sql.query(`select post_metric_month(${day})`)
    await sql.query(
      `insert into post_metric (workspace_id, post_id, day, read_at, age_hours, likes)
        select m.workspace_id, m.id, ${day}, app_now(), 170, $2 from measured_post m
        join delivery d on d.id = m.delivery_id where d.post_id = $1`,
      [id, likes],
    )
  }
  await live('The cake that everybody liked', 500)
  await live('The cake that nobody saw', 10)
  const { data } = await ann.must<{ data: Suggestion[] }>('POST', '/ai/suggestions/refresh', {})
  const reasons = (kind: string) =>
    data.filter((idea) => idea.kind === kind).map(({ title, reason }) => `${title} ${reason}`)
  expect(reasons('time')[0]).toMatch(/8:00 PM .*: \d+ posts at this time got [\d.]+ times the usual engagement/)
  expect(reasons('repost')).toHaveLength(1)
  expect(reasons('repost')[0]).toMatch(/The cake that everybody liked It got more engagement than \d+% of the posts/)
})
