import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../src/channels/api.ts'
import type { BrandVoice } from '../src/assistant/brand-voices/api.ts'
import type { Label } from '../src/team/labels/api.ts'
import type { Session } from '../src/team/identity/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import type { SavedView } from '../src/publishing/views/api.ts'
import type { WorkspaceInvitation } from '../src/team/workspaces/api.ts'
import { useProduct } from './fixtures.ts'
import {
  asPerson,
  call,
  codeByMail,
  codeBySms,
  confirmEmail,
  connectPages,
  eventually,
  mailTo,
  newPerson,
  PASSWORD,
  type Person,
  uploadPicture,
} from './world.ts'

// S18: each of these events leaves one row with the person, the action, the address and the request, and no secrets.

const { product, sql } = useProduct()
let ann: Person
let bea: Person
let cal: Person
let page: SocialAccount
let voice: BrandVoice
let operator: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
  bea = await newPerson(product.url, 'Bea')
  cal = await newPerson(product.url, 'Cal')
  operator = await newPerson(product.url, 'Olga')
  for (const person of [ann, bea, cal]) await confirmEmail(person)
  await sql.query('update app_user set is_super_admin = true where id = $1', [operator.session.user.id])
})

const idOf = (person: Person) => person.session.user.id
const emailOf = (person: Person) => person.session.user.email ?? ''
const ws = (rest = '') => `/workspaces/${ann.workspaceId}${rest}`
const auth = (path: string) => `/api/v1/auth/${path}`
const cookieOf = (headers: Headers) => headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
const signIn = (person: Person, password = PASSWORD) =>
  call<Session>(product.url, 'POST', auth('login'), { email: emailOf(person), password })
const refresh = (cookie: string) => call(product.url, 'POST', auth('refresh'), {}, { cookie })

const linksTo = async (person: Person) =>
  (await mailTo(product.url, emailOf(person))).flatMap(({ text }) => /\/invite\/([\w-]+)/.exec(text)?.[1] ?? [])

const invite = (person: Person, role: string) =>
  ann.must<WorkspaceInvitation>('POST', ws('/members'), { email: emailOf(person), role })
async function join(person: Person, role: string) {
  const before = await linksTo(person)
  await invite(person, role)
  const token = await eventually(async () => (await linksTo(person)).find((link) => !before.includes(link)))
  await person.must('POST', `/invitations/${token}/accept`)
}
const draft = (more: object = {}) => ann.must<Post>('POST', '/posts', { caption: randomUUID(), ...more })
const labelId = async () => (await ann.must<{ data: Label[] }>('GET', '/labels')).data[0]!.id
const labelPath = async () => `/labels/${await labelId()}`
const viewPath = async () => `/views/${(await ann.must<{ data: SavedView[] }>('GET', '/views')).data[0]!.id}`
const later = () => new Date(Date.now() + 86_400_000).toISOString()

