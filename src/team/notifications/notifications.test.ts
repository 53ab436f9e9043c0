import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { wakeLane } from '../../../test/jobs.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import {
  addFault,
  asPerson,
  call,
  connectPages,
  eventually,
  mailTo,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
  untilClockKnown,
  wake,
  graphError,
} from '../../../test/world.ts'
import { long } from '../../../test/tier.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { createClock } from '../../core/platform/clock.ts'
import { openPool } from '../../core/platform/db.ts'
import { createLog } from '../../core/platform/log.ts'
import type { Json } from '../../core/platform/json.ts'
import { createScopes, NO_WORKSPACE, type Scopes } from '../../core/platform/scope.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { NOTICES, type Notice, type Notification, type NotificationPreferences } from './api.ts'
import { notify } from './notifications.ts'

const MINUTE = 60_000

let database: TestDatabase
let dataDir: string
let product: Running
let sql: pg.Client
let pool: pg.Pool
let scopes: Scopes
let ann: Person
let someone = 0

const start = () =>
  startProduct({ databaseUrl: database.url, dataDir, env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' } })

beforeAll(async () => {
  database = await freshDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'parley-notices-'))
  product = await start()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  pool = openPool(database.url, 3, () => undefined)
  scopes = createScopes({
    pool,
    events: { publish() {} },
    clock: createClock(),
    log: createLog('silent'),
    subscribers: [],
  })
})

afterAll(async () => {
  await product?.stop()
  await pool?.end()
  await sql?.end()
  await database?.drop()
  await rm(dataDir, { recursive: true, force: true })
})

beforeEach(async () => {
  await call(`${product.url}/sandbox`, 'DELETE', '/faults')
  ann = await newPerson(product.url)
  await confirm(ann)
})

const idOf = (person: Person) => person.session.user.id
const confirm = (person: Person) =>
  sql.query('update app_user set email_confirmed_at = now() where id = $1', [idOf(person)])

/** Creates a person with a role in Ann's workspace. */
async function member(role: Role): Promise<Person> {
  const person = await newPerson(product.url, role.toLowerCase())
  await confirm(person)
  await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [
    ann.workspaceId,
    idOf(person),
    role,
  ])
  return asPerson(product.url, person.session, ann.workspaceId)
}

interface List {
  data: Notification[]
  nextCursor: string | null
  unreadCount: number
}
const list = (person: Person, query = '') => person.must<List>('GET', `/notifications${query}`)
const kindsOf = async (person: Person) => (await list(person)).data.map(({ kind }) => kind)
const choose = (person: Person, body: object) => person.call<Problem>('PUT', '/notifications/preferences', body)

/** Notifies a person as the product does, about Ann's workspace by default. */
const tell = (kind: Notice, data: Json = {}, person = ann, workspaceId = ann.workspaceId) =>
  scopes
    .scope(workspaceId, { kind: 'system', name: 'test' })
    .transaction((tx) => notify(tx, { users: [idOf(person)] }, kind, data))

const postFailed = (excerpt: string) => ({ postId: randomUUID(), status: 'FAILED', excerpt })

const taskIs = `task_id = (select id from graphile_worker._private_tasks where identifier = 'notification-mail')`

/** Makes a person's pending mail due and runs its jobs. */
async function gather(person = ann): Promise<void> {
  await sql.query(`update notification set mail_at = mail_at - interval '10 minutes' where user_id = $1`, [
    idOf(person),
  ])
  await runJobs(person)
}

const runJobs = async (person = ann) => {
  await sql.query(
    `update graphile_worker._private_jobs set run_at = now() where ${taskIs} and payload -> 'data' ->> 'userId' = $1`,
    [idOf(person)],
  )
  await wakeLane(sql, 'notification-mail')
}

/** Waits until each mail job of a person is done or waits for later. */
const quiet = (person = ann) =>
  eventually(async () => {
    const { rows } = await sql.query(
      `select from graphile_worker._private_jobs where ${taskIs} and payload -> 'data' ->> 'userId' = $1 and run_at <= now()`,
      [idOf(person)],
    )
    return rows.length === 0
  })

