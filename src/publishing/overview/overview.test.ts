import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../core/http/endpoint.ts'
import type { SocialAccount } from '../../channels/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { asPerson, call, connectPages, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'
import type { Trouble } from '../sending/api.ts'
import type { WorkspaceOverview } from './api.ts'

const { product, sql } = useProduct()
const ROLES = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT'] as const
let people: Record<Role, Person>
let pages: SocialAccount[]

/** Near enough that no connection expires before it. */
const SOON = new Date(Date.now() + 10 * 86_400_000).toISOString()
const LATER = new Date(Date.now() + 11 * 86_400_000).toISOString()
const write = (caption: string, more: object = {}, person = people.OWNER) =>
  person.must<Post>('POST', '/posts', { caption, targets: [pages[0]!.id], ...more })
const overview = async (person: Person) => (await person.must<{ data: WorkspaceOverview[] }>('GET', '/overview')).data
const here = async (role: Role) =>
  (await overview(people[role])).find(({ workspaceId }) => workspaceId === people.OWNER.workspaceId)!
const ofRoles = async <T>(what: (found: WorkspaceOverview) => T) =>
  Object.fromEntries(await Promise.all(ROLES.map(async (role) => [role, what(await here(role))] as const)))

async function join(role: Role, of: Person): Promise<Person> {
  const { session } = await newPerson(product.url, role)
  await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [
    of.workspaceId,
    session.user.id,
    role,
  ])
  return asPerson(product.url, session, of.workspaceId)
}

beforeAll(async () => {
  const OWNER = await newPerson(product.url, 'Owner')
  people = {
    OWNER,
    ADMIN: await join('ADMIN', OWNER),
    EDITOR: await join('EDITOR', OWNER),
    VIEWER: await join('VIEWER', OWNER),
    CLIENT: await join('CLIENT', OWNER),
  }
  pages = await connectPages(OWNER, 'u51')
})

test('a new workspace needs nothing; all workspaces of a person are listed by name', async () => {
  const [first, ...rest] = await overview(people.OWNER)
  expect(rest).toEqual([])
  expect(first).toEqual({
    workspaceId: people.OWNER.workspaceId,
    name: 'Owner’s workspace',
    timezone: 'Europe/Berlin',
    role: 'OWNER',
    publishingPaused: false,
    needs: 0,
    approvals: 0,
    inbox: { unanswered: 0, escalated: 0 },
    accounts: [],
    troubles: { failed: 0, unconfirmed: 0, stuck: 0, atRisk: 0, twice: 0, timePassed: 0, removalFailed: 0 },
    next: null,
  })
  expect((await overview(people.EDITOR)).map(({ name, role }) => [name, role])).toEqual([
    ['EDITOR’s workspace', 'OWNER'],
    ['Owner’s workspace', 'EDITOR'],
  ])
})

