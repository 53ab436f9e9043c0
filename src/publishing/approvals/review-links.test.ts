import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { call, confirmEmail, eventually, mailTo, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'
import type { Review, ReviewLink } from './api.ts'

// A review link acts on its creator's authority, so it ends when the creator loses that authority.

const { product, sql } = useProduct()
let owner: Person

beforeAll(async () => {
  owner = await newPerson(product.url, 'Olga')
  await confirmEmail(owner)
})

async function member(role: string): Promise<Person> {
  const person = await newPerson(product.url, 'Mia')
  const email = person.session.user.email as string
  await owner.must('POST', `/workspaces/${owner.workspaceId}/members`, { email, role })
  const token = await eventually(async () => {
    const letters = await mailTo(product.url, email)
    return letters.map(({ text }) => /\/app\/invite\/([\w-]+)/.exec(text)?.[1]).find(Boolean)
  })
  await person.must('POST', `/invitations/${token}/accept`)
  return person
}

async function link(by: Person) {
  const here = { 'x-workspace-id': owner.workspaceId }
  const post = await owner.must<Post>('POST', '/posts', { caption: 'Coffee' })
  const made = await by.must<ReviewLink>('POST', `/posts/${post.id}/review-links`, { name: 'Nadia' }, here)
  return { post, id: made.id, token: made.url!.split('/').at(-1)! }
}

const look = (token: string) => call<Review & Problem>(product.url, 'GET', `/api/v1/review/${token}`)
const told = ({ status, body }: { status: number; body: unknown }) => [status, (body as Problem).code]
const memberPath = ({ session }: Person) => `/workspaces/${owner.workspaceId}/members/${session.user.id}`

async function disable(person: Person) {
  await sql.query('update app_user set is_super_admin = true where id = $1', [owner.session.user.id])
  await owner.must('POST', `/admin/users/${person.session.user.id}/disable`)
}

test('all links of a post are listed, page by page', async () => {
  const { post, id } = await link(owner)
  const more = Array.from({ length: 3 }, () =>
    owner.must<ReviewLink>('POST', `/posts/${post.id}/review-links`, { name: 'Nora' }),
  )
  const made = [id, ...(await Promise.all(more)).map((each) => each.id)]
  type Page = { data: ReviewLink[]; nextCursor: string | null }
  const read = (query: string) => owner.must<Page>('GET', `/posts/${post.id}/review-links?limit=3${query}`)
  const first = await read('')
  const second = await read(`&cursor=${first.nextCursor}`)
  expect([...first.data, ...second.data].map((each) => each.id)).toEqual(made.toSorted().toReversed())
  expect([first.data.length, second.nextCursor]).toEqual([3, null])
  expect((await owner.call('GET', `/posts/${post.id}/review-links?limit=0`)).status).toBe(422)
})

const ends: [what: string, act: (maker: Person) => Promise<unknown>][] = [
  ['is removed', (maker) => owner.must('DELETE', memberPath(maker))],
  ['leaves', (maker) => maker.must('DELETE', memberPath(maker), undefined, { 'x-workspace-id': owner.workspaceId })],
  ['becomes a VIEWER', (maker) => owner.must('PUT', memberPath(maker), { role: 'VIEWER' })],
  ['is disabled', disable],
  ['becomes a CLIENT', (maker) => owner.must('PUT', memberPath(maker), { role: 'CLIENT' })],
]

describe.each(ends)('a review link whose creator %s', (_what, act) => {
  test('opens nothing from then on, and takes neither decisions nor comments', async () => {
    const maker = await member('ADMIN')
    const { post, token } = await link(maker)
    const { body } = await look(token)
    await act(maker)
    expect(told(await look(token))).toEqual([410, 'link_expired'])
    for (const [what, said] of [
      ['approve', { postVersion: body.post.version }],
      ['comments', { text: 'Lovely' }],
    ] as const) {
      const answer = await call<Problem>(product.url, 'POST', `/api/v1/review/${token}/${what}`, said)
      expect(told(answer)).toEqual([410, 'link_expired'])
    }
    const { data } = await owner.must<{ data: ReviewLink[] }>('GET', `/posts/${post.id}/review-links`)
    expect(data[0]?.revokedAt).not.toBeNull()
  })
})

test('a link outlives its creator becoming an EDITOR, and the removal of other members', async () => {
  const [maker, other] = [await member('ADMIN'), await member('EDITOR')]
  const [own, theirs] = [await link(maker), await link(owner)]
  await owner.must('PUT', memberPath(maker), { role: 'EDITOR' })
  await owner.must('DELETE', memberPath(other))
  for (const { token } of [own, theirs]) expect((await look(token)).status).toBe(200)
})

test('a comment by a link waits while the creator of the link is being removed, and is then refused', async () => {
  const maker = await member('EDITOR')
  const { post, token } = await link(maker)
  const client = await sql.connect()
  try {
    await client.query('begin')
    await client.query('delete from member where user_id = $1 and workspace_id = $2', [
      maker.session.user.id,
      owner.workspaceId,
    ])
    const said = call<Problem>(product.url, 'POST', `/api/v1/review/${token}/comments`, { text: 'Lovely' })
    await eventually(async () => {
      const { rows } = await sql.query(`select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%review_link%for share%'`)
      return rows.length > 0
    })
    await client.query('commit')
    expect(told(await said)).toEqual([410, 'link_expired'])
  } finally {
    await client.query('rollback')
    client.release()
  }
  const { rows } = await sql.query('select from post_comment where post_id = $1', [post.id])
  expect(rows).toEqual([])
})
