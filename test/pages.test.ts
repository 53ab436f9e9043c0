import { beforeAll, expect, test } from 'vitest'
import type { SocialAccount } from '../src/channels/api.ts'
import { useProduct } from './fixtures.ts'
import { call, connectPages, newPerson, PASSWORD, type Person, type Problem } from './world.ts'

// How lists that a person or the product fills over time are read page by page.

const { product, sql } = useProduct({ env: { DEFAULT_PLAN: 'business' } })
const OWNER = '01a229d0-0000-7000-8000-000000000001'
let ann: Person
let pages: SocialAccount[]

beforeAll(async () => {
  ann = await newPerson(product.url)
  pages = await connectPages(ann)
})

/** Names in an order that no byte comparison gives, with characters that a cursor could take for its own. */
const NAMES = ['beta', 'Alpha', 'alpha 2', '100 % tea', 'قهوة عربية', 'Éclair', 'x'.repeat(50)]

/** Two of them ask the same. */
const QUESTIONS = [
  'Where can I park my bicycle?',
  'Do you sell gift vouchers for yoga lessons?',
  'Is the terrace heated in winter?',
  'Do you sell vouchers for yoga lessons?',
  'Which trains stop nearby?',
  'May dogs come inside?',
]

const createAll = async (path: string, bodies: object[]) => {
  for (const body of bodies) await ann.must('POST', path, body)
}

const variant = (name: string) => ({ name, style: 'WARM', brandVoiceId: null, instructions: `Answer as ${name}.` })

const fill: Record<string, () => Promise<unknown>> = {
  '/labels': () =>
    createAll(
      '/labels',
      NAMES.map((name) => ({ name, color: 'blue' })),
    ),
  '/saved-replies': () =>
    createAll(
      '/saved-replies',
      NAMES.map((name) => ({ name, text: 'We open at nine.' })),
    ),
  '/brand-voices': () =>
    createAll(
      '/brand-voices',
      NAMES.map((name) => ({ name, isDefault: name === 'beta' })),
    ),
  '/hashtag-sets': () =>
    createAll(
      '/hashtag-sets',
      NAMES.map((name) => ({ name, hashtags: ['#tea'] })),
    ),
  '/templates': () =>
    createAll(
      '/templates',
      NAMES.map((name) => ({ name, caption: 'New: {{tea}}' })),
    ),
  '/views': () =>
    createAll(
      '/views',
      // The same name on two screens.
      [...NAMES, 'BETA'].map((name) => ({
        name,
        screen: name === 'BETA' ? 'calendar' : 'posts',
        filters: {},
        shared: name === 'beta',
      })),
    ),
  '/audience/segments': () =>
    createAll(
      '/audience/segments',
      NAMES.map((name) => ({ name, filter: { field: 'tag', op: 'is', value: 'tea' } })),
    ),
  '/ice/escalation-rules': () =>
    createAll(
      '/ice/escalation-rules',
      [3, 1, 1, 1, 2].map((position) => ({ position, keywords: ['refund'] })),
    ),
  '/ice/experiments': () =>
    createAll(
      '/ice/experiments',
      NAMES.map((name) => ({ name, variantA: variant('A'), variantB: variant('B') })),
    ),
  '/competitors': () =>
    sql.query(
      `insert into competitor (workspace_id, id, account_id, external_id, username, name, next_at)
       select $1, gen_random_uuid(), $2, name, name, name, now() + interval '1 day' from unnest($3::text[]) name`,
      [ann.workspaceId, pages[0]!.id, NAMES],
    ),
  [`/ice/memory?scope=audience&owner=${OWNER}`]: () =>
    sql.query(
      `insert into memory (workspace_id, id, scope, owner, key, value)
       select $1, gen_random_uuid(), 'audience', $2, key, 'something'
       from unnest(array['first_name', 'size', 'interest', 'order', 'complaint']) key`,
      [ann.workspaceId, OWNER],
    ),
  // Every second pair has two reasons.
  '/audience/pairs': () =>
    sql.query(
      `with made as (select n, side, gen_random_uuid() as id from generate_series(1, 5) n, generate_series(1, 2) side),
         node as (insert into audience_node (workspace_id, id, name) select $1, id, 'Customer Number ' || n from made)
       insert into audience_identity (workspace_id, id, node_id, account_id, hash, value, username)
       select $1, gen_random_uuid(), id, ($2::uuid[])[side], id, 'sealed', case when n % 2 = 0 then 'person_' || n end from made`,
      [ann.workspaceId, pages.map(({ id }) => id)],
    ),
  '/ice/knowledge/gaps': () =>
    sql.query(
      `with thread as (insert into thread (workspace_id, id, account_id, kind, key, opened_at, comments, comments_before)
           values ($1, gen_random_uuid(), $2, 'COMMENT', 'post', app_now(), 0, 0) returning id),
         asked as (insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at)
           select $1, gen_random_uuid(), thread.id, $2, 'COMMENT', 'IN', 'CUSTOMER', text, date_trunc('hour', app_now())
           from thread, unnest($3::text[]) text returning id, thread_id)
       insert into decision (workspace_id, id, kind, thread_id, message_id, state, verdict, log, ended_at)
       select $1, gen_random_uuid(), 'bot', thread_id, id, 'DONE', 'ESCALATED',
         '[{"step": "generate", "outcome": "handoff"}]', app_now() from asked`,
      [ann.workspaceId, pages[0]!.id, QUESTIONS],
    ),
  '/api/v1/auth/sessions': async () => {
    const { email } = ann.session.user
    for (let n = 0; n < 4; n++) await call(product.url, 'POST', '/api/v1/auth/login', { email, password: PASSWORD })
    // Two sessions can be used in the same microsecond.
    await sql.query(`update session set last_used_at = '2026-01-01T00:00:00.123456Z' where user_id = $1`, [
      ann.session.user.id,
    ])
  },
  '/workspaces': () =>
    createAll(
      '/workspaces',
      ['Second', 'Third', 'Fourth', 'Fifth'].map((name) => ({ name })),
    ),
  '/billing/plans': () => Promise.resolve(),
}