/** The recorded actions with calls that cause them, in an order in which each of them can happen. */
const events: [action: string, act: () => Promise<unknown>][] = [
  ['login', () => signIn(ann)],
  ['login.failed', () => signIn(ann, 'not the right one')],
  [
    'logout',
    async () => call(product.url, 'POST', auth('logout'), {}, { cookie: cookieOf((await signIn(ann)).headers) }),
  ],
  [
    'session.reuse',
    async () => {
      const first = cookieOf((await signIn(cal)).headers)
      await refresh(cookieOf((await refresh(first)).headers))
      await refresh(first)
    },
  ],
  [
    'session.ended',
    async () => {
      await signIn(ann)
      const { data } = await ann.must<{ data: { id: string; current: boolean }[] }>('GET', auth('sessions'))
      await ann.must('DELETE', auth(`sessions/${data.find(({ current }) => !current)?.id}`))
    },
  ],
  [
    'sessions.ended',
    async () => {
      await signIn(ann)
      await ann.must('DELETE', auth('sessions'))
    },
  ],
  [
    'password.changed',
    () => ann.must('POST', auth('change-password'), { currentPassword: PASSWORD, newPassword: PASSWORD }),
  ],
  ['password.forgotten', () => call(product.url, 'POST', auth('forgot-password'), { email: emailOf(bea) })],
  [
    'password.reset',
    async () => {
      const token = await eventually(async () =>
        (await mailTo(product.url, emailOf(bea))).map(({ text }) => /\/reset\/([\w-]+)/.exec(text)?.[1]).find(Boolean),
      )
      await call(product.url, 'POST', auth('reset-password'), { token, newPassword: PASSWORD })
      const again = await signIn(bea)
      bea = asPerson(product.url, again.body, bea.workspaceId)
    },
  ],
  ['code.sent', () => ann.must('POST', auth('otp/send'), { phone: '+4915123456781' })],
  ['code.failed', () => ann.call('POST', auth('otp/verify'), { phone: '+4915123456781', code: '000000' })],
  [
    'phone.changed',
    async () =>
      ann.must('POST', auth('otp/verify'), {
        phone: '+4915123456781',
        code: await codeBySms(product.url, '+4915123456781'),
      }),
  ],
  [
    'email.changed',
    async () => {
      const email = `new-${randomUUID()}@example.test`
      await cal.must('POST', auth('otp/send'), { email })
      await cal.must('POST', auth('otp/verify'), { email, code: await codeByMail(product.url, email) })
      cal.session.user.email = email
    },
  ],
  ['email.confirmed', async () => confirmEmail(await newPerson(product.url, 'Dan'))],
  ['workspace.created', () => bea.must('POST', '/workspaces', { name: 'Another' })],
  ['workspace.changed', () => ann.must('PATCH', ws(), { niche: 'tea' })],
  ['invitation.sent', () => invite(cal, 'VIEWER')],
  [
    'invitation.resent',
    async () => {
      const { data } = await ann.must<{ data: WorkspaceInvitation[] }>('GET', ws('/invitations'))
      await ann.must('POST', ws(`/invitations/${data[0]?.id}/resend`))
    },
  ],
  [
    'invitation.revoked',
    async () => {
      const { data } = await ann.must<{ data: WorkspaceInvitation[] }>('GET', ws('/invitations'))
      await ann.must('DELETE', ws(`/invitations/${data[0]?.id}`))
    },
  ],
  ['invitation.accepted', () => join(bea, 'EDITOR')],
  ['member.role_changed', () => ann.must('PUT', ws(`/members/${idOf(bea)}`), { role: 'VIEWER' })],
  ['member.left', () => bea.must('DELETE', ws(`/members/${idOf(bea)}`))],
  [
    'member.removed',
    async () => {
      await join(bea, 'ADMIN')
      await ann.must('DELETE', ws(`/members/${idOf(bea)}`))
    },
  ],
  [
    'account.connected',
    async () => {
      ;[page] = (await connectPages(ann)) as [SocialAccount]
    },
  ],
  ['account.paused', () => ann.must('PATCH', `/social-accounts/${page.id}`, { paused: true })],
  ['account.resumed', () => ann.must('PATCH', `/social-accounts/${page.id}`, { paused: false })],
  ['account.reconnected', () => connectPages(ann)],
  ['media.uploaded', () => uploadPicture(ann)],
  [
    'media.deleted',
    async () => {
      const { data } = await ann.must<{ data: { id: string }[] }>('GET', '/media')
      await ann.must('DELETE', `/media/${data[0]?.id}`)
    },
  ],
  [
    'brand_voice.created',
    async () => {
      voice = await ann.must<BrandVoice>('POST', '/brand-voices', { name: 'House' })
    },
  ],
  ['brand_voice.changed', () => ann.must('PATCH', `/brand-voices/${voice.id}`, { writingStyle: 'Plain' })],
  ['brand_voice.deleted', () => ann.must('DELETE', `/brand-voices/${voice.id}`)],
  ['label.created', () => ann.must('POST', '/labels', { name: 'Urgent', color: 'red' })],
  ['label.changed', async () => ann.must('PATCH', await labelPath(), { color: 'blue' })],
  ['post.labelled', async () => ann.must('PATCH', `/posts/${(await draft()).id}`, { labels: [await labelId()] })],
  ['label.deleted', async () => ann.must('DELETE', await labelPath())],
  ['view.created', () => ann.must('POST', '/views', { name: 'Late', screen: 'posts', filters: {}, shared: true })],
  ['view.changed', async () => ann.must('PATCH', await viewPath(), { name: 'Early' })],
  ['view.deleted', async () => ann.must('DELETE', await viewPath())],
  ['post.created', () => draft()],
  ['post.edited', async () => ann.must('PATCH', `/posts/${(await draft()).id}`, { caption: 'b' })],
  ['post.scheduled', () => draft({ targets: [page.id], scheduledAt: later() })],
  [
    'post.cancelled',
    async () => ann.must('POST', `/posts/${(await draft({ targets: [page.id], scheduledAt: later() })).id}/cancel`),
  ],
  ['post.duplicated', async () => ann.must('POST', `/posts/${(await draft()).id}/duplicate`)],
  ['post.deleted', async () => ann.must('DELETE', `/posts/${(await draft()).id}`)],
  ['post.publish_requested', () => draft({ targets: [page.id], action: 'publish' })],
  [
    'account.disconnected',
    async () => {
      await eventually(
        async () => (await ann.call('DELETE', `/social-accounts/${page.id}?confirm=true`)).status === 204,
      )
    },
  ],
  ['subscription.changed', () => ann.must('PUT', '/billing/subscription', { plan: 'business' })],
  [
    'ownership.transferred',
    async () => {
      await join(bea, 'ADMIN')
      await ann.must('POST', ws('/transfer-ownership'), { userId: idOf(bea) })
      await bea.must('POST', ws('/transfer-ownership'), { userId: idOf(ann) })
    },
  ],
  ['workspace.deleted', () => ann.must('DELETE', ws(`?confirmName=${encodeURIComponent("Ann's workspace")}`))],
  ['workspace.restored', () => ann.must('POST', ws('/restore'))],
  ['admin.read.users', () => operator.must('GET', '/admin/users')],
  ['admin.read.workspaces', () => operator.must('GET', '/admin/workspaces')],
  ['admin.read.queues', () => operator.must('GET', '/admin/queues')],
  ['admin.user.disabled', () => operator.must('POST', `/admin/users/${idOf(cal)}/disable`)],
  ['admin.user.enabled', () => operator.must('POST', `/admin/users/${idOf(cal)}/enable`)],
]

