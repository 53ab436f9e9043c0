import { beforeAll, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { threadsOf } from '../../../test/inbox.ts'
import { addJob } from '../../../test/jobs.ts'
import {
  addFault,
  call,
  connect,
  eventually,
  liveOn,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
  uploadPicture,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Post } from '../../publishing/posts/api.ts'
import type { OpenThread, Thread } from '../threads/api.ts'

const { product, sql, sandbox } = useProduct({ env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' } })
let ann: Person

/** The number of videos by the sandbox user whose account has them. */
const NUMBERS = { u4801: 2, u4802: 1, u4803: 1, u4804: 1, u4805: 1, u4807: 1 }
const opened: Partial<Record<keyof typeof NUMBERS, ReturnType<typeof openVideos>>> = {}

beforeAll(async () => {
  ann = await newPerson(product.url)
  // The accounts wait for the reviews of their network at the same time.
  for (const key of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    const [account] = (await connect(ann, 'NET_VIDEO', key)) as [SocialAccount]
    opened[key] = openVideos(account, key, NUMBERS[key])
  }
  await Promise.all(Object.values(opened))
})

const countsOf = async (account: SocialAccount) => {
  const { rows } = await sql.query<{ counts: Record<string, number> | null }>(
    'select comment_counts as counts from inbox_reading where account_id = $1',
    [account.id],
  )
  return rows[0]?.counts
}
const count = async ({ id }: SocialAccount) => {
  const key = `reading:${id}`
  await addJob(sql, 'inbox-reading', { accountId: id }, { workspaceId: ann.workspaceId, key })
  await eventually(async () => {
    const { rowCount } = await sql.query('select from graphile_worker.jobs where key = $1', [key])
    return rowCount === 0
  })
}

/** Publishes posts on an account that everyone can see. */
async function openVideos(account: SocialAccount, key: string, number: number) {
  await eventually(async () => (await countsOf(account)) !== undefined)
  const media = [(await uploadPicture(ann)).id]
  const posts: string[] = []
  for (let n = 1; n <= number; n += 1) {
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: `Clip ${n} of ${key}`,
      targets: [account.id],
      media,
      platformOptions: { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } },
      action: 'publish',
    })
    await untilStatus(ann, id, ['PUBLISHED'], 60_000)
    posts.push(id)
  }
  const live = (await liveOn(sandbox.url)).get(account.externalId)!.map((post) => post.id)
  // The network lists a post once it has reviewed it.
  await eventually(async () => {
    await count(account)
    const counts = (await countsOf(account)) ?? {}
    return live.every((id) => id in counts)
  })
  const comment = (postId: string, kind = 'comment') => play(account, { kind, postId })
  return { account, ids: live, posts, comment, threads: () => threadsOf(ann, `?limit=100&accountId=${account.id}`) }
}
const play = async ({ externalId: accountId }: SocialAccount, act: object) => {
  const { status, body } = await call(sandbox.url, 'POST', '/inbound', { network: 'NET_VIDEO', accountId, ...act })
  if (status !== 201) throw new Error(`the sandbox answered ${status}: ${JSON.stringify(body)}`)
}

test('a video whose comment count rises gets one thread, and a closed thread opens again', async () => {
  const { account, ids, posts, comment, threads } = await opened.u4801!
  expect(await threads()).toEqual([])

  for (let n = 0; n < 2; n += 1) await comment(ids[0]!)
  await count(account)
  await count(account)
  const [thread, ...others] = await threads()
  expect(others).toEqual([])
  expect(thread).toMatchObject({
    kind: 'COMMENT',
    status: 'OPEN',
    customer: null,
    comments: { count: 2, new: 2 },
    post: { externalId: ids[0], excerpt: 'Clip 1 of u4801', permalink: expect.stringContaining(ids[0]!) },
    unread: true,
    lastMessage: null,
  })
  expect(thread!.unansweredAt).not.toBeNull()

  // As if the network had reported late that the post is ours.
  await sql.query('update delivery set external_id = $1 where post_id = $2', [ids[0], posts[0]])
  await comment(ids[0]!)
  await count(account)
  expect(await threads()).toMatchObject([{ comments: { count: 3, new: 3 }, post: { id: posts[0] } }])

  const at = `/conversations/${thread!.id}`
  const me = ann.session.user.id
  expect(await ann.must<Thread>('POST', `${at}/assign`, { userId: me })).toMatchObject({ assignee: { id: me } })
  expect(await ann.must<Thread>('POST', `${at}/close`)).toMatchObject({ status: 'CLOSED' })
  await count(account)
  expect((await threads())[0]!.status).toBe('CLOSED')

  await comment(ids[0]!)
  await comment(ids[1]!)
  await count(account)
  const after = await threads()
  expect(after.map(({ post, status, comments }) => [post?.externalId, status, comments])).toEqual(
    expect.arrayContaining([
      [ids[0], 'OPEN', { count: 4, new: 1 }],
      [ids[1], 'OPEN', { count: 1, new: 1 }],
    ]),
  )
  expect(after).toHaveLength(2)
  expect(Date.parse(after.find(({ id }) => id === thread!.id)!.unansweredAt!)).toBeGreaterThan(
    Date.parse(thread!.unansweredAt!),
  )
})

