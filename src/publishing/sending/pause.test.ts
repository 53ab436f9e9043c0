import pg from 'pg'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import type { Notification } from '../../team/notifications/api.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { sized } from '../../../test/tier.ts'
import { connectPages, eventually, liveOn, newPerson, type Person, untilStatus } from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'
import type { Workspace, WorkspacePatch } from '../../team/workspaces/api.ts'

const HOUR = 3_600_000

const { product, sql, database } = useProduct({ env: FAST })
let sandbox: string
let ann: Person
let page: SocialAccount
let bob: Person
let bobs: SocialAccount
let people = 8000
let texts = 0

beforeAll(async () => {
  sandbox = `${product.url}/sandbox`
  bob = await newPerson(product.url, 'Bob')
  ;[bobs] = (await connectPages(bob, `u${(people += 1)}`)) as [SocialAccount]
})
beforeEach(async () => {
  ann = await newPerson(product.url)
  ;[page] = (await connectPages(ann, `u${(people += 1)}`)) as [SocialAccount]
})

const set = (publishing: WorkspacePatch['publishing']) =>
  ann.must<Workspace>('PATCH', `/workspaces/${ann.workspaceId}`, { publishing })

/** Waits for a sweep and its effects: a post that another workspace sends now is live. */
async function swept(): Promise<void> {
  const post = await bob.must<Post>('POST', '/posts', {
    caption: `Swept ${(texts += 1)}`,
    targets: [bobs.id],
    action: 'publish',
  })
  await untilStatus(bob, post.id, ['PUBLISHED'])
}

/** Makes posts that fell due the given numbers of hours ago, while publishing was paused. */
async function due(...hours: number[]): Promise<Post[]> {
  const posts: Post[] = []
  for (const ago of hours) {
    const post = await ann.must<Post>('POST', '/posts', {
      caption: `Due ${(texts += 1)}`,
      targets: [page.id],
      scheduledAt: new Date(Date.now() + HOUR).toISOString(),
    })
    await sql.query(`update post set scheduled_at = app_now() - make_interval(secs => $2) where id = $1`, [
      post.id,
      ago * 3600,
    ])
    await sql.query(
      `update publication set due_at = p.scheduled_at, next_at = p.scheduled_at from post p where p.id = post_id and post_id = $1`,
      [post.id],
    )
    posts.push(post)
  }
  return posts
}

test('after a pause, due posts go out late, one after the other in order; posts a day late are missed', async () => {
  expect((await set({ paused: true, reason: 'A crisis' })).publishing).toEqual({
    paused: true,
    reason: 'A crisis',
    onResume: 'send',
    due: 0,
  })
  const [newer, older, missed] = (await due(1, 3, 25)) as [Post, Post, Post]
  await swept()
  const { publishing } = await ann.must<Workspace>('GET', `/workspaces/${ann.workspaceId}`)
  expect(publishing.due).toBe(3)
  // Sending the settings back unchanged changes nothing.
  expect((await set(publishing)).version).toBe(2)
  await set({ paused: false })
  expect((await untilStatus(ann, missed.id, ['FAILED'])).publications).toMatchObject([{ error: { code: 'missed' } }])
  expect(await untilStatus(ann, older.id, ['PUBLISHED'])).toMatchObject({ late: true })
  expect((await ann.must<Post>('GET', `/posts/${newer.id}`)).status).toBe('SCHEDULED')
  await sql.query(`update publication set next_at = app_now() where post_id = $1`, [newer.id])
  expect(await untilStatus(ann, newer.id, ['PUBLISHED'])).toMatchObject({ late: true })
})

test('after a pause, due posts can become drafts with their time in the history; the choice at resuming overrides that at pausing', async () => {
  const editor = await newPerson(product.url, 'Ed')
  await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR')`, [
    ann.workspaceId,
    editor.session.user.id,
  ])
  expect((await set({ paused: true, onResume: 'send' })).publishing.onResume).toBe('send')
  const [one, two] = (await due(2, 30)) as [Post, Post]
  const later = await ann.must<Post>('POST', '/posts', {
    caption: 'Not yet due',
    targets: [page.id],
    scheduledAt: new Date(Date.now() + HOUR).toISOString(),
  })
  expect((await set({ paused: false, onResume: 'draft' })).publishing).toMatchObject({
    paused: false,
    onResume: 'send',
  })
  await swept()
  for (const { id } of [one, two]) expect((await ann.must<Post>('GET', `/posts/${id}`)).status).toBe('DRAFT')
  expect((await ann.must<Post>('GET', `/posts/${later.id}`)).status).toBe('SCHEDULED')
  const { data } = await ann.must<{ data: { action: string; details: { scheduledAt?: string } }[] }>('GET', '/audit')
  expect(JSON.stringify(data.filter(({ action }) => action === 'post.cancelled'))).toContain('scheduledAt')
  const told = await sql.query<{ data: { count: number; posts: unknown[] } }>(
    `select data from notification where user_id = $1 and kind = 'publishing_paused' order by id`,
    [editor.session.user.id],
  )
  // One notice of the pause, and one of the resume, which names the posts.
  expect(told.rows.map((row) => row.data)).toMatchObject([{ paused: true }, { paused: false, count: 2 }])
  expect(told.rows[1]?.data.posts).toHaveLength(2)
  expect(await liveTexts()).toEqual([])
})