const letters = async (person = ann) => mailTo(product.url, person.session.user.email ?? '')
const untilLetters = (count: number, person = ann) =>
  eventually(async () => {
    const found = await letters(person)
    return found.length >= count && found
  })

describe('a notice about the outcome of a post', () => {
  let pages: SocialAccount[]
  beforeEach(async () => {
    pages = await connectPages(ann, `u${(someone += 1)}`)
  })

  const publish = (by: Person, caption: string, targets = pages.slice(0, 1)) =>
    by.must<Post>('POST', '/posts', { caption, targets: targets.map(({ id }) => id), action: 'publish' })
  const refuse = (times: number) =>
    addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ code: 100, error_user_msg: 'Not this text' }) },
      times,
    })

  test('of a failure reaches the author and the admins once per attempt, whatever the number of targets, and nobody else', async () => {
    const [admin, author, editor, viewer, client] = await Promise.all(
      (['ADMIN', 'EDITOR', 'EDITOR', 'VIEWER', 'CLIENT'] as const).map(member),
    )
    const stranger = await newPerson(product.url, 'Zoe')
    const both = pages.slice(0, 2)
    expect(both).toHaveLength(2)
    await refuse(2)
    const [named, rest] = ['Beans of the northern hills, washed, dried in the sun for three weeks and', 'roasted today']
    const post = await publish(author!, `${named} ${rest}`, both)
    await untilStatus(ann, post.id, ['FAILED'])
    for (const told of [ann, admin!, author!]) {
      expect((await list(told)).data).toMatchObject([
        {
          kind: 'post_failed',
          workspaceId: ann.workspaceId,
          workspaceName: 'Ann’s workspace',
          data: { postId: post.id, status: 'FAILED', excerpt: `${named}…` },
          readAt: null,
        },
      ])
    }
    for (const other of [editor!, viewer!, client!, stranger]) expect(await kindsOf(other)).toEqual([])
    await refuse(1)
    await author!.must('POST', `/posts/${post.id}/retry`, {})
    await untilStatus(ann, post.id, ['PARTIALLY_PUBLISHED'])
    expect((await list(author!)).data.map(({ data }) => data['status'])).toEqual(['PARTIALLY_PUBLISHED', 'FAILED'])
  })

  test('is not sent for a published post', async () => {
    await untilStatus(ann, (await publish(ann, 'well')).id, ['PUBLISHED'])
    expect(await kindsOf(ann)).toEqual([])
  })

  test('does not reach an author who has left', async () => {
    const author = await member('EDITOR')
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { delayMs: 20_000, status: 400, body: graphError({ code: 100, error_user_msg: 'Not this text' }) },
      times: 1,
    })
    const post = await publish(author, 'left behind')
    await ann.must('DELETE', `/workspaces/${ann.workspaceId}/members/${idOf(author)}`)
    await untilStatus(ann, post.id, ['FAILED'])
    expect(await kindsOf(ann)).toEqual(['post_failed'])
    expect(await kindsOf(author)).toEqual(['member_removed'])
  })

  test('is sent for a post whose time is long past', async () => {
    const at = new Date(Date.now() + 60 * MINUTE).toISOString()
    const post = await ann.must<Post>('POST', '/posts', { caption: 'late', targets: [pages[0]!.id], scheduledAt: at })
    await sql.query(`update post set scheduled_at = scheduled_at - interval '3 days' where id = $1`, [post.id])
    await sql.query(
      `update publication set due_at = due_at - interval '3 days', next_at = next_at - interval '3 days' where post_id = $1`,
      [post.id],
    )
    await untilStatus(ann, post.id, ['FAILED'])
    expect((await list(ann)).data).toMatchObject([{ kind: 'post_failed', data: { postId: post.id } }])
  })

  test('of an unknown outcome stays until a person resolves it', async () => {
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { drop: 'after' },
      times: 1,
    })
    await addFault(`${product.url}/sandbox`, { match: { path: '/published_posts' }, do: { drop: 'before' } })
    const post = await publish(ann, 'perhaps')
    await eventually(
      async () =>
        (await sql.query(`select from publication where post_id = $1 and state = 'SUBMITTING'`, [post.id])).rowCount,
    )
    await eventually(
      async () => {
        await sql.query(
          `update publication set intent_at = intent_at - interval '1 hour', next_at = app_now() where post_id = $1 and state = 'SUBMITTING' and lease_until is null`,
          [post.id],
        )
        await wake(sql)
        return (await ann.must<Post>('GET', `/posts/${post.id}`)).status === 'FAILED'
      },
      40_000,
      200,
    )
    expect((await list(ann)).data).toMatchObject([{ kind: 'outcome_unknown', data: { postId: post.id } }])
    const [target] = (await ann.must<Post>('GET', `/posts/${post.id}`)).publications
    await ann.must('POST', `/posts/${post.id}/publications/${target!.id}/resolve`, { outcome: 'not_live' })
    expect(await kindsOf(ann)).toEqual(['outcome_unknown'])
  })

  test('of an account that the network refuses asks the admins to reconnect it', async () => {
    const editor = await member('EDITOR')
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ code: 190, message: 'expired' }) },
      times: 1,
    })
    await publish(editor, 'held')
    await eventually(async () => (await kindsOf(ann)).length > 0)
    expect((await list(ann)).data).toMatchObject([
      { kind: 'account_reconnect', data: { accountId: pages[0]!.id, name: pages[0]!.name } },
    ])
    expect(await kindsOf(editor)).toEqual([])
  })
})