test('deleted comments open nothing, and lower the count', async () => {
  const { account, ids, comment, threads } = await opened.u4802!
  for (let n = 0; n < 3; n += 1) await comment(ids[0]!)
  await count(account)
  const [thread] = await threads()
  await ann.must('POST', `/conversations/${thread!.id}/close`)
  await comment(ids[0]!, 'remove')
  await count(account)
  expect((await threads())[0]).toMatchObject({ status: 'CLOSED', comments: { count: 2, new: 2 } })
  await comment(ids[0]!)
  await count(account)
  expect((await threads())[0]).toMatchObject({ status: 'OPEN', comments: { count: 3, new: 1 } })
  const { rowCount } = await sql.query(
    `select from audit_entry where object ->> 'threadId' = $1 and action = 'thread.opened'`,
    [thread!.id],
  )
  expect(rowCount).toBe(2)
})

test('comments from before an account was connected open no thread', async () => {
  const { account, ids, comment, threads } = await opened.u4803!
  await comment(ids[0]!)
  await sql.query('delete from inbox_reading where account_id = $1', [account.id])
  await count(account)
  expect(await countsOf(account)).toEqual({ [ids[0]!]: 1 })
  expect(await threads()).toEqual([])
})

test('a thread without a customer accepts notes but no answers, and no draft is written', async () => {
  const { account, ids, comment, threads } = await opened.u4804!
  await comment(ids[0]!)
  await count(account)
  const [thread] = await threads()
  const at = `/conversations/${thread!.id}`
  const refused = await ann.call<Problem>('POST', `${at}/messages`, { text: 'Thank you' })
  expect([refused.status, refused.body.errors?.[0]]).toMatchObject([422, { path: '/text', code: 'unsupported' }])
  await ann.must('POST', `${at}/notes`, { text: 'I look after it' })
  const suggested = await ann.call<Problem>('POST', `${at}/suggest`)
  expect([suggested.status, suggested.body]).toMatchObject([
    409,
    { code: 'invalid_state', detail: 'This conversation has no customer message to reply to.' },
  ])
  const { rowCount: decisions } = await sql.query('select from decision where workspace_id = $1', [ann.workspaceId])
  const { rowCount: reserved } = await sql.query('select from usage_hold where workspace_id = $1', [ann.workspaceId])
  expect([decisions, reserved]).toEqual([0, 0])
  expect((await ann.must<OpenThread>('GET', at)).messages.map(({ text }) => text)).toEqual(['I look after it'])
  expect((await ann.call('GET', `/saved-replies?conversationId=${thread!.id}`)).status).toBe(200)
})

test('a thread without messages is unread until the caller has opened it, and again when its count rises', async () => {
  const { account, ids, comment, threads } = await opened.u4807!
  const unread = async () => (await threads()).map((thread) => thread.unread)
  await comment(ids[0]!)
  await count(account)
  expect(await unread()).toEqual([true])
  const at = `/conversations/${(await threads())[0]!.id}/seen`
  expect((await ann.call('PUT', at, { typing: false })).status).toBe(204)
  expect(await unread()).toEqual([false])
  await comment(ids[0]!)
  await count(account)
  expect(await unread()).toEqual([true])
  expect((await ann.call('PUT', `/conversations/${account.id}/seen`, {})).status).toBe(404)
})

test('no rise is lost if the network cannot be read', async () => {
  const { account, ids, comment, threads } = await opened.u4805!
  await comment(ids[0]!)
  await addFault(sandbox.url, {
    match: { network: 'NET_VIDEO', path: '/v2/video/list/' },
    do: { status: 503 },
    times: 1,
  })
  await count(account)
  await eventually(async () => (await threads()).length === 1)
  expect((await threads())[0]).toMatchObject({ comments: { count: 1, new: 1 } })
})