describe('each role sees', () => {
  test('the next post on the schedule, and whether publishing is paused', async () => {
    await write('Later', { scheduledAt: LATER })
    const soon = await write('Soon', { scheduledAt: SOON })
    const expected = {
      postId: soon.id,
      caption: 'Soon',
      scheduledAt: SOON,
      platforms: ['NET_PAGE'],
      thumbnailUrl: null,
    }
    expect(await ofRoles(({ next }) => next)).toEqual(Object.fromEntries(ROLES.map((role) => [role, expected])))
    await people.OWNER.must('PATCH', `/workspaces/${people.OWNER.workspaceId}`, { publishing: { paused: true } })
    expect(await here('CLIENT')).toMatchObject({ publishingPaused: true })
    await people.OWNER.must('PATCH', `/workspaces/${people.OWNER.workspaceId}`, { publishing: { paused: false } })
  })

  test('the requests that wait for that role: none for an EDITOR, and those for the client only for the CLIENT', async () => {
    await write('For members', { action: 'submit', client: false }, people.EDITOR)
    await write('For the client', { action: 'submit', scheduledAt: LATER, client: true }, people.ADMIN)
    expect(await ofRoles(({ approvals }) => approvals)).toEqual({ OWNER: 1, ADMIN: 1, EDITOR: 0, VIEWER: 0, CLIENT: 1 })
    expect(await ofRoles(({ needs }) => needs)).toEqual({ OWNER: 1, ADMIN: 1, EDITOR: 0, VIEWER: 0, CLIENT: 1 })
  })

  test('unanswered conversations as one matter, if the role may answer them', async () => {
    const before = await ofRoles(({ needs }) => needs)
    const { workspaceId } = people.OWNER
    for (const [key, status, isUnanswered] of [
      ['waits', 'OPEN', true],
      ['waits and is escalated', 'ESCALATED', true],
      ['answered', 'OPEN', false],
      ['put away', 'SNOOZED', true],
      ['closed', 'CLOSED', true],
    ] as const)
      await sql.query(
        `insert into thread (workspace_id, id, account_id, kind, key, post_ref, comments, comments_before, status, opened_at,
            last_in_at, unanswered_at, snoozed_until)
          values ($1, gen_random_uuid(), $2, 'COMMENT', $3, $3, 1, 0, $4, app_now(), app_now(),
            case when $5 then app_now() end, case when $4 = 'SNOOZED' then app_now() + interval '1 day' end)`,
        [workspaceId, pages[0]!.id, key, status, isUnanswered],
      )
    const counts = { unanswered: 2, escalated: 1 }
    const none = { unanswered: 0, escalated: 0 }
    expect(await ofRoles(({ inbox }) => inbox)).toEqual({
      OWNER: counts,
      ADMIN: counts,
      EDITOR: counts,
      VIEWER: none,
      CLIENT: none,
    })
    // The inbox has the same counts.
    expect(await people.EDITOR.must('GET', '/conversations/counts')).toMatchObject(counts)
    const more = { OWNER: 1, ADMIN: 1, EDITOR: 1, VIEWER: 0, CLIENT: 0 }
    const after = Object.fromEntries(ROLES.map((role) => [role, before[role]! + more[role]]))
    expect(await ofRoles(({ needs }) => needs)).toEqual(after)
  })

  test('the same troubles as their list has, and none for a CLIENT', async () => {
    const failed = await write('Failed', { scheduledAt: LATER })
    const unconfirmed = await write('Unconfirmed', { scheduledAt: LATER })
    for (const [post, state] of [
      [failed, 'FAILED'],
      [unconfirmed, 'UNCONFIRMED'],
    ] as const) {
      await sql.query(
        `update publication set state = $2, due_at = null, next_at = null, turn = null, lease_until = null where post_id = $1`,
        [post.id, state],
      )
      await sql.query(`update post set status = 'FAILED' where id = $1`, [post.id])
    }
    await people.OWNER.must('PATCH', `/social-accounts/${pages[1]!.id}`, { paused: true })
    await write('Risky', { targets: [pages[1]!.id], scheduledAt: LATER })
    await expect.poll(async () => (await here('OWNER')).troubles.atRisk).toBe(1)
    const late = await write('Late')
    await sql.query(`update post set approved = true, scheduled_at = '2020-01-01' where id = $1`, [late.id])
    await sql.query(
      `insert into approval_request (workspace_id, id, post_id, post_version, state, act, for_client, decided_at)
        values ($1, gen_random_uuid(), $2, 1, 'APPROVED', 'schedule', false, app_now())`,
      [people.OWNER.workspaceId, late.id],
    )
    const all = { failed: 1, unconfirmed: 1, stuck: 0, atRisk: 1, twice: 0, timePassed: 1, removalFailed: 0 }
    const none = Object.fromEntries(Object.keys(all).map((kind) => [kind, 0]))
    expect(await ofRoles(({ troubles }) => troubles)).toEqual({
      OWNER: all,
      ADMIN: all,
      EDITOR: all,
      VIEWER: { ...all, timePassed: 0, removalFailed: 0 },
      CLIENT: none,
    })
    for (const role of ['OWNER', 'VIEWER'] as const) {
      const { data, count } = await people[role].must<{ data: Trouble[]; count: number }>('GET', '/publishing/trouble')
      const { troubles } = await here(role)
      expect(Object.values(troubles).reduce((sum, one) => sum + one)).toBe(count)
      expect(data).toHaveLength(count)
    }
  })

  test('accounts that need to be reconnected, if the role may reconnect them', async () => {
    const { id, platform, name } = pages[1]!
    await sql.query(`update social_account set status = 'RECONNECT_NEEDED' where id = $1`, [id])
    const account = [{ id, platform, name }]
    expect(await ofRoles(({ accounts }) => accounts)).toEqual({
      OWNER: account,
      ADMIN: account,
      EDITOR: [],
      VIEWER: [],
      CLIENT: [],
    })
  })
})

describe('nobody sees', () => {
  test('a workspace that they are not a member of, or that was deleted', async () => {
    const stranger = await newPerson(product.url, 'Stranger')
    expect((await overview(stranger)).map(({ workspaceId }) => workspaceId)).toEqual([stranger.workspaceId])
    const guest = await join('VIEWER', people.OWNER)
    expect(await overview(guest)).toHaveLength(2)
    await people.OWNER.must('DELETE', `/workspaces/${people.OWNER.workspaceId}/members/${guest.session.user.id}`)
    expect(await overview(guest)).toHaveLength(1)
    await stranger.must(
      'DELETE',
      `/workspaces/${stranger.workspaceId}?confirmName=${encodeURIComponent('Stranger’s workspace')}`,
    )
    expect(await overview(stranger)).toEqual([])
  })

  test('anything without signing in', async () => {
    const { status, body } = await call<Problem>(product.url, 'GET', '/api/v1/overview')
    expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })
})