/** What the lists of likely things begin with: the reasons of a pair, and how often a question was asked. */
const ranks: Record<string, number[]> = {
  '/audience/pairs': [2, 2, 1, 1, 1],
  '/ice/knowledge/gaps': [2, 1, 1, 1, 1],
}

interface Listed {
  data: { id?: string; question?: string; count?: number; first?: { id: string }; reasons?: string[] }[]
  nextCursor: string | null
}

const ask = (path: string, query: Record<string, string>) =>
  ann.call<Listed & Problem>('GET', `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query).toString()}`)

test.each(Object.keys(fill))('%s is read page by page, whole and in order', async (path) => {
  await fill[path]!()
  const { data: all, nextCursor } = (await ask(path, { limit: '100' })).body
  expect([all.length > 2, nextCursor]).toEqual([true, null])
  if (ranks[path]) expect(all.map(({ reasons, count }) => reasons?.length ?? count)).toEqual(ranks[path])
  const read: Listed['data'] = []
  const sizes: number[] = []
  for (let cursor: string | null = ''; cursor !== null && read.length <= all.length;) {
    const { status, body } = await ask(path, { limit: '2', ...(cursor && { cursor }) })
    expect(status, JSON.stringify(body)).toBe(200)
    read.push(...body.data)
    sizes.push(body.data.length)
    cursor = body.nextCursor
  }
  const keyOf = ({ id, question, first }: Listed['data'][number]) => id ?? question ?? first?.id
  expect(read.map(keyOf)).toEqual(all.map(keyOf))
  expect(new Set(read.map(keyOf)).size).toBe(read.length)
  expect(sizes.slice(0, -1).every((size) => size === 2)).toBe(true)
})

test.each(Object.keys(fill))('%s refuses a wrong limit and the cursor of another list', async (path) => {
  const wrong = [
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'many'],
    ['cursor', 'bm90aGluZw'],
  ] as const
  for (const [name, value] of wrong) {
    const { status, body } = await ask(path, { [name]: value })
    expect([status, body.errors?.[0]?.path], `${name}=${value}`).toEqual([422, `/${name}`])
  }
})
