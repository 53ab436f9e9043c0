import { beforeAll, expect, test } from 'vitest'
import type { PostTags } from '../../assistant/ai/api.ts'
import type { SocialAccount } from '../../channels/api.ts'
import { hashSecret } from '../../core/platform/crypto.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { behave, modelCalls } from '../../../test/ai.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { connectWithPast } from '../../../test/history.ts'
import { addJob } from '../../../test/jobs.ts'
import { eventually, newPerson, type Person, untilStatus } from '../../../test/world.ts'

const { product, sql, sandbox } = useProduct({ env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' }, own: true })
let ann: Person
let account: SocialAccount

beforeAll(async () => {
  ann = await newPerson(product.url)
  account = await connectWithPast({ sql, sandbox }, ann, 'u6301', [
    'Fresh rye bread',
    'Is tea better? #tea',
    'Sale: 20 % off',
  ])
  // The job that tags them is written after the last page of the list.
  await eventually(async () => {
    const posts = await found()
    return posts.length === 3 && posts.every(({ topic }) => topic !== null)
  }, 60_000)
  await untilTagged()
})

/** Tags the posts of the workspace as the hourly sweep does. */
async function sweep(): Promise<void> {
  await addJob(sql, 'post-classify', {}, { key: 'sweep of tags' })
  await untilTagged()
}

/** Waits until nothing is being tagged. */
const untilTagged = () =>
  eventually(async () => {
    const { rows } = await sql.query<{ key: string | null }>(
      `select key from graphile_worker.jobs where task_identifier = 'post-classify'`,
    )
    return rows.length === 0
  }, 60_000)

async function publish(caption: string): Promise<Post> {
  const { id } = await ann.must<Post>('POST', '/posts', { caption, targets: [account.id], action: 'publish' })
  return untilStatus(ann, id, ['PUBLISHED'], 60_000)
}
const tagsOf = async ({ id }: Post) => (await ann.must<{ data: PostTags | null }>('GET', `/posts/${id}/tags`)).data
const correct = ({ id }: Post, change: object) => ann.call<{ data: PostTags }>('PUT', `/posts/${id}/tags`, change)
const asked = async () =>
  (await modelCalls(product.url)).filter(({ prompt }) => prompt.includes('"task":"classify"')).length
const usedUp = () =>
  sql.query(
    `insert into try_count (key, tries, ends_at) values ($1, 100, app_now() + interval '1 day')
      on conflict (key) do update set tries = 100, ends_at = excluded.ends_at`,
    [hashSecret(`tags ${ann.workspaceId}`)],
  )
const found = async () => {
  const { rows } = await sql.query<{ caption: string; topic: string | null; tone: string | null }>(
    `select caption, topic, tone from measured_post where account_id = $1 and delivery_id is null order by published_at`,
    [account.id],
  )
  return rows
}

test('posts from before an account was connected are tagged once they are first listed', async () => {
  expect(await found()).toHaveLength(3)
  expect(await asked()).toBe(3)
})

test('posts made here and elsewhere are tagged once, by the model, at no cost', async () => {
  const post = await publish('Our new cinnamon rolls')
  expect(await tagsOf(post)).toBeNull()
  await sweep()
  expect(await tagsOf(post)).toMatchObject({ postId: post.id, source: 'model', format: 'text' })
  const there = await found()
  expect(there).toHaveLength(3)
  for (const { topic, tone } of there) expect([topic, tone]).not.toContain(null)
  expect(await asked()).toBe(4)
  await sweep()
  expect(await asked()).toBe(4)
  const { rows } = await sql.query('select from credit_entry where workspace_id = $1', [ann.workspaceId])
  expect(rows).toEqual([])
})

test('after a hundred texts in a day, rules choose the tags', async () => {
  await usedUp()
  const before = await asked()
  const post = await publish('Now 20 % off all cakes #cake')
  await sweep()
  expect(await tagsOf(post)).toMatchObject({ source: 'rules', topic: 'cake', tone: 'promotional', format: 'text' })
  expect(await asked()).toBe(before)
})

test('a text that the model refuses is tagged by rules', async () => {
  await sql.query('delete from try_count')
  await behave(product.url, { answer: 'refusal' })
  const post = await publish('What would you bake?')
  await sweep()
  await behave(product.url, {})
  expect(await tagsOf(post)).toMatchObject({ source: 'rules', tone: 'curious' })
})

test('after any other error of the model, a post waits for the next sweep', async () => {
  await behave(product.url, { answer: 'broken_json' })
  const post = await publish('Sourdough again')
  await sweep()
  expect(await tagsOf(post)).toBeNull()
  await behave(product.url, {})
  await sweep()
  expect(await tagsOf(post)).toMatchObject({ source: 'model' })
})

test('a text that the model never answers does not keep older ones waiting', async () => {
  const [older, newer] = [await publish('Rolls at noon'), await publish('Seeds at night')]
  await behave(product.url, { answer: 'broken_json', times: 1 })
  await sweep()
  await behave(product.url, {})
  expect([await tagsOf(newer), await tagsOf(older)]).toEqual([null, expect.objectContaining({ source: 'model' })])
  await sweep()
  expect(await tagsOf(newer)).toMatchObject({ source: 'model' })
})

test('a manual correction stays, whatever is found later', async () => {
  await usedUp()
  const post = await publish('Plain words')
  await sweep()
  expect((await correct(post, { topic: 'Opening hours' })).body.data).toMatchObject({
    topic: 'Opening hours',
    tone: 'plain',
    source: 'person',
  })
  await addJob(sql, 'post-classify', { postId: post.id }, { workspaceId: ann.workspaceId, key: `classify:${post.id}` })
  await sweep()
  expect(await tagsOf(post)).toMatchObject({ topic: 'Opening hours', source: 'person' })
})

test('an editor can correct tags once a post is live', async () => {
  const draft = await ann.must<Post>('POST', '/posts', { caption: 'Later', targets: [account.id] })
  expect(await correct(draft, { topic: 'Tea' })).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current: 'DRAFT' },
  })
  const live = await publish('Never tagged yet')
  expect((await correct(live, { tone: 'dry' })).body.data).toMatchObject({
    topic: 'other',
    tone: 'dry',
    source: 'person',
  })
  expect((await correct(live, { topic: '' })).status).toBe(422)
  // The answer can be sent back with a change. Its read-only fields are ignored, unless they differ.
  const before = (await tagsOf(live))!
  expect((await correct(live, before)).body.data).toEqual(before)
  const after = (await correct(live, { ...before, topic: 'Tea' })).body.data
  expect(after).toMatchObject({ topic: 'Tea', tone: 'dry', source: 'person' })
  for (const more of [{ postId: draft.id }, { source: 'model' }, { taggedAt: before.taggedAt }]) {
    const path = `/${Object.keys(more)[0]}`
    expect(await correct(live, { ...after, ...more })).toMatchObject({
      status: 422,
      body: { errors: [{ path, code: 'read_only' }] },
    })
  }
})

test('a correction to the same tags keeps their source and time', async () => {
  await usedUp()
  const post = await publish('Words that the rules tag')
  await sweep()
  const before = (await tagsOf(post))!
  const { topic, format, tone } = before
  expect(before.source).not.toBe('person')
  expect((await correct(post, { topic, format, tone })).body.data).toEqual(before)
  expect((await correct(post, {})).body.data).toEqual(before)
  expect(await tagsOf(post)).toEqual(before)
  expect((await correct(post, { topic, tone: 'dry' })).body.data).toMatchObject({ tone: 'dry', source: 'person' })
})
