import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import {
  type Answer,
  asPerson,
  call,
  eventually,
  mailTo,
  PASSWORD,
  type Person,
  type Problem,
  untilWaitedFor,
} from '../../../test/world.ts'
import { long, sized } from '../../../test/tier.ts'
import { ROLES, type Role } from '../../core/http/endpoint.ts'
import type { Page } from '../../core/platform/cursor.ts'
import type { Profile, Session } from '../identity/api.ts'
import type { Usage } from '../plans/api.ts'
import { createTokens } from '../../core/platform/tokens.ts'
import type { Post } from '../../publishing/posts/api.ts'
import type { Member, MemberName, OpenInvitation, Workspace, WorkspaceInvitation } from './api.ts'
import { maskEmail, refuseAct } from './rules.ts'

const SECRETS = { JWT_SECRET: 'a'.repeat(40), JWT_REFRESH_SECRET: 'b'.repeat(40) }
const tokens = createTokens(SECRETS.JWT_SECRET, SECRETS.JWT_REFRESH_SECRET)

let database: TestDatabase
let product: Running
let sql: pg.Client
let owner: Person
let ws: string

beforeAll(async () => {
  database = await freshDatabase()
  product = await startProduct({
    databaseUrl: database.url,
    env: { ...SECRETS, DEFAULT_PLAN: 'business', LOG_LEVEL: 'trace' },
  })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})

afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await database?.drop()
})

/** Creates a signed-in person with a workspace, at once instead of by hashing a password. */
async function someone(name = 'Bea', { confirmed = true } = {}): Promise<Person> {
  const [user, session, workspace] = [randomUUID(), randomUUID(), randomUUID()]
  const email = `${name.toLowerCase()}-${user}@example.test`
  await sql.query(
    `with person as (
       insert into app_user (id, email, email_confirmed_at, name, default_workspace_id)
       values ($1, $3, case when $4 then now() end, $5, $6)),
     place as (insert into workspace (id, name, timezone) values ($6, $5 || '’s workspace', 'UTC')),
     plan as (insert into subscription (workspace_id, plan_id) values ($6, 'business')),
     belongs as (insert into member (workspace_id, user_id, role) values ($6, $1, 'OWNER')),
     use as (insert into workspace_usage (workspace_id, quota_id, period, used) values ($6, 'members', '0001-01-01', 1))
     insert into session (id, user_id, current_token, issued_at, last_used_at, expires_at)
     values ($2, $1, $2, now(), now(), now() + interval '1 day')`,
    [user, session, email, confirmed, name, workspace],
  )
  const accessToken = await tokens.signAccess({ userId: user, sessionId: session }, new Date())
  const own = { id: workspace, name, role: 'OWNER' as const, plan: 'business', features: [] }
  return asPerson(product.url, {
    user: { id: user, email, name },
    accessToken,
    workspaces: [own],
  } as unknown as Session)
}

const idOf = (person: Person) => person.session.user.id
const emailOf = (person: Person) => person.session.user.email ?? ''
const told = (answer: Answer) => {
  const { code } = (answer.body ?? {}) as Partial<Problem>
  return code === undefined ? `${answer.status}` : `${answer.status} ${code}`
}

/** The person, acting in the test's workspace. */
const inside = (person: Person) => asPerson(product.url, person.session, ws)

/** Adds a member to the test's workspace, as if they had been invited. */
async function member(role: Role, person?: Person): Promise<Person> {
  const made = person ?? (await someone(role.toLowerCase()))
  await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [ws, idOf(made), role])
  await sql.query(`update workspace_usage set used = used + 1 where workspace_id = $1 and quota_id = 'members'`, [ws])
  return inside(made)
}

beforeEach(async () => {
  owner = await someone('Ann')
  ws = owner.workspaceId
})

const at = (path = '') => `/workspaces/${ws}/members${path}`
const invitations = (path = '') => `/workspaces/${ws}/invitations${path}`
const invite = <T = WorkspaceInvitation>(by: Person, email: string, role: Role) =>
  by.call<T>('POST', at(), { email, role })
const setRole = <T = Member>(by: Person, person: Person, role: Role) =>
  by.call<T>('PUT', at(`/${idOf(person)}`), { role })
const remove = (by: Person, person: Person) => by.call<Problem>('DELETE', at(`/${idOf(person)}`))
const transfer = <T = Workspace>(by: Person, person: Person) =>
  by.call<T>('POST', `/workspaces/${ws}/transfer-ownership`, { userId: idOf(person) })
const accept = <T = Workspace>(person: Person, token: string) => person.call<T>('POST', `/invitations/${token}/accept`)

/** Waits for the newest invitation mailed to an address and returns its token. */
const linkTo = (email: string, but: string[] = []) =>
  eventually(async () => {
    const found = (await mailTo(product.url, email)).map(({ text }) => /\/app\/invite\/([\w-]+)/.exec(text)?.[1])
    return found.find((token) => token !== undefined && !but.includes(token))
  })

/** Invites a person and returns the token that they got. */
async function invited(person: Person, role: Role, by = owner): Promise<string> {
  expect(told(await invite(by, emailOf(person), role))).toBe('201')
  return linkTo(emailOf(person))
}