describe('notifications', () => {
  test('are listed newest first in pages, with the unread count, or only the unread ones', async () => {
    for (const excerpt of ['one', 'two', 'three']) await tell('post_failed', postFailed(excerpt))
    const excerpts = ({ data }: List) => data.map((each) => each.data['excerpt'])
    const first = await list(ann, '?limit=2')
    expect(excerpts(first)).toEqual(['three', 'two'])
    expect(first.unreadCount).toBe(3)
    const rest = await list(ann, `?limit=2&cursor=${first.nextCursor}`)
    expect([excerpts(rest), rest.nextCursor]).toEqual([['one'], null])
    const read = await ann.must<Notification>('POST', `/notifications/${first.data[1]!.id}/read`, {})
    expect(read).toEqual({ ...first.data[1], readAt: expect.any(String) })
    expect(await ann.must('POST', `/notifications/${read.id}/read`, {})).toEqual(read)
    const unread = await list(ann, '?unread=true')
    expect([excerpts(unread), unread.unreadCount]).toEqual([['three', 'one'], 2])
    expect(excerpts(await list(ann, '?unread=false'))).toEqual(['three', 'two', 'one'])
    expect((await ann.call('GET', '/notifications?unread=perhaps')).status).toBe(422)
  })

  test('are marked as read all at once, or up to the last one seen', async () => {
    for (const excerpt of ['one', 'two', 'three']) await tell('post_failed', postFailed(excerpt))
    const { data } = await list(ann)
    expect(await ann.must('POST', '/notifications/read', { upTo: data[1]!.id })).toEqual({ unreadCount: 1 })
    expect((await list(ann, '?unread=true')).data).toEqual([data[0]])
    expect(await ann.must('POST', '/notifications/read')).toEqual({ unreadCount: 0 })
    const { rows } = await sql.query('select distinct read_at is null as open from notification where user_id = $1', [
      idOf(ann),
    ])
    expect(rows).toEqual([{ open: false }])
  })

  test('are private: another person’s is not found, and reading all of mine reads none of theirs', async () => {
    const bob = await newPerson(product.url, 'Bob')
    await tell('post_failed', postFailed('secret'))
    const [notice] = (await list(ann)).data
    expect((await list(bob)).data).toEqual([])
    const [foreign, unknown] = [
      await bob.call<Problem>('POST', `/notifications/${notice!.id}/read`, {}),
      await bob.call<Problem>('POST', `/notifications/${randomUUID()}/read`, {}),
    ]
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' })
    await bob.must('POST', '/notifications/read', { upTo: notice!.id })
    expect((await list(ann)).unreadCount).toBe(1)
    expect((await call(product.url, 'GET', '/api/v1/notifications')).status).toBe(401)
  })

  test('of a workspace that the person left or that was deleted are not shown', async () => {
    const editor = await member('EDITOR')
    await tell('post_failed', postFailed('ours'), editor)
    const [notice] = (await list(editor)).data
    await sql.query('delete from member where user_id = $1 and workspace_id = $2', [idOf(editor), ann.workspaceId])
    expect(await list(editor)).toEqual({ data: [], nextCursor: null, unreadCount: 0 })
    expect((await editor.call('POST', `/notifications/${notice!.id}/read`, {})).status).toBe(404)
    await tell('member_removed', { workspaceName: 'Ours' }, editor)
    expect((await list(editor)).data).toMatchObject([
      { kind: 'member_removed', workspaceId: null, workspaceName: 'Ours' },
    ])
    await tell('quota_near', { quota: 'posts', used: 8, limit: 10 })
    expect(await kindsOf(ann)).toEqual(['quota_near'])
    await sql.query('update workspace set deleted_at = now() where id = $1', [ann.workspaceId])
    expect(await kindsOf(ann)).toEqual([])
  })

  test('reach only the open stream of their recipient, as one hint', async () => {
    const editor = await member('EDITOR')
    const abort = new AbortController()
    const streamOf = async (person: Person) => {
      const answer = await fetch(`${product.url}/api/v1/workspaces/${ann.workspaceId}/events`, {
        headers: { authorization: `Bearer ${person.session.accessToken}` },
        signal: abort.signal,
      })
      const seen = { text: '' }
      void (async () => {
        for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>)
          seen.text += new TextDecoder().decode(chunk)
      })().catch(() => undefined)
      return seen
    }
    const [hers, theirs] = [await streamOf(ann), await streamOf(editor)]
    await ann.must('PUT', `/workspaces/${ann.workspaceId}/members/${idOf(editor)}`, { role: 'VIEWER' })
    await eventually(async () => theirs.text.includes('"kind":"notification"'))
    await eventually(async () => hers.text.includes('"kind":"workspace"'))
    expect(theirs.text.match(/"kind":"notification"/g)).toHaveLength(1)
    expect(hers.text).not.toContain('"kind":"notification"')
    abort.abort()
  })

  test('that a role may not see are not sent to it, and neither shown nor mailed after a demotion', async () => {
    const admin = await member('ADMIN')
    const kinds = ['quota_reached', 'post_failed', 'account_reconnect', 'invitation_accepted', 'ownership_transferred']
    for (const kind of kinds) {
      await sql.query(
        `insert into notification (user_id, id, workspace_id, kind, data, mail_at)
           values ($1, gen_random_uuid(), $2, $3, '{"workspaceName":"Ours"}', now() - interval '1 hour')`,
        [idOf(admin), ann.workspaceId, kind],
      )
    }
    expect((await kindsOf(admin)).toSorted()).toEqual(kinds.toSorted())
    await sql.query(`update member set role = 'CLIENT' where user_id = $1 and workspace_id = $2`, [
      idOf(admin),
      ann.workspaceId,
    ])
    expect(await kindsOf(admin)).toEqual(['ownership_transferred'])
    const { unreadCount } = await admin.must<{ unreadCount: number }>('GET', '/notifications')
    expect(unreadCount).toBe(1)
  })

  test('of answers that fail are counted in one, even at the same moment, until it is read or mailed', async () => {
    const failed = (threadId = randomUUID(), messageId = randomUUID()) =>
      tell('reply_failed', { threadId, messageIds: [messageId] })
    const found = async () => (await list(ann)).data.map(({ data: { messageIds: _, ...data } }) => data)
    const [thread, message] = [randomUUID(), randomUUID()]
    await failed(thread, message)
    await failed(thread, message)
    expect(await found()).toEqual([{ threadId: thread }])
    await failed(thread)
    expect(await found()).toEqual([{ threadId: thread, count: 2 }])
    await failed()
    expect(await found()).toEqual([{ count: 3 }])
    await ann.must('POST', '/notifications/read', {})
    await Promise.all(Array.from({ length: 8 }, () => failed()))
    expect(await found()).toEqual([{ count: 8 }, { count: 3 }])
    await gather()
    const [letter] = await untilLetters(1)
    expect(letter!.text).toContain('Replies to customers that weren’t sent: 8.')
    expect(letter!.text).toContain(`/app/w/${ann.workspaceId}/inbox\n`)
    await failed()
    await sql.query(`update notification set created_at = created_at - interval '61 minutes' where user_id = $1`, [
      idOf(ann),
    ])
    await failed()
    expect(await found()).toHaveLength(4)
  })

  test('that grew stay unread if only the earlier ones were seen, and follow the wishes of today', async () => {
    const failed = () => tell('reply_failed', { threadId: randomUUID(), messageIds: [randomUUID()] })
    await failed()
    const seen = (await list(ann)).data[0]!.id
    await failed()
    await ann.must('POST', '/notifications/read', { upTo: seen })
    expect(await list(ann)).toMatchObject({ unreadCount: 1, data: [{ data: { count: 2 } }] })
    await choose(ann, { kinds: { reply_failed: { mail: false } } })
    await failed()
    await failed()
    expect((await list(ann)).data.map(({ data }) => data['count'])).toEqual([2, 2])
    await choose(ann, { kinds: { reply_failed: { inApp: false } } })
    await failed()
    expect((await list(ann)).data).toHaveLength(2)
  })

  test('of assignments are counted in one for each person who assigns many, and stand alone otherwise', async () => {
    const many = (by: string) => {
      const threadId = randomUUID()
      return tell('thread_assigned', { threadId, threadIds: [threadId], by })
    }
    for (const by of ['Bob', 'Eve', 'Bob']) await many(by)
    await tell('thread_assigned', { threadId: randomUUID(), by: 'Bob' })
    expect((await list(ann)).data.map(({ data: { by, count } }) => [by, count])).toEqual([
      ['Bob', undefined],
      ['Bob', 2],
      ['Eve', undefined],
    ])
  })

  test('of other kinds are not grouped, and each workspace counts its own', async () => {
    await Promise.all([tell('post_failed', postFailed('One')), tell('post_failed', postFailed('Two'))])
    const eve = await newPerson(product.url, 'Eve')
    await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR')`, [
      eve.workspaceId,
      idOf(ann),
    ])
    for (const workspaceId of [ann.workspaceId, eve.workspaceId])
      await tell('reply_failed', { threadId: randomUUID(), messageIds: [randomUUID()] }, ann, workspaceId)
    const { data } = await list(ann)
    expect(data.map(({ kind }) => kind).toSorted()).toEqual([
      'post_failed',
      'post_failed',
      'reply_failed',
      'reply_failed',
    ])
    expect(data.filter(({ data: { count } }) => count !== undefined)).toEqual([])
  })

  test('are removed 90 days after they were read, but kept while unread', async () => {
    for (const excerpt of ['old', 'unread', 'fresh']) await tell('post_failed', postFailed(excerpt))
    const [fresh, unread, old] = (await list(ann)).data
    const back = (id: string, days: number) =>
      sql.query(
        `update notification set created_at = created_at - make_interval(days => 400), mail_at = null,
           read_at = case when $2 > 0 then now() - make_interval(days => $2) end where id = $1`,
        [id, days],
      )
    await back(fresh!.id, 89)
    await back(unread!.id, 0)
    await back(old!.id, 91)
    await gather()
    await eventually(async () => (await list(ann)).data.length === 2)
    expect((await list(ann)).data.map(({ id }) => id)).toEqual([fresh!.id, unread!.id])
  })
})

