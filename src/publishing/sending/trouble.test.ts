import { beforeEach, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { addFault, call, connectPages, newPerson, type Person, untilStatus, graphError } from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'
import type { Trouble } from './api.ts'

const { product, sql } = useProduct({ env: FAST })
let ann: Person
let pages: SocialAccount[]
let person = 60

beforeEach(async () => {
  await call(`${product.url}/sandbox`, 'DELETE', '/faults')
  ann = await newPerson(product.url)
  pages = await connectPages(ann, `u${(person += 1)}`)
})

/** Near enough that no connection expires before it. */
const SOON = new Date(Date.now() + 10 * 86_400_000).toISOString()
const error = (code: string) =>
  JSON.stringify({ code, networkCode: null, message: 'x', fix: 'x', who: 'author', retryable: false })

let texts = 0
const write = (more: object) =>
  ann.must<Post>('POST', '/posts', { caption: `Trouble ${(texts += 1)}`, targets: [pages[0]!.id], ...more })

interface Page {
  data: Trouble[]
  nextCursor: string | null
  count: number
}
const list = (query = '') => ann.must<Page>('GET', `/publishing/trouble${query}`)
const kinds = async () => (await list()).data.map(({ kind, postId }) => [kind, postId])

describe('the list of troubles', () => {
  test('has a refused post with its reason until it is live', async () => {
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ message: 'No', code: 368 }) },
      times: 1,
    })
    const post = await write({ action: 'publish' })
    await untilStatus(ann, post.id, ['FAILED'])
    const { data, count } = await list()
    expect([count, data.map(({ kind, postId }) => [kind, postId])]).toEqual([1, [['failed', post.id]]])
    expect(data[0]?.publication?.error).toMatchObject({ code: 'policy', networkCode: '368' })
    await ann.must('POST', `/posts/${post.id}/retry`)
    await untilStatus(ann, post.id, ['PUBLISHED'])
    expect(await kinds()).toEqual([])
  })

  test('has a post that is under way for half an hour: none stays in PUBLISHING unnoticed', async () => {
    const post = await write({ action: 'schedule', scheduledAt: SOON })
    const begun = (minutes: number) =>
      sql.query(
        `update publication set next_at = '2099-01-01', due_at = app_now() - make_interval(mins => $2) where post_id = $1`,
        [post.id, minutes],
      )
    await begun(29)
    await sql.query(`update post set status = 'PUBLISHING' where id = $1`, [post.id])
    expect(await kinds()).toEqual([])
    await begun(31)
    expect(await kinds()).toEqual([['stuck', post.id]])
  })

  test('has scheduled posts with obstacles, and posts that the network shows twice', async () => {
    const good = await write({ action: 'schedule', scheduledAt: SOON })
    const held = await write({ action: 'schedule', scheduledAt: SOON, targets: [pages[1]!.id] })
    await ann.must('PATCH', `/social-accounts/${pages[1]!.id}`, { paused: true })
    await expect.poll(kinds).toEqual([['at_risk', held.id]])
    const live = await write({ action: 'publish' })
    await untilStatus(ann, live.id, ['PUBLISHED'])
    await sql.query(`update publication set error = $2 where post_id = $1`, [live.id, error('duplicate')])
    expect(await kinds()).toEqual([
      ['twice', live.id],
      ['at_risk', held.id],
    ])
    expect(good.checks).toEqual([])
  })

  test('has posts approved after their time until a new one is chosen, for those who may choose it', async () => {
    const asked = await write({ action: 'submit', scheduledAt: SOON })
    await sql.query(`update post set scheduled_at = app_now() - interval '1 hour' where id = $1`, [asked.id])
    expect(await kinds()).toEqual([])
    await ann.must('POST', `/posts/${asked.id}/approve`)
    const { data, count } = await list()
    expect([count, data.map(({ kind, postId }) => [kind, postId])]).toEqual([1, [['time_passed', asked.id]]])
    expect(data[0]?.since).toBe(data[0]?.scheduledAt)
    const [role, author] = [
      (name: string) => sql.query('update member set role = $1 where workspace_id = $2', [name, ann.workspaceId]),
      (id: string | null) => sql.query('update post set created_by = $1 where id = $2', [id, asked.id]),
    ]
    await author(null)
    for (const [name, seen] of [
      ['VIEWER', 0],
      ['EDITOR', 1],
    ] as const) {
      await role(name)
      expect([name, (await list()).count]).toEqual([name, seen])
    }
    await role('VIEWER')
    await author(ann.session.user.id)
    expect((await list()).count).toBe(1)
    await role('OWNER')
    await ann.must('POST', `/posts/${asked.id}/schedule`, { scheduledAt: SOON })
    expect(await kinds()).toEqual([])
  })

  test('is returned in pages, without deleted posts', async () => {
    const posts: Post[] = []
    for (let count = 0; count < 3; count += 1) posts.push(await write({ scheduledAt: SOON }))
    await sql.query(`update post set status = 'FAILED' where workspace_id = $1`, [ann.workspaceId])
    await sql.query(`update publication set state = 'FAILED', next_at = null, error = $2 where workspace_id = $1`, [
      ann.workspaceId,
      error('policy'),
    ])
    const first = await list('?limit=2')
    const second = await list(`?limit=2&cursor=${first.nextCursor}`)
    expect([first.count, ...[...first.data, ...second.data].map(({ postId }) => postId)]).toEqual([
      3,
      ...posts.map(({ id }) => id).toReversed(),
    ])
    await ann.must('DELETE', `/posts/${posts[0]!.id}`)
    expect((await list()).count).toBe(2)
  })
})
