import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ReviewLink } from '../src/publishing/approvals/api.ts'
import type { Session } from '../src/team/identity/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { useProduct } from './fixtures.ts'
import { call, codeByMail, confirmEmail, eventually, mailTo, newPerson, PASSWORD, type Person } from './world.ts'

// Everything that opens something is stored hashed or sealed, so that a copy of the database opens nothing.

const { product, sql } = useProduct()

/** Returns every row of every table as text, including the queue. */
async function dump(): Promise<string> {
  const { rows: tables } = await sql.query<{ name: string }>(`select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname in ('public', 'graphile_worker')`)
  const parts: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql.query<{ all: string | null }>(`select string_agg(t::text, '\n') as all from ${name} t`)
    parts.push(rows[0]?.all ?? '')
  }
  return parts.join('\n')
}

/** Creates a review link twice with the same idempotency key, like a client whose connection broke. */
async function reviewLink(person: Person) {
  const post = await person.must<Post>('POST', '/posts', { caption: 'Coffee' })
  const key = { 'idempotency-key': randomUUID() }
  const make = () => person.must<ReviewLink>('POST', `/posts/${post.id}/review-links`, { name: 'Nadia' }, key)
  return { made: await make(), again: await make() }
}

const linkIn = (email: string, kind: string) =>
  eventually(async () => {
    const letters = await mailTo(product.url, email)
    return letters.map(({ text }) => new RegExp(`/app/${kind}/([\\w-]+)`).exec(text)?.[1]).find(Boolean)
  })

async function secrets(person: Person): Promise<string[]> {
  const email = person.session.user.email as string
  const auth = (path: string, body: unknown) => call<Session>(product.url, 'POST', `/api/v1/auth/${path}`, body)
  const signedIn = await auth('login', { email, password: PASSWORD })
  const cookie = (answer: { headers: Headers }) => /=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? ''
  const added = `${randomUUID()}@example.test`
  const path = `/workspaces/${person.workspaceId}/members`
  await person.must('POST', path, { email: added, role: 'EDITOR' }, { 'idempotency-key': randomUUID() })
  const joining = await person.call<{ authorizationUrl: string }>('POST', '/api/v1/auth/oauth/IDP_A', {})
  await auth('forgot-password', { email })
  await person.must('POST', '/api/v1/auth/otp/send', { email: added })
  const code = await codeByMail(product.url, added)
  await person.must('POST', '/api/v1/auth/otp/verify', { email: added, code })
  const { made } = await reviewLink(person)
  return [
    signedIn.body.accessToken,
    cookie(signedIn),
    cookie(joining),
    new URL(joining.body.authorizationUrl).searchParams.get('state') ?? '',
    await linkIn(added, 'invite'),
    await linkIn(email, 'reset'),
    await linkIn(email, 'undo'),
    made.url?.split('/').at(-1) ?? '',
    PASSWORD,
  ].map((secret) => secret ?? '')
}

test('no table holds a token, not even in stored answers or in the queue', async () => {
  const ann = await newPerson(product.url)
  await confirmEmail(ann)
  const planted = await secrets(ann)
  expect(planted.every((secret) => secret.length > 15)).toBe(true)
  const all = await dump()
  expect(planted.filter((secret) => all.includes(secret))).toEqual([])
  // The control: the dump shows a token that is stored.
  await sql.query(`update idempotency_key set body = $1 where user_id = $2`, [
    JSON.stringify({ url: planted[7] }),
    ann.session.user.id,
  ])
  expect(await dump()).toContain(planted[7])
})

test('a repeated request returns the same, with null for a secret that is shown once', async () => {
  const ann = await newPerson(product.url)
  const { made, again } = await reviewLink(ann)
  expect(made.url).toMatch(/\/app\/review\/[\w-]{43}$/)
  expect(again).toEqual({ ...made, url: null })
})