describe('preferences', () => {
  test('have both ways on for every kind at first; PUT changes only what it names', async () => {
    const before = await ann.must<NotificationPreferences>('GET', '/notifications/preferences')
    const both = { inApp: true, mail: true }
    expect(before).toEqual({
      quietFrom: null,
      quietUntil: null,
      kinds: Object.fromEntries(NOTICES.map((kind) => [kind, both])),
    })
    expect(await ann.must('PUT', '/notifications/preferences', {})).toEqual(before)
    await ann.must('PUT', '/notifications/preferences', { kinds: { post_failed: { mail: false } } })
    await ann.must('PUT', '/notifications/preferences', { kinds: { post_failed: { inApp: false } } })
    const after = await ann.must('PUT', '/notifications/preferences', { quietFrom: '22:00', quietUntil: '07:30' })
    expect(after).toEqual({
      quietFrom: '22:00',
      quietUntil: '07:30',
      kinds: { ...before.kinds, post_failed: { inApp: false, mail: false } },
    })
    expect(await ann.must('GET', '/notifications/preferences')).toEqual(after)
    expect(await ann.must('PUT', '/notifications/preferences', { quietFrom: null, quietUntil: null })).toMatchObject({
      quietFrom: null,
      quietUntil: null,
    })
  })

  test.each([
    [{ kinds: { security: { inApp: false } } }, '/kinds/security/inApp always_on'],
    [{ kinds: { security: { mail: false } } }, '/kinds/security/mail always_on'],
    [{ kinds: { invitation_received: { mail: false } } }, '/kinds/invitation_received/mail always_on'],
    [{ kinds: { ownership_transferred: { mail: false } } }, '/kinds/ownership_transferred/mail always_on'],
    [{ kinds: { weather: { mail: false } } }, '/kinds/weather unknown_field'],
    [{ quietFrom: '22:00', quietUntil: '22:00' }, '/quietUntil equal_ends'],
    [{ quietFrom: '22:00' }, '/quietUntil required'],
    [{ quietUntil: '22:00' }, '/quietFrom required'],
    [{ quietFrom: '24:00', quietUntil: '07:00' }, '/quietFrom '],
  ])('%j is refused, and nothing of it is saved', async (body, fault) => {
    const answer = await choose(ann, {
      ...body,
      kinds: { post_failed: { mail: false }, ...('kinds' in body && body.kinds) },
    })
    expect(answer.status).toBe(422)
    expect(answer.body.errors?.map(({ path, code }) => `${path} ${code}`)).toEqual([expect.stringContaining(fault)])
    expect(await ann.must('GET', '/notifications/preferences')).toMatchObject({
      quietFrom: null,
      kinds: { post_failed: { mail: true } },
    })
  })

  test('with both ways off nothing is stored; with one off only the other is used', async () => {
    await choose(ann, {
      kinds: {
        post_failed: { inApp: false, mail: false },
        outcome_unknown: { inApp: false },
        account_reconnect: { mail: false },
        invitation_received: { inApp: false },
      },
    })
    const kinds = ['post_failed', 'outcome_unknown', 'account_reconnect', 'invitation_received', 'security'] as const
    for (const kind of kinds) await tell(kind, { ...postFailed('x'), name: 'Page' })
    const { rows } = await sql.query(
      'select kind, in_app as "inApp", mail_at is not null as mail from notification where user_id = $1 order by id',
      [idOf(ann)],
    )
    expect(rows).toEqual([
      { kind: 'outcome_unknown', inApp: false, mail: true },
      { kind: 'account_reconnect', inApp: true, mail: false },
      { kind: 'security', inApp: true, mail: false },
    ])
    expect(await kindsOf(ann)).toEqual(['security', 'account_reconnect'])
    await gather()
    expect((await untilLetters(1)).map(({ subject }) => subject)).toEqual([
      'Check whether a post in Ann’s workspace is live',
    ])
  })
})