async function rolesOf(): Promise<Record<string, Role>> {
  const { rows } = await sql.query<{ user_id: string; role: Role }>(
    'select user_id, role from member where workspace_id = $1 order by user_id',
    [ws],
  )
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
}
/** Sends ten requests that wait for the same locks, and releases these once all requests wait. */
async function heldUntilTen<T>(lock: string, id: string, send: () => Promise<T>[]): Promise<T[]> {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query(lock, [id])
    const sent = send()
    await eventually(async () => {
      const { rows } = await sql.query<{ turns: number; all: number }>(
        `select count(*) filter (where wait_event = 'advisory')::int as turns, count(*)::int as all
          from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      // All but one wait for their turn, so that none of them holds a standing that the one needs.
      if ((rows[0]?.all ?? 0) >= 10) expect(rows[0]).toEqual({ turns: 9, all: 10 })
      return (rows[0]?.all ?? 0) >= 10
    })
    await holder.query('commit')
    return await Promise.all(sent)
  } finally {
    await holder.end()
  }
}

const owners = async () => Object.values(await rolesOf()).filter((role) => role === 'OWNER').length

async function seats(): Promise<number> {
  const { rows } = await sql.query<{ used: string }>(
    `select used from workspace_usage where workspace_id = $1 and quota_id = 'members'`,
    [ws],
  )
  return Number(rows[0]?.used)
}

const noticesOf = async (person: Person) =>
  (
    await sql.query<{ kind: string; data: Record<string, unknown> }>(
      'select kind, data from notification where user_id = $1 order by id',
      [idOf(person)],
    )
  ).rows
const kindsOf = async (person: Person) => (await noticesOf(person)).map(({ kind }) => kind)

describe('members', () => {
  test('are listed newest first, page by page, with role and last use', async () => {
    const people = [owner]
    for (const role of ['ADMIN', 'EDITOR', 'VIEWER'] as const) people.push(await member(role))
    const list = await owner.must<{ data: Member[]; nextCursor: null }>('GET', at())
    expect(list.data.map(({ userId, role }) => [userId, role])).toEqual(
      people.toReversed().map((person, index) => [idOf(person), ['VIEWER', 'EDITOR', 'ADMIN', 'OWNER'][index]]),
    )
    const { joinedAt, lastActiveAt } = list.data[3]!
    expect(list.data[3]).toEqual({
      id: idOf(owner),
      userId: idOf(owner),
      email: emailOf(owner),
      name: 'Ann',
      role: 'OWNER',
      joinedAt,
      lastActiveAt,
    })
    expect(Math.abs(Date.now() - Date.parse(lastActiveAt ?? ''))).toBeLessThan(60_000)
    expect(list.nextCursor).toBeNull()
    await sql.query('update member set joined_at = $2 where workspace_id = $1', [ws, new Date()])
    const paged: Member[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { data: Member[]; nextCursor: string | null } = await owner.must(
        'GET',
        `${at()}?limit=2${cursor && `&cursor=${cursor}`}`,
      )
      paged.push(...page.data)
      cursor = page.data.length > 0 ? page.nextCursor : null
    }
    expect(new Set(paged.map(({ id }) => id))).toEqual(new Set(people.map(idOf)))
    expect(paged).toHaveLength(4)
    for (const cursor of ['x', Buffer.from(`${'9'.repeat(17)} ${ws}`).toString('base64url')]) {
      expect(told(await owner.call('GET', `${at()}?cursor=${cursor}`))).toBe('422 validation_failed')
    }
  })

  test('are only names to a CLIENT', async () => {
    const client = await member('CLIENT')
    const { data } = await client.must<{ data: MemberName[] }>('GET', at())
    const nothing = { id: null, userId: null, email: null, role: null, joinedAt: null, lastActiveAt: null }
    expect(data).toHaveLength(2)
    expect(data).toEqual(
      expect.arrayContaining([
        { ...nothing, name: 'client' },
        { ...nothing, name: 'Ann' },
      ]),
    )
    // Page by page they are the same, and the readable cursor has neither an id nor a time.
    const first = await client.must<Page<MemberName>>('GET', `${at()}?limit=1`)
    const second = await client.must<Page<MemberName>>('GET', `${at()}?limit=1&cursor=${first.nextCursor}`)
    expect([...first.data, ...second.data]).toEqual(data)
    const readable = Buffer.from(first.nextCursor!, 'base64url').toString()
    const { rows } = await sql.query<{ id: string }>('select user_id as id from member where workspace_id = $1', [ws])
    for (const { id } of rows) expect(readable).not.toContain(id)
    expect(readable).not.toMatch(/\d{15}/)
    expect(told(await client.call('GET', invitations()))).toBe('403 role_required')
  })
})

describe('an invitation', () => {
  test('is mailed in the language of the workspace, and its token appears nowhere else', async () => {
    await sql.query(`update workspace set name = 'Bäckerei <b>', language = 'ar' where id = $1`, [ws])
    const guest = `guest-${randomUUID()}@example.test`
    const sent = await invite(owner, ` ${guest.toUpperCase()} `, 'EDITOR')
    const { id, expiresAt, createdAt } = sent.body
    expect(sent.status).toBe(201)
    expect(sent.body).toEqual({
      id,
      email: guest,
      role: 'EDITOR',
      invitedBy: { id: idOf(owner), name: 'Ann' },
      expiresAt,
      acceptedAt: null,
      createdAt,
    })
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(7 * 86_400_000)
    const first = await linkTo(guest)
    const [letter] = await mailTo(product.url, guest)
    expect(letter?.subject).toBe('دعوة للانضمام إلى Bäckerei <b> على Parley')
    expect(letter?.text).toContain('دعاك Ann إلى مساحة العمل')
    expect(letter?.text).toContain('محرّر')
    expect(letter?.html).toContain('dir="rtl"')
    expect(letter?.html).not.toContain('<b>')

    const again = await owner.must<WorkspaceInvitation>('POST', invitations(`/${id}/resend`))
    const second = await linkTo(guest, [first])
    expect({ ...again, expiresAt }).toEqual(sent.body)
    expect((await owner.must<{ data: object[] }>('GET', invitations())).data).toEqual([again])
    const { rows } = await sql.query<{ text: string }>(`
      select i::text as text from workspace_invitation i union all select a::text from audit_entry a
      union all select n::text from notification n union all select payload::text from graphile_worker._private_jobs`)
    for (const token of [first, second]) {
      await call(product.url, 'GET', `/invitations/${token}`)
      await call(product.url, 'GET', `/api/v1/invitations/${token}?a=b`)
      await call(product.url, 'GET', `/app/invite/${token}`)
      await call(product.url, 'POST', `/invitations/${token}/accept`)
      const seen = [sent.body, again, product.output(), ...rows.map(({ text }) => text)].map((each) =>
        JSON.stringify(each),
      )
      expect(seen.filter((text) => text.includes(token))).toEqual([])
    }
    expect(product.output()).toContain('/invitations/[secret]')
    expect(told(await call(product.url, 'GET', `/invitations/${first}`))).toBe('404 not_found')
    expect(told(await call(product.url, 'GET', `/invitations/${second}`))).toBe('200')
  })

  test('to an address that was invited before replaces the first one', async () => {
    const bea = await someone()
    const first = await invited(bea, 'VIEWER')
    const { id } = (await invite(owner, emailOf(bea), 'EDITOR')).body
    const second = await linkTo(emailOf(bea), [first])
    const { data } = await owner.must<{ data: WorkspaceInvitation[] }>('GET', invitations())
    expect(data.map((one) => [one.id, one.role])).toEqual([[id, 'EDITOR']])
    expect(told(await accept(bea, first))).toBe('404 not_found')
    expect(told(await accept(bea, second))).toBe('200')
    expect((await rolesOf())[idOf(bea)]).toBe('EDITOR')
    expect((await owner.must<{ data: object[] }>('GET', invitations())).data).toEqual([])
  })

  test('makes a member with the role and a seat, and notifies its sender; once', async () => {
    const bea = await someone()
    const token = await invited(bea, 'ADMIN')
    expect(await kindsOf(bea)).toEqual(['invitation_received'])
    const before = await seats()
    expect(told(await bea.call('GET', `/workspaces/${ws}`))).toBe('404 not_found')
    const joined = await accept(bea, token)
    expect(joined.body).toMatchObject({ id: ws, name: 'Ann’s workspace', role: 'ADMIN' })
    expect(await seats()).toBe(before + 1)
    expect(await noticesOf(owner)).toEqual([
      {
        kind: 'invitation_accepted',
        data: { workspaceName: 'Ann’s workspace', userId: idOf(bea), name: 'Bea', role: 'ADMIN' },
      },
    ])
    expect(told(await accept(bea, token))).toBe('409 already_member')
    expect(told(await invite(owner, emailOf(bea), 'VIEWER'))).toBe('409 already_member')
    expect((await bea.must<Profile>('GET', '/api/v1/auth/me')).defaultWorkspaceId).toBe(bea.workspaceId)
    const { rows } = await sql.query<{ action: string }>(
      `select action from audit_entry where workspace_id = $1 order by id`,
      [ws],
    )
    expect(rows.map(({ action }) => action)).toEqual(['invitation.sent', 'invitation.accepted'])
  })

  test('is accepted only by its address, which it confirms', async () => {
    const [bea, eve] = [await someone('Bea', { confirmed: false }), await someone('Eve')]
    const token = await invited(bea, 'EDITOR')
    expect(await kindsOf(bea)).toEqual([])
    expect(told(await accept(eve, token))).toBe('403 invitation_for_other_address')
    expect(told(await call(product.url, 'POST', `/invitations/${token}/accept`))).toBe('401 unauthenticated')
    expect(told(await accept(bea, token))).toBe('200')
    expect(await bea.must('GET', '/api/v1/auth/me')).toMatchObject({ emailConfirmed: true })
    expect(Object.keys(await rolesOf()).toSorted()).toEqual([idOf(owner), idOf(bea)].toSorted())
  })

  test('is found by an ADMIN at its Location', async () => {
    const bea = await someone()
    const body = { email: emailOf(bea), role: 'EDITOR' }
    const sent = await owner.call<WorkspaceInvitation>('POST', at(), body)
    const location = sent.headers.get('location')!
    expect(await owner.must<WorkspaceInvitation>('GET', location)).toEqual(sent.body)
    await owner.must('DELETE', location)
    expect(told(await owner.call('GET', location))).toBe('404 not_found')
  })

  test('shows its purpose only while it is valid; an unknown token shows nothing', async () => {
    const bea = await someone()
    const token = await invited(bea, 'CLIENT')
    const see = () => call<OpenInvitation>(product.url, 'GET', `/invitations/${token}`)
    const open = { workspaceName: 'Ann’s workspace', role: 'CLIENT', email: 'b•••@example.test' }
    expect((await see()).body).toEqual(open)
    await sql.query(
      `update workspace_invitation set expires_at = now() - interval '1 second' where workspace_id = $1`,
      [ws],
    )
    expect(told(await see())).toBe('410 invitation_expired')
    expect(told(await accept(bea, token))).toBe('410 invitation_expired')
    expect(told(await accept(owner, token))).toBe('403 invitation_for_other_address')
    const nobody = await Promise.all(
      ['x', randomUUID(), 'a'.repeat(43), `${token}a`].map((other) =>
        call<Problem>(product.url, 'GET', `/invitations/${other}`),
      ),
    )
    expect(nobody.map(told)).toEqual(nobody.map(() => '404 not_found'))
    expect(new Set(nobody.map(({ body }) => JSON.stringify({ ...body, requestId: '' }))).size).toBe(1)
    await sql.query(`update workspace_invitation set expires_at = now() + interval '1 day' where workspace_id = $1`, [
      ws,
    ])
    await sql.query('update workspace_invitation set accepted_at = now() where workspace_id = $1', [ws])
    expect(told(await see())).toBe('410 invitation_expired')
    await sql.query('update workspace_invitation set accepted_at = null where workspace_id = $1', [ws])
    await sql.query('update workspace set deleted_at = now() where id = $1', [ws])
    expect(told(await see())).toBe('404 not_found')
    expect(told(await accept(bea, token))).toBe('404 not_found')
  })

  test('that has expired can be renewed, and once revoked none of its links works', async () => {
    const bea = await someone()
    const token = await invited(bea, 'EDITOR')
    const [{ id }] = (await owner.must<{ data: [WorkspaceInvitation] }>('GET', invitations())).data
    await sql.query(`update workspace_invitation set expires_at = now() - interval '1 second' where id = $1`, [id])
    await owner.must('POST', invitations(`/${id}/resend`))
    const renewed = await linkTo(emailOf(bea), [token])
    await owner.must('DELETE', invitations(`/${id}`))
    for (const dead of [token, renewed]) expect(told(await accept(bea, dead))).toBe('404 not_found')
    for (const [method, path] of [
      ['POST', '/resend'],
      ['DELETE', ''],
    ] as const) {
      expect(told(await owner.call(method, invitations(`/${id}${path}`)))).toBe('404 not_found')
    }
  })

  test('needs a sender with a confirmed address or number', async () => {
    await sql.query('update app_user set email_confirmed_at = null where id = $1', [idOf(owner)])
    const refused = await invite<Problem>(owner, 'guest@example.test', 'EDITOR')
    expect([told(refused), refused.body.current, refused.body.allowed]).toEqual([
      '409 invalid_state',
      'unconfirmed',
      ['confirmed'],
    ])
    await sql.query(`update app_user set phone = $2, phone_confirmed_at = now() where id = $1`, [
      idOf(owner),
      randomUUID(),
    ])
    expect(told(await invite(owner, 'guest@example.test', 'EDITOR'))).toBe('201')
  })

  test('needs a seat: open ones count like members, and a replaced one does not count twice', async () => {
    await sql.query(`update subscription set plan_id = 'free' where workspace_id = $1`, [ws])
    for (const email of ['a@example.test', 'b@example.test', 'b@example.test']) {
      expect(told(await invite(owner, email, 'EDITOR'))).toBe('201')
    }
    const full = await invite<Problem>(owner, 'c@example.test', 'EDITOR')
    expect(full.body).toMatchObject({ code: 'quota_exceeded', quota: 'members', limit: 3, used: 3 })
    await sql.query(
      `update workspace_invitation set expires_at = now() - interval '1 second' where workspace_id = $1`,
      [ws],
    )
    expect(told(await invite(owner, 'c@example.test', 'EDITOR'))).toBe('201')
  })

  test('is limited to 50 open ones and 100 a day per workspace', async () => {
    const fill = (count: number) =>
      sql.query(
        `insert into workspace_invitation (workspace_id, id, email, role, token_hash, expires_at)
           select $1, gen_random_uuid(), gen_random_uuid() || '@example.test', 'VIEWER', gen_random_uuid()::text, now() + interval '1 hour'
           from generate_series(1, $2)`,
        [ws, count],
      )
    await fill(49)
    expect(told(await invite(owner, 'a@example.test', 'EDITOR'))).toBe('201')
    const many = await invite<Problem>(owner, 'b@example.test', 'EDITOR')
    expect(told(many)).toBe('429 rate_limited')
    expect(Number(many.headers.get('retry-after'))).toBeGreaterThan(3000)
    await sql.query(
      `update workspace_invitation set expires_at = now() - interval '1 second' where workspace_id = $1`,
      [ws],
    )
    expect(told(await invite(owner, 'b@example.test', 'EDITOR'))).toBe('201')
    await sql.query('update try_count set tries = 100')
    expect(told(await invite(owner, 'c@example.test', 'EDITOR'))).toBe('429 rate_limited')
  })

  test('is limited to 5 a day per address across workspaces; refused ones do not count', async () => {
    const email = `${randomUUID()}@example.test`
    await owner.call('PUT', '/billing/subscription', { plan: 'free' })
    for (let full = 0; full < 2; full += 1) await invite(owner, `${full}-${email}`, 'VIEWER')
    for (let count = 0; count < 6; count += 1)
      expect(told(await invite(owner, email, 'VIEWER'))).toBe('402 quota_exceeded')
    for (let count = 0; count < 5; count += 1) {
      owner = await someone('Ann')
      ws = owner.workspaceId
      expect(told(await invite(owner, email, 'VIEWER'))).toBe('201')
    }
    const [{ id }] = (await owner.must<{ data: [WorkspaceInvitation] }>('GET', invitations())).data
    expect(told(await owner.call('POST', invitations(`/${id}/resend`)))).toBe('429 rate_limited')
    owner = await someone('Ann')
    ws = owner.workspaceId
    expect(told(await invite(owner, email, 'VIEWER'))).toBe('429 rate_limited')
  })

  test('is limited to 20 an hour per sender across workspaces', async () => {
    for (let count = 0; count < 20; count += 1) {
      if (count === 10) ws = (await owner.must<Workspace>('POST', '/workspaces', { name: 'Other' })).id
      expect(
        told(await inside(owner).call('POST', at(), { email: `${randomUUID()}@example.test`, role: 'VIEWER' })),
      ).toBe('201')
    }
    const email = `${randomUUID()}@example.test`
    expect(told(await invite(inside(owner), email, 'VIEWER'))).toBe('429 rate_limited')
    const other = await member('ADMIN')
    expect(told(await invite(other, email, 'VIEWER'))).toBe('201')
  })

  test('takes a seat in GET /billing/usage while it is open', async () => {
    const seats = async () => {
      const { data } = await owner.must<{ data: Usage[] }>('GET', '/billing/usage')
      return data.find(({ quota }) => quota === 'members')?.used
    }
    expect(await seats()).toBe(1)
    const bea = await someone()
    await invited(bea, 'EDITOR')
    expect(await seats()).toBe(2)
    await invited(bea, 'VIEWER') // replaces the previous one
    await invited(await someone(), 'VIEWER')
    expect(await seats()).toBe(3)
    const { data } = await owner.must<{ data: WorkspaceInvitation[] }>('GET', invitations())
    await owner.must('DELETE', invitations(`/${data[0]?.id}`))
    expect(await seats()).toBe(2)
    await sql.query(`update workspace_invitation set expires_at = now() where workspace_id = $1`, [ws])
    expect(await seats()).toBe(1)
  })

  test('that was accepted counts as one member only', async () => {
    const bea = await someone()
    await accept(bea, await invited(bea, 'EDITOR'))
    const { data } = await owner.must<{ data: Usage[] }>('GET', '/billing/usage')
    expect(data.find(({ quota }) => quota === 'members')?.used).toBe(2)
  })

  test('to the ownership is not replaced by a person who could not send it', async () => {
    const heir = await someone()
    const admin = await member('ADMIN')
    await invited(heir, 'OWNER')
    expect(told(await invite(admin, emailOf(heir), 'CLIENT'))).toBe('403 role_required')
    const { data } = await owner.must<{ data: WorkspaceInvitation[] }>('GET', invitations())
    expect(data.map(({ role }) => role)).toEqual(['OWNER'])
    expect(told(await invite(owner, emailOf(heir), 'CLIENT'))).toBe('201')
  })

  test('ends with the right to send it: when its sender is removed, demoted or no longer the owner', async () => {
    const [gone, demoted] = [await member('ADMIN'), await member('ADMIN')]
    const guests = [await someone(), await someone(), await someone(), await someone()] as const
    const links = [
      await invited(guests[0], 'ADMIN', gone),
      await invited(guests[1], 'VIEWER', demoted),
      await invited(guests[2], 'OWNER'),
      await invited(guests[3], 'EDITOR'),
    ] as const
    await remove(owner, gone)
    await setRole(owner, demoted, 'EDITOR')
    await transfer(owner, await member('EDITOR'))
    const answers = []
    for (const [index, guest] of guests.entries()) answers.push(told(await accept(guest, links[index]!)))
    expect(answers).toEqual([...Array.from({ length: 3 }, () => '410 invitation_expired'), '200'])
    const { rows } = await sql.query(
      `select from audit_entry where workspace_id = $1 and action = 'invitation.revoked'`,
      [ws],
    )
    expect(rows).toHaveLength(3)
  })

  test('does not reveal in any live stream whether its address has an account', async () => {
    const bea = await someone()
    const stream = await streamOf(owner)
    await invite(owner, emailOf(bea), 'VIEWER')
    // Later events arrive later: once the second is heard, everything of the first has arrived.
    for (const heard of [1, 2]) {
      await eventually(async () => stream.text.split('"kind":"workspace"').length > heard)
      if (heard === 1) await invite(owner, `later-${randomUUID()}@example.test`, 'VIEWER')
    }
    expect(stream.text).not.toContain('"kind":"notification"')
    expect((await bea.must<{ data: { kind: string }[] }>('GET', '/notifications')).data[0]?.kind).toBe(
      'invitation_received',
    )
  })
})

describe('registering with an invitation', () => {
  const register = <T = Session>(body: object) =>
    call<T>(product.url, 'POST', '/api/v1/auth/register', { password: PASSWORD, name: 'Noor', ...body })

  test('joins that workspace instead of creating one, with the invited address, which is proven', async () => {
    const email = `noor-${randomUUID()}@example.test`
    await invite(owner, email, 'CLIENT')
    const inviteToken = await linkTo(email)
    expect(told(await register({ inviteToken, email: `x${email}` }))).toBe('403 invitation_for_other_address')
    expect(told(await register({ inviteToken: 'none', email }))).toBe('404 not_found')
    expect(told(await register({}))).toBe('422 validation_failed')
    const { status, body } = await register({ inviteToken })
    expect(status).toBe(201)
    expect(body.user).toMatchObject({ email, emailConfirmed: true, defaultWorkspaceId: ws })
    expect(body.workspaces.map(({ id, role }) => [id, role])).toEqual([[ws, 'CLIENT']])
    expect(told(await register({ inviteToken }))).toBe('410 invitation_expired')
    expect(told(await asPerson(product.url, body).call('POST', '/posts', { caption: 'a' }))).toBe('403 role_required')
  })

  test('is refused for an address that its account has proven; an account that has not loses it', async () => {
    const [bea, eve] = [await someone('Bea'), await someone('Eve', { confirmed: false })]
    expect(told(await register({ inviteToken: await invited(bea, 'EDITOR') }))).toBe('409 email_taken')
    const { status, body } = await register({ inviteToken: await invited(eve, 'EDITOR'), email: emailOf(eve) })
    expect(status).toBe(201)
    expect(body.user.id).not.toBe(idOf(eve))
    expect(await eve.must('GET', '/api/v1/auth/me')).toMatchObject({ email: null, emailConfirmed: false })
    const noted = await sql.query('select action from security_event where user_id = $1', [idOf(eve)])
    expect(noted.rows).toEqual([{ action: 'email.lost' }])
    const { rows } = await sql.query('select from audit_entry where workspace_id = $1 and actor_id = $2', [
      ws,
      idOf(eve),
    ])
    expect(rows).toEqual([])
  })
})

// What each role (row) may do to each role (column, in the order of ROLES), as the answer that it gets.
const NO = 'role_required ADMIN'
const HERS = 'role_required OWNER'
const never = ['403', '403', '403', '403', '403'].map((status) => `${status} ${NO}`)
const owned = never.map(() => `403 ${HERS}`)
const all = (answer: string) => never.map(() => answer)
const butOwner = (answer: string) => [`403 ${HERS}`, answer, answer, answer, answer]
const byRole = (ofOwner: string[], ofAdmin: string[]): Record<Role, string[]> => ({
  OWNER: ofOwner,
  ADMIN: ofAdmin,
  EDITOR: never,
  VIEWER: never,
  CLIENT: never,
})
const kept = '409 owner_required'

const acts = {
  invite: byRole(all('201'), butOwner('201')),
  resend: byRole(all('200'), butOwner('200')),
  revoke: byRole(all('204'), butOwner('204')),
  remove: byRole([kept, '204', '204', '204', '204'], butOwner('204')),
  transfer: { OWNER: all('200'), ADMIN: owned, EDITOR: owned, VIEWER: owned, CLIENT: owned },
  'make OWNER': byRole(all('200'), owned),
  'make ADMIN': byRole([kept, '200', '200', '200', '200'], butOwner('200')),
  'make EDITOR': byRole([kept, '200', '200', '200', '200'], butOwner('200')),
  'make VIEWER': byRole([kept, '200', '200', '200', '200'], butOwner('200')),
  'make CLIENT': byRole([kept, '200', '200', '200', '200'], butOwner('200')),
  leave: {
    OWNER: all(kept),
    ADMIN: all('204'),
    EDITOR: all('204'),
    VIEWER: all('204'),
    CLIENT: all('204'),
  },
}

describe('permissions by role', () => {
  const answerOf = ({ status, body }: Answer<Partial<Problem>>) =>
    [status, body?.code, body?.code === 'role_required' ? body.required : ''].filter(Boolean).join(' ')

  /** Performs one act in a new workspace, and returns the answer and what became of the roles. */
  async function attempt(act: keyof typeof acts, actorRole: Role, role: Role) {
    owner = await someone('Ann')
    ws = owner.workspaceId
    const actor = actorRole === 'OWNER' ? inside(owner) : await member(actorRole)
    const needsTarget = /^(remove|transfer|make)/.test(act)
    const target = role === 'OWNER' ? owner : needsTarget ? await member(role) : owner
    const invitation = randomUUID()
    await sql.query(
      `insert into workspace_invitation (workspace_id, id, email, role, token_hash, invited_by, expires_at)
         values ($1, $2, $5 || '@example.test', $3, $5, $4, now() + interval '1 day')`,
      [ws, invitation, role, idOf(owner), invitation],
    )
    const calls: Record<string, () => Promise<Answer<Problem>>> = {
      invite: () => invite(actor, `${invitation}-guest@example.test`, role),
      resend: () => actor.call('POST', invitations(`/${invitation}/resend`)),
      revoke: () => actor.call('DELETE', invitations(`/${invitation}`)),
      remove: () => remove(actor, target),
      transfer: () => transfer(actor, target),
      leave: () => actor.call('DELETE', `/members/${idOf(actor).toUpperCase()}`),
    }
    const before = await rolesOf()
    const answer = await (calls[act] ?? (() => setRole<Problem>(actor, target, act.slice(5) as Role)))()
    const after = await rolesOf()
    const count = Object.values(after).filter((one) => one === 'OWNER').length
    const same = JSON.stringify(before) === JSON.stringify(after)
    const left = act === 'leave' ? after[idOf(actor)] : after[idOf(target)]
    return { said: answerOf(answer), same, owners: count, left }
  }

  const every = Object.keys(acts) as (keyof typeof acts)[]
  const usual = every.filter((act) => !/^make (EDITOR|VIEWER|CLIENT)$/.test(act))
  const actors = sized<readonly Role[]>(['OWNER', 'ADMIN', 'EDITOR'], ROLES)

  test.each(long ? every : usual)('%s', async (act) => {
    for (const actor of actors) {
      const outcomes = []
      for (const role of ROLES) outcomes.push(await attempt(act, actor, role))
      expect(
        outcomes.map(({ said }) => said),
        `${actor} ${act}`,
      ).toEqual(acts[act][actor])
      expect(outcomes.map(({ owners: count }) => count)).toEqual([1, 1, 1, 1, 1])
      outcomes.forEach(({ said, same, left }, index) => {
        if (Number(said.slice(0, 3)) >= 400) expect(same, `${actor} ${act} ${ROLES[index]}`).toBe(true)
        else if (act === 'remove' || act === 'leave') expect(left).toBeUndefined()
        else if (act === 'transfer') expect(left).toBe('OWNER')
        else if (act.startsWith('make')) expect(left).toBe(act.slice(5))
      })
    }
  })

  test('the rule of the screens agrees', () => {
    for (const actor of ROLES) {
      ROLES.forEach((role, index) => {
        const ruled = (answer: string, act: Omit<Parameters<typeof refuseAct>[0], 'actor'>) => {
          const refusal = refuseAct({ actor, ...act })
          const [, code, required] = answer.split(' ')
          expect([refusal?.code, refusal && 'required' in refusal ? refusal.required : undefined]).toEqual([
            code,
            required,
          ])
        }
        ruled(acts.invite[actor][index]!, { target: null, wanted: role })
        if (role === 'OWNER' || actor !== 'OWNER') {
          ruled(acts.remove[actor][index]!, { target: role, wanted: null })
        }
        ruled(acts.leave[actor][index]!, { target: actor, wanted: null, own: true })
      })
    }
    expect(maskEmail('نور@example.test')).toBe('ن•••@example.test')
  })

  test('people of other workspaces are not found', async () => {
    const bea = await someone()
    for (const answer of [
      await setRole(owner, bea, 'VIEWER'),
      await remove(owner, bea),
      await owner.call('DELETE', `/members/${randomUUID()}`),
      await bea.call('GET', at()),
      await invite(bea, 'guest@example.test', 'VIEWER'),
      await remove(bea, bea),
    ]) {
      expect(told(answer)).toBe('404 not_found')
    }
    expect(told(await transfer(owner, bea))).toBe('422 validation_failed')
  })
})

describe('a role change', () => {
  test('applies from the next request on, and the person is notified', async () => {
    const editor = await member('EDITOR')
    expect(told(await editor.call('POST', '/posts', { caption: 'a' }))).toBe('201')
    expect((await setRole(owner, editor, 'VIEWER')).body).toMatchObject({ userId: idOf(editor), role: 'VIEWER' })
    expect(told(await editor.call('POST', '/posts', { caption: 'a' }))).toBe('403 role_required')
    expect(await setRole(owner, editor, 'VIEWER')).toMatchObject({ status: 200 })
    expect(await noticesOf(editor)).toEqual([
      { kind: 'role_changed', data: { workspaceName: 'Ann’s workspace', from: 'EDITOR', to: 'VIEWER' } },
    ])
  })

  test('to OWNER passes the ownership at once: both are notified and mailed, in their own language', async () => {
    const admin = await member('ADMIN', await someone('Bea'))
    await sql.query(`update app_user set language = 'ar' where id = $1`, [idOf(admin)])
    expect(told(await setRole(owner, admin, 'OWNER'))).toBe('200')
    expect(await rolesOf()).toEqual({ [idOf(owner)]: 'ADMIN', [idOf(admin)]: 'OWNER' })
    expect([await kindsOf(owner), await kindsOf(admin)]).toEqual([['ownership_transferred'], ['ownership_transferred']])
    const letters = await eventually(async () => {
      const found = [...(await mailTo(product.url, emailOf(owner))), ...(await mailTo(product.url, emailOf(admin)))]
      return found.length >= 2 && found
    })
    expect(letters.map(({ subject }) => subject)).toEqual([
      'Ownership of Ann’s workspace was transferred',
      'نُقلت ملكية Ann’s workspace',
    ])
    expect(letters[0]?.text).toContain('Bea is now the owner')
    expect(letters[1]?.text).toContain('أصبح Ann مديرًا فيها')
    expect(told(await transfer(owner, admin))).toBe('403 role_required')
    expect((await transfer(admin, owner)).body).toMatchObject({ id: ws, role: 'ADMIN' })
    expect(await transfer(inside(owner), owner)).toMatchObject({ status: 200, body: { role: 'OWNER' } })
  })

  test('by an invitation to OWNER happens on acceptance, and not after its sender has lost the ownership', async () => {
    const [bea, eve] = [await someone('Bea'), await member('ADMIN', await someone('Eve'))]
    const token = await invited(bea, 'OWNER')
    expect(await rolesOf()).toEqual({ [idOf(owner)]: 'OWNER', [idOf(eve)]: 'ADMIN' })
    await transfer(owner, eve)
    const before = await seats()
    expect(told(await accept(bea, token))).toBe('410 invitation_expired')
    expect(await seats()).toBe(before)
    const [{ id }] = (await eve.must<{ data: [WorkspaceInvitation] }>('GET', invitations())).data
    await eve.must('POST', invitations(`/${id}/resend`))
    expect((await accept(bea, await linkTo(emailOf(bea), [token]))).body).toMatchObject({ role: 'OWNER' })
    expect(await rolesOf()).toEqual({ [idOf(owner)]: 'ADMIN', [idOf(eve)]: 'ADMIN', [idOf(bea)]: 'OWNER' })
  })
})

describe('a removed member', () => {
  test('is out from the next request on; their work stays, their notices of it go, the seat is free', async () => {
    const editor = await member('EDITOR')
    const post = await editor.must<Post>('POST', '/posts', { caption: 'a' })
    const before = await seats()
    await sql.query('update app_user set default_workspace_id = $2 where id = $1', [idOf(editor), ws])
    for (const workspace of [ws, null]) {
      await sql.query(`insert into notification (user_id, id, workspace_id, kind) values ($1, $2, $3, 'post_failed')`, [
        idOf(editor),
        randomUUID(),
        workspace,
      ])
    }
    expect((await remove(owner, editor)).status).toBe(204)
    for (const path of ['/posts', `/posts/${post.id}`, `/workspaces/${ws}`, at()]) {
      expect(told(await editor.call('GET', path))).toBe('404 not_found')
    }
    expect((await kindsOf(editor)).toSorted()).toEqual(['member_removed', 'post_failed'])
    expect(await editor.must('GET', '/api/v1/auth/me')).toMatchObject({ defaultWorkspaceId: null })
    expect(await owner.must('GET', `/posts/${post.id}`)).toMatchObject({ caption: 'a', createdBy: post.createdBy })
    expect(await seats()).toBe(before - 1)
    expect(told(await remove(owner, editor))).toBe('404 not_found')
    const token = await invited(editor, 'VIEWER')
    expect(told(await accept(editor, token))).toBe('200')
    expect(await editor.must('GET', '/api/v1/auth/me')).toMatchObject({ defaultWorkspaceId: ws })
  })
})

test('a workspace that a person loses at the same time does not become their default', async () => {
  const bea = await someone('Bea')
  const editor = await member('EDITOR', bea)
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  const waiting = async () =>
    (await sql.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .rows.length
  try {
    await holder.query('begin')
    // The removal waits here with its notice, after it has cleared the default.
    await holder.query('select from app_user where id = $1 for update', [idOf(bea)])
    const removal = remove(owner, editor)
    await eventually(async () => (await waiting()) === 1)
    const choice = bea.call('PATCH', '/api/v1/auth/me', { defaultWorkspaceId: ws })
    await eventually(async () => (await waiting()) === 2)
    await holder.query('commit')
    expect([told(await removal), told(await choice)]).toEqual(['204', '422 validation_failed'])
  } finally {
    await holder.end()
  }
  const headers = { authorization: `Bearer ${bea.session.accessToken}` }
  expect(told(await call(product.url, 'GET', '/posts', undefined, headers))).toBe('200')
})

describe('a person who owns 20 workspaces', () => {
  /** Makes a person the OWNER of `count` more workspaces, with `deleted` ones among them. */
  const own = (person: Person, count: number, deleted = 0) =>
    sql.query(
      `with places as (insert into workspace (id, name, timezone, deleted_at)
         select gen_random_uuid(), 'more', 'UTC', case when n <= $3 then now() end from generate_series(1, $2::int) n
         returning id),
       plans as (insert into subscription (workspace_id, plan_id) select id, 'business' from places)
       insert into member (workspace_id, user_id, role) select id, $1, 'OWNER' from places`,
      [idOf(person), count, deleted],
    )
  const ownedBy = async (person: Person) =>
    (await sql.query(`select from member where user_id = $1 and role = 'OWNER'`, [idOf(person)])).rows.length

  test('gets no other by a transfer, a role or an invitation, and the owner is told who is full', async () => {
    const full = await member('ADMIN')
    const guest = await someone('Guest')
    await own(full, 19, 1)
    await own(guest, 19)
    const token = await invited(guest, 'OWNER')
    const answers = [await transfer<Problem>(owner, full), await setRole<Problem>(owner, full, 'OWNER')]
    for (const answer of answers) {
      expect(told(answer)).toBe('409 too_many_workspaces')
      expect(answer.body).toMatchObject({
        detail: 'This person already owns the maximum number of workspaces.',
        limit: 20,
      })
    }
    const refused = await accept<Problem>(guest, token)
    expect([told(refused), refused.body.detail]).toEqual([
      '409 too_many_workspaces',
      'The maximum number of owned workspaces is reached',
    ])
    expect(await rolesOf()).toEqual({ [idOf(owner)]: 'OWNER', [idOf(full)]: 'ADMIN' })
    await sql.query(`delete from member where user_id = $1 and workspace_id = $2`, [idOf(guest), guest.workspaceId])
    expect(told(await accept(guest, token))).toBe('200')
  })

  test('is never the OWNER of 21, if two pass them the last one at the same time', async () => {
    const heir = await member('ADMIN')
    const other = await someone('Other')
    await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR')`, [
      other.workspaceId,
      idOf(heir),
    ])
    await own(heir, 18)
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query('select from app_user where id = $1 for update', [idOf(heir)])
      const passing = [
        transfer(owner, heir),
        other.call('POST', `/workspaces/${other.workspaceId}/transfer-ownership`, { userId: idOf(heir) }),
      ]
      await eventually(async () => {
        const { rows } = await sql.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows.length === 2
      })
      await holder.query('commit')
      const answers = (await Promise.all(passing)).map(told)
      expect(answers.toSorted()).toEqual(['200', '409 too_many_workspaces'])
    } finally {
      await holder.end()
    }
    expect(await ownedBy(heir)).toBe(20)
  })
})