interface Row {
  id: string
  who: string | null
  ip: string | null
  requestId: string | null
  text: string
}

async function rowsOf(action: string): Promise<Row[]> {
  const { rows } = await sql.query<Row>(
    `select id, actor_id as who, ip, request_id as "requestId", row_to_json(e)::text as text from audit_entry e where action = $1
     union all
     select id, user_id, ip, request_id, row_to_json(e)::text from security_event e where action = $1`,
    [action],
  )
  return rows
}

describe('the event', () => {
  test.each(events)('%s is recorded when it happens', async (action, act) => {
    const before = new Set((await rowsOf(action)).map(({ id }) => id))
    await act()
    // A job processes a request for a new password, so that its answer reveals nothing.
    const added = await eventually(async () => {
      const found = (await rowsOf(action)).filter(({ id }) => !before.has(id))
      return found.length > 0 && found
    })
    const [row] = added
    expect(row?.who, 'who').not.toBeNull()
    if (!['password.forgotten', 'code.sent'].includes(action)) {
      expect(row?.ip, 'from where').toBe('127.0.0.1')
      expect(row?.requestId, 'in which request').toMatch(/^[0-9a-f-]{36}$/)
    }
  })
})

test('there are more than forty events, and none of their rows holds a password, code, token or phone number', async () => {
  expect(events.length).toBeGreaterThan(40)
  const { rows } = await sql.query<{ text: string }>(
    `select row_to_json(e)::text as text from audit_entry e union all select row_to_json(e)::text from security_event e`,
  )
  const all = rows.map(({ text }) => text).join('\n')
  const letters = [...(await mailTo(product.url, emailOf(bea))), ...(await mailTo(product.url, emailOf(ann)))]
  const secrets = [
    PASSWORD,
    '15123456781',
    ann.session.accessToken,
    ...letters.flatMap(({ text }) =>
      [...text.matchAll(/\/(?:invite|reset)\/([\w-]+)/g)].map(([, token]) => token ?? ''),
    ),
  ]
  expect(secrets.length).toBeGreaterThan(4)
  for (const secret of secrets) expect(all).not.toContain(secret)
})