describe('mail', () => {
  test('is one letter for several notices of a kind, which leads to the right screen, and another for another kind', async () => {
    for (const excerpt of ['First <b>beans</b>', 'Second beans']) await tell('post_failed', postFailed(excerpt))
    await tell('quota_near', { quota: 'posts', used: 800, limit: 1000 })
    // Eve's notice is later and mailed at once: when her letter is there, Ann's would be too.
    const eve = await newPerson(product.url, 'Eve')
    await confirm(eve)
    await tell('post_failed', postFailed('for Eve'), eve, eve.workspaceId)
    await gather(eve)
    await untilLetters(1, eve)
    expect(await letters()).toEqual([])
    await gather()
    const [other, one] = (await untilLetters(2)).toSorted((a, b) => a.subject.localeCompare(b.subject))
    expect(other!.subject).toBe('A post in Ann’s workspace wasn’t published')
    expect(other!.text).toContain('“First <b>beans</b>” wasn’t published.')
    expect(other!.text).toContain('“Second beans” wasn’t published.')
    expect(other!.text).toContain(`${product.url}/app/w/${ann.workspaceId}/posts\n`)
    expect(other!.html).toContain('&#60;b&#62;beans')
    expect(one!.subject).toBe('Ann’s workspace is close to a plan limit')
    expect(one!.text).toContain('your plan’s limit for posts this month (800 of 1,000).')
    await gather()
    await quiet()
    expect(await letters()).toHaveLength(2)
  })

  test('is in the language of the reader, and leads to the post if there is only one', async () => {
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const data = postFailed('حبوب البن')
    await tell('post_failed', data)
    await gather()
    const [letter] = await untilLetters(1)
    expect(letter!.subject).toBe('تعذّر نشر منشور في Ann’s workspace')
    expect(letter!.text).toContain('لم يُنشر المنشور «حبوب البن».')
    expect(letter!.text).toContain(`/app/w/${ann.workspaceId}/posts/${data.postId}`)
    expect(letter!.html).toContain('dir="rtl"')
  })

  test('leaves out notices that were read in the app or are no longer wanted', async () => {
    await tell('post_failed', postFailed('read'))
    await tell('post_failed', postFailed('unread'))
    await tell('account_reconnect', { name: 'Page' })
    await ann.must('POST', `/notifications/${(await list(ann)).data.at(-1)!.id}/read`, {})
    await choose(ann, { kinds: { account_reconnect: { mail: false } } })
    await gather()
    const [letter] = await untilLetters(1)
    await quiet()
    expect(letter!.text).toContain('unread')
    expect(letter!.text).not.toContain('“read”')
    expect(await letters()).toHaveLength(1)
  })

  test('goes only to confirmed addresses of people who are still members, except about their removal', async () => {
    const [editor, disabled] = [await member('EDITOR'), await member('EDITOR')]
    await sql.query('update app_user set email_confirmed_at = null where id = $1', [idOf(ann)])
    await tell('post_failed', postFailed('a'))
    await tell('post_failed', postFailed('b'), editor)
    await tell('post_failed', postFailed('c'), disabled)
    await sql.query('delete from member where user_id = $1 and workspace_id = $2', [idOf(editor), ann.workspaceId])
    await sql.query('update app_user set disabled_at = now() where id = $1', [idOf(disabled)])
    await tell('member_removed', { workspaceName: 'Ann’s workspace' }, editor)
    for (const person of [ann, editor, disabled]) {
      await gather(person)
      await quiet(person)
    }
    expect((await untilLetters(1, editor)).map(({ subject }) => subject)).toEqual([
      'You’re no longer a member of Ann’s workspace',
    ])
    expect([await letters(), await letters(disabled)]).toEqual([[], []])
    await confirm(ann)
    await runJobs()
    const { rows } = await sql.query('select mail_at from notification where user_id = $1', [idOf(ann)])
    expect(rows).toEqual([{ mail_at: null }])
  })

  test('is withheld from people who may no longer see the notice when it is due', async () => {
    const [demoted, still] = [await member('ADMIN'), await member('ADMIN')]
    for (const person of [demoted, still]) {
      await tell('quota_reached', { quota: 'posts', used: 30, limit: 30 }, person)
      await tell('role_changed', { role: 'VIEWER' }, person)
    }
    await sql.query(`update member set role = 'VIEWER' where user_id = $1 and workspace_id = $2`, [
      idOf(demoted),
      ann.workspaceId,
    ])
    for (const person of [demoted, still]) await gather(person)
    await untilLetters(2, still)
    await untilLetters(1, demoted)
    for (const person of [demoted, still]) await quiet(person)
    const quota = 'Ann’s workspace has reached a plan limit'
    const subjects = async (person: Person) => (await letters(person)).map(({ subject }) => subject)
    expect(await subjects(still)).toContain(quota)
    expect(await subjects(demoted)).toHaveLength(1)
    expect(await subjects(demoted)).not.toContain(quota)
  })

  test('is not sent for notices with a letter of their own', async () => {
    for (const kind of ['security', 'invitation_received', 'ownership_transferred'] as const) await tell(kind)
    await tell('security', { change: 'password' }, ann, NO_WORKSPACE)
    const { rows } = await sql.query(
      `select from graphile_worker._private_jobs where ${taskIs} and payload -> 'data' ->> 'userId' = $1`,
      [idOf(ann)],
    )
    expect(rows).toEqual([])
    expect((await list(ann)).data).toHaveLength(4)
  })

  test('is sent once, even if the job runs twice at once and its process is killed halfway', async () => {
    await tell('post_failed', postFailed('once'))
    await sql.query(`update notification set mail_at = mail_at - interval '10 minutes' where user_id = $1`, [idOf(ann)])
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    await other.query('begin')
    await other.query('select from notification where user_id = $1 for update', [idOf(ann)])
    await sql.query(
      `select graphile_worker.add_job('notification-mail', (select payload from graphile_worker._private_jobs
      where ${taskIs} and payload -> 'data' ->> 'userId' = $1 limit 1))`,
      [idOf(ann)],
    )
    await runJobs()
    await eventually(async () => {
      const { rows } = await sql.query(
        `select from graphile_worker._private_jobs where ${taskIs} and locked_by is not null and payload -> 'data' ->> 'userId' = $1`,
        [idOf(ann)],
      )
      return rows.length > 0
    })
    await product.kill()
    await other.query('commit')
    await other.end()
    product = await start()
    await untilLetters(1)
    await quiet()
    expect(await letters()).toHaveLength(1)
  })
})