/** Opens a live stream of the workspace and collects its text. */
async function streamOf(person: Person) {
  const response = await fetch(`${product.url}/api/v1/workspaces/${ws}/events`, {
    headers: { authorization: `Bearer ${person.session.accessToken}` },
    signal: AbortSignal.timeout(40_000),
  })
  const seen = { text: '', ended: false }
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) seen.text += chunk
    seen.ended = true
  }
  read().catch(() => undefined)
  return seen
}

test('the live stream of a removed member ends, and that of another member continues', async () => {
  const [gone, stays] = [await member('EDITOR'), await member('VIEWER')]
  const streams = [await streamOf(gone), await streamOf(stays)] as const
  await remove(owner, gone)
  await eventually(async () => streams[0].ended)
  expect(streams[0].text).toContain('"kind":"workspace"')
  await owner.must('POST', '/posts', { caption: 'a' })
  await eventually(async () => streams[1].text.includes('"kind":"post"'))
  expect([streams[0].text.includes('"kind":"post"'), streams[1].ended]).toEqual([false, false])
})

test('the live stream tells a CLIENT that some post has changed, but never which: it may be a draft', async () => {
  const [client, viewer] = [await member('CLIENT'), await member('VIEWER')]
  const streams = [await streamOf(client), await streamOf(viewer)] as const
  const { id } = await owner.must<Post>('POST', '/posts', { caption: 'a draft' })
  await eventually(async () => streams[1].text.includes(id))
  await eventually(async () => streams[0].text.includes('{"kind":"post","id":null}'))
  expect(streams[0].text).not.toContain(id)
})