test.each([
  ['required', true, 'APPROVED'],
  ['required_with_client', false, 'WITHDRAWN'],
] as const)(
  'where approval is %s, a draft made by resuming keeps its approval exactly as a cancelled one does',
  async (approvalMode, approved, state) => {
    await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { approvalMode })
    const [resumed, cancelled] = await Promise.all([1, 2].map(approvedPost))
    await set({ paused: true, onResume: 'draft' })
    await sql.query(`update post set scheduled_at = app_now() - interval '1 hour' where id = $1`, [resumed])
    await set({ paused: false })
    await ann.must('POST', `/posts/${cancelled}/cancel`)
    for (const id of [resumed, cancelled]) {
      expect(await ann.must<Post>('GET', `/posts/${id}`)).toMatchObject({
        status: 'DRAFT',
        approved,
        approval: { state },
      })
    }
  },
)

async function approvedPost(): Promise<string> {
  const { id, approval } = await ann.must<Post>('POST', '/posts', {
    caption: `Approved ${(texts += 1)}`,
    targets: [page.id],
    scheduledAt: new Date(Date.now() + HOUR).toISOString(),
    action: 'submit',
  })
  await ann.must('POST', `/approvals/${approval?.id}/approve`)
  return id
}

test('the bot can be paused by the same call', async () => {
  const pause = { paused: true, reason: 'Quiet' }
  const path = `/workspaces/${ann.workspaceId}`
  const paused = await ann.must<Workspace>('PATCH', path, { publishing: pause, bot: pause })
  expect(paused).toMatchObject({ publishing: pause, bot: pause })
  const resumed = await ann.must<Workspace>('PATCH', path, { publishing: { paused: false }, bot: { paused: false } })
  expect(resumed).toMatchObject({ publishing: { paused: false, reason: null }, bot: { paused: false, reason: null } })
  const { data } = await ann.must<{ data: Notification[] }>('GET', '/notifications')
  expect(data.filter(({ kind }) => kind === 'publishing_paused')).toEqual([])
})

test('once a pause is answered, no more intents are written, not even one already under way', async () => {
  const [calls, target] = [await another(), await another()]
  try {
    const { rows } = await sql.query<{ person: string }>(
      'select network_user as person from social_account where id = $1',
      [page.id],
    )
    await calls.query('begin')
    await calls.query('select from network_user where user_key = $1 for update', [rows[0]?.person])
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: `Race ${(texts += 1)}`,
      targets: [page.id],
      action: 'publish',
    })
    // A worker holds the target and waits for its calls, then for the row of its intent.
    await eventually(async () => (await stateOf(id)).state === 'PREPARING')
    await target.query('begin')
    await target.query('select from publication where post_id = $1 for update', [id])
    await calls.query('commit')
    await waitingForLocks(1)
    const answered = set({ paused: true }).then(() => stateOf(id))
    await waitingForLocks(2)
    await target.query('commit')
    const { intents } = await answered
    await swept()
    expect((await stateOf(id)).intents).toBe(intents)
    await set({ paused: false })
    await untilStatus(ann, id, ['PUBLISHED'])
    expect(await liveTexts()).toHaveLength(1)
  } finally {
    await calls.end()
    await target.end()
  }
})

const waitingForLocks = (count: number) =>
  eventually(async () => {
    const { rowCount } = await sql.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount === count
  })

async function another(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  return client
}

async function stateOf(postId: string): Promise<{ state: string; intents: number }> {
  const { rows } = await sql.query<{ state: string; intents: number }>(
    'select state, tries as intents from publication where post_id = $1',
    [postId],
  )
  return rows[0]!
}

test('resuming races a sweep: a draft never goes out', async () => {
  for (let round = 0; round < sized(2, 5); round += 1) {
    await set({ paused: true, onResume: 'draft' })
    const posts = await due(1, 2, 3)
    await set({ paused: false })
    await swept()
    for (const { id } of posts) expect((await ann.must<Post>('GET', `/posts/${id}`)).status).toBe('DRAFT')
  }
  expect(await liveTexts()).toEqual([])
})

const liveTexts = () =>
  eventually(async () => ((await liveOn(sandbox)).get(page.externalId) ?? []).map(({ message }) => message))