describe('quiet hours', () => {
  const shift = (to: string | null) =>
    to === null
      ? sql.query(`update app_clock set shift = '0'`)
      : sql.query('update app_clock set shift = $1::timestamptz - clock_timestamp()', [to])

  /** The time until which the job waits if it runs at this time; null if it mails. */
  async function waitsUntil(now: string): Promise<string | null> {
    await tell('post_failed', postFailed(now))
    await sql.query(`update notification set mail_at = '2020-01-01' where user_id = $1 and mailed_at is null`, [
      idOf(ann),
    ])
    await shift(now)
    await untilClockKnown(sql, ann)
    const had = (await letters()).length
    await runJobs()
    const end = await eventually(async () => {
      if ((await letters()).length > had) return 'sent'
      const { rows } = await sql.query<{ run_at: Date }>(
        `select run_at from graphile_worker._private_jobs where ${taskIs} and payload -> 'data' ->> 'userId' = $1
           and key like '%:quiet' and locked_by is null and run_at <> now()`,
        [idOf(ann)],
      )
      return rows[0] && rows[0].run_at.getTime() > new Date(now).getTime() && rows[0].run_at.toISOString()
    })
    return end === 'sent' ? null : `${end.slice(0, 16)}Z`
  }

  const hours = [
    // Berlin, 22:00 to 07:00: the hour before an ordinary night, and its first hour.
    ['2030-01-15T20:58:00Z', null],
    ['2030-01-15T21:01:00Z', '2030-01-15T22:01Z'],
    // The night that is an hour shorter ends at 05:00 UTC, the one that is an hour longer at 06:00.
    ['2030-03-31T04:30:00Z', '2030-03-31T05:00Z'],
    ['2030-03-31T05:00:00Z', null],
    ['2030-10-27T05:30:00Z', '2030-10-27T06:00Z'],
    ['2030-10-27T06:00:00Z', null],
    // The last hour of an ordinary night, and the hour after it.
    ['2030-01-16T05:30:00Z', '2030-01-16T06:00Z'],
    ['2030-01-16T06:00:00Z', null],
  ] as const

  test.each(long ? hours : hours.slice(0, 2))('at %s for a reader in Berlin', async (now, until) => {
    await choose(ann, { quietFrom: '22:00', quietUntil: '07:00' })
    try {
      expect(await waitsUntil(now)).toBe(until)
    } finally {
      await shift(null)
      await untilClockKnown(sql, ann)
    }
  })

  test('end when they are switched off, and the waiting mail is sent', async () => {
    const local = (minutes: number) =>
      new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' }).format(
        Date.now() + minutes * MINUTE,
      )
    await choose(ann, { quietFrom: local(-60), quietUntil: local(60) })
    await tell('post_failed', postFailed('waits'))
    await gather()
    await quiet()
    expect(await letters()).toEqual([])
    expect((await list(ann)).unreadCount).toBe(1)
    await choose(ann, { quietFrom: null, quietUntil: null })
    await runJobs()
    expect(await untilLetters(1)).toHaveLength(1)
  })
})