test('a person’s oldest live stream ends when there are twenty newer ones', async () => {
  const many = await member('VIEWER')
  const streams = [await streamOf(many)]
  while (streams.length < 20) streams.push(await streamOf(many))
  expect(streams.some(({ ended }) => ended)).toBe(false)
  streams.push(await streamOf(many))
  await eventually(async () => streams[0]?.ended)
  expect(streams.slice(1).some(({ ended }) => ended)).toBe(false)
})

describe('at the same time', () => {
  test('twenty acceptances of one token create one membership', async () => {
    const bea = await someone()
    const token = await invited(bea, 'EDITOR')
    const before = await seats()
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(bea, token)))
    expect(answers.map(told).toSorted()).toEqual(['200', ...Array.from({ length: 19 }, () => '409 already_member')])
    expect(await seats()).toBe(before + 1)
  })

  test('one of two transfers is made, and there is one OWNER', async () => {
    for (let round = 0; round < sized(2, 5); round += 1) {
      owner = await someone('Ann')
      ws = owner.workspaceId
      const heirs = [await member('ADMIN'), await member('CLIENT')] as const
      const answers = await Promise.all([transfer(owner, heirs[0]), setRole(owner, heirs[1], 'OWNER')])
      expect(answers.map(told).toSorted()).toEqual(['200', '403 role_required'])
      expect(await owners()).toBe(1)
    }
  })

  test('of an accepted invitation to the ownership and a transfer, the earlier one makes the OWNER', async () => {
    for (let round = 0; round < sized(2, 6); round += 1) {
      owner = await someone('Ann')
      ws = owner.workspaceId
      const [guest, heir] = [await someone(), await member('ADMIN')]
      const link = await invited(guest, 'OWNER')
      const [accepting, transferring] = [() => accept(guest, link), () => transfer<Problem>(owner, heir)]
      const holder = new pg.Client({ connectionString: database.url })
      await holder.connect()
      let answers: Answer[]
      try {
        await holder.query('begin')
        await holder.query('select from workspace where id = $1 for no key update', [ws])
        // Each goes first in every second round.
        const first = round % 2 === 0 ? accepting() : transferring()
        await untilWaitedFor(sql, holder)
        const second = round % 2 === 0 ? transferring() : accepting()
        await eventually(async () => {
          const { rowCount } = await sql.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
          return rowCount === 2
        })
        await holder.query('commit')
        answers = await Promise.all(round % 2 === 0 ? [first, second] : [second, first])
      } finally {
        await holder.end()
      }
      const expected = round % 2 === 0 ? ['200', '403 role_required'] : ['410 invitation_expired', '200']
      expect(answers.map(told)).toEqual(expected)
      expect([await owners(), (await rolesOf())[idOf(round % 2 === 0 ? guest : heir)]]).toEqual([1, 'OWNER'])
      expect(await seats()).toBe(Object.keys(await rolesOf()).length)
    }
  })

  test('one of ten transfers is made, and the others are told which role may', async () => {
    const heirs = [await member('ADMIN'), await member('ADMIN')] as const
    const answers = await heldUntilTen('select from workspace where id = $1 for no key update', ws, () =>
      Array.from({ length: 10 }, (_, index) => transfer(owner, heirs[index % 2]!)),
    )
    expect(answers.map(told).toSorted()).toEqual(['200', ...Array.from({ length: 9 }, () => '403 role_required')])
    expect(await owners()).toBe(1)
  })

  test.each([
    ['demote', (by: Person, other: Person) => setRole(by, other, 'VIEWER')],
    ['remove', (by: Person, other: Person) => remove(by, other)],
  ] as const)('of ten admins who %s each other at once, each succeeds or is told why not', async (_, act) => {
    const admins: Person[] = []
    for (let i = 0; i < 10; i += 1) admins.push(await member('ADMIN'))
    const next = (i: number) => admins[(i + 1) % 10]!
    const answers = await heldUntilTen('select from workspace where id = $1 for no key update', ws, () =>
      admins.map((admin, i): Promise<Answer> => act(admin, next(i))),
    )
    const roles = await rolesOf()
    for (const [i, answer] of answers.entries()) {
      const done = roles[idOf(next(i))] !== 'ADMIN'
      const expected = done ? [200, 204] : [403, 404]
      expect([done, expected.includes(answer.status), told(answer)]).toEqual([done, true, told(answer)])
    }
    expect([await owners(), roles[idOf(owner)]]).toEqual([1, 'OWNER'])
    expect(Object.values(roles)).toContain('ADMIN')
  })

  test('a transfer to a person who is being demoted or removed leaves one OWNER, who is neither demoted nor removed', async () => {
    for (let round = 0; round < sized(2, 5); round += 1) {
      owner = await someone('Ann')
      ws = owner.workspaceId
      const [admin, heir, other] = [await member('ADMIN'), await member('EDITOR'), await member('VIEWER')]
      const [passed, demoted, removed] = await Promise.all([
        transfer(owner, heir),
        setRole(admin, heir, 'CLIENT'),
        remove(admin, round % 2 ? heir : other),
      ])
      const roles = await rolesOf()
      expect(await owners()).toBe(1)
      expect(roles[idOf(heir)] === 'OWNER').toBe(passed.status === 200)
      expect(['200', '403 role_required', '404 not_found']).toContain(told(demoted))
      expect(['204', '403 role_required']).toContain(told(removed))
    }
  })

  test('an acceptance and a revocation never both succeed', async () => {
    for (let round = 0; round < sized(2, 5); round += 1) {
      const bea = await someone()
      const token = await invited(bea, 'EDITOR')
      const { data } = await owner.must<{ data: WorkspaceInvitation[] }>('GET', invitations())
      const [came, back] = await Promise.all([accept(bea, token), owner.call('DELETE', invitations(`/${data[0]!.id}`))])
      expect([
        ['200', '404 not_found'],
        ['410 invitation_expired', '204'],
        ['404 not_found', '204'],
      ]).toContainEqual([told(came), told(back)])
      expect(idOf(bea) in (await rolesOf())).toBe(came.status === 200)
    }
  })

  test('of many acceptances, as many succeed as the plan has seats', async () => {
    await sql.query(`update subscription set plan_id = 'pro' where workspace_id = $1`, [ws])
    const people: Person[] = []
    const all = sized(30, 200)
    for (let count = 0; count < all; count += 1) {
      const person = await someone()
      people.push(person)
      await sql.query(
        `insert into workspace_invitation (workspace_id, id, email, role, token_hash, invited_by, expires_at)
           values ($1, gen_random_uuid(), $2, 'EDITOR', encode(sha256(convert_to($3, 'utf8')), 'hex'), $4, now() + interval '1 day')`,
        [ws, emailOf(person), `token-of-${idOf(person)}`, idOf(owner)],
      )
    }
    const answers = await Promise.all(people.map((person) => accept(person, `token-of-${idOf(person)}`)))
    expect(answers.filter((answer) => told(answer) === '200')).toHaveLength(24)
    expect(answers.filter((answer) => told(answer) === '402 quota_exceeded')).toHaveLength(all - 24)
    expect([Object.keys(await rolesOf()).length, await seats()]).toEqual([25, 25])
    expect(
      told(
        await remove(
          owner,
          people.find((_, index) => told(answers[index]!) === '200')!,
        ),
      ),
    ).toBe('204')
    const next = people.find((_, index) => told(answers[index]!) !== '200')!
    expect(told(await accept(next, `token-of-${idOf(next)}`))).toBe('200')
  })
})
