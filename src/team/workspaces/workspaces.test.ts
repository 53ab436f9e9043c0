import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { type Answer, call, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Profile } from '../identity/api.ts'
import type { Post } from '../../publishing/posts/api.ts'
import type { Workspace } from './api.ts'

const { product, sql } = useProduct()
let ann: Person
let bea: Person

beforeEach(async () => {
  ann = await newPerson(product.url)
  bea = await newPerson(product.url, 'Bea')
})

const own = () => `/workspaces/${ann.workspaceId}`
const create = (person: Person, body: object) => person.must<Workspace>('POST', '/workspaces', body)
const change = <T = Workspace>(body: object, headers?: Record<string, string>) =>
  ann.call<T>('PATCH', own(), body, headers)
const told = (answer: Answer<Problem>) => [answer.status, answer.body.code]
const faults = (answer: Answer<Problem>) => answer.body.errors?.map(({ path, code }) => `${path} ${code}`)

/** Gives a person a role in a workspace, or removes it. */
const setRole = (person: Person, workspaceId: string, role: string | null) =>
  role
    ? sql.query(
        `insert into member (workspace_id, user_id, role) values ($1, $2, $3)
           on conflict (workspace_id, user_id) do update set role = excluded.role`,
        [workspaceId, person.session.user.id, role],
      )
    : sql.query('delete from member where workspace_id = $1 and user_id = $2', [workspaceId, person.session.user.id])

describe('a workspace', () => {
  test('belongs to its creator, with the operator’s plan and with given or default fields', async () => {
    const answer = await ann.call<Workspace>('POST', '/workspaces', { name: ' Bakery ', timezone: 'Asia/Dubai' })
    expect(answer.status).toBe(201)
    const { id, createdAt } = answer.body
    expect(answer.headers.get('location')).toBe(`/api/v1/workspaces/${id}`)
    expect(answer.headers.get('etag')).toBe('"1"')
    expect(answer.body).toEqual({
      id,
      name: 'Bakery',
      timezone: 'Asia/Dubai',
      weekStart: 'monday',
      language: 'en',
      niche: null,
      approvalMode: 'optional',
      linkTags: { on: false, source: '{network}', medium: 'social', campaign: '' },
      publishing: { paused: false, reason: null, onResume: 'send', due: 0 },
      bot: { paused: false, reason: null },
      role: 'OWNER',
      plan: 'pro',
      version: 1,
      createdAt,
      updatedAt: createdAt,
      deletedAt: null,
    })
    expect(await ann.must('GET', `/workspaces/${id}`)).toEqual(answer.body)
    const full = { name: 'Shop', timezone: 'UTC', weekStart: 'sunday', language: 'ar', niche: 'tea' }
    expect(await create(ann, full)).toMatchObject(full)
  })

  test('is one of at most 20 that a person owns, however many are requested at once; deleted ones count', async () => {
    const make = () => ann.call<Problem>('POST', '/workspaces', { name: 'more' })
    const answers = await Promise.all(Array.from({ length: 25 }, make))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(19)
    expect(answers.filter(({ status }) => status !== 201).map(told)).toEqual(
      Array.from({ length: 6 }, () => [409, 'too_many_workspaces']),
    )
    const { data } = await ann.must<{ data: Workspace[] }>('GET', '/workspaces')
    expect(data).toHaveLength(20)
    const bin = data.find(({ name }) => name === 'more')!
    await ann.must('DELETE', `/workspaces/${bin.id}?confirmName=more`)
    expect(told(await make())).toEqual([409, 'too_many_workspaces'])
  })

  test('needs a name, a real zone and known fields, and is not created without them', async () => {
    const answers = await Promise.all(
      [{}, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 'a', timezone: 'Mars' }, { name: 'a', role: 'OWNER' }].map(
        (body) => ann.call<Problem>('POST', '/workspaces', body),
      ),
    )
    expect(answers.map(faults)).toEqual([
      ['/name required'],
      ['/name too_short'],
      ['/name too_long'],
      ['/timezone unknown_timezone'],
      ['/role unknown_field'],
    ])
    expect((await ann.must<{ data: unknown[] }>('GET', '/workspaces')).data).toHaveLength(1)
  })

  test('is listed only to its members, newest first, each with their role', async () => {
    const second = await create(ann, { name: 'Second' })
    await setRole(bea, second.id, 'VIEWER')
    const list = async (person: Person) => {
      const { data, nextCursor } = await person.must<{ data: Workspace[]; nextCursor: null }>('GET', '/workspaces')
      expect(nextCursor).toBeNull()
      return data.map(({ id, role }) => [id, role])
    }
    expect(await list(ann)).toEqual([
      [second.id, 'OWNER'],
      [ann.workspaceId, 'OWNER'],
    ])
    expect(await list(bea)).toEqual([
      [second.id, 'VIEWER'],
      [bea.workspaceId, 'OWNER'],
    ])
  })

  test('of others is not found, byte for byte like an unknown one', async () => {
    const seen = ({ status, headers, body }: Answer<Problem>) => [
      status,
      [...headers.keys()],
      JSON.stringify({ ...body, requestId: '' }),
    ]
    const ask = (id: string) => [
      ann.call<Problem>('GET', `/workspaces/${id}`),
      ann.call<Problem>('PATCH', `/workspaces/${id}`, { name: 'mine' }),
      ann.call<Problem>('PATCH', `/workspaces/${id}`, { nonsense: 1 }),
      ann.call<Problem>('GET', '/posts', undefined, { 'x-workspace-id': id }),
      ann.call<Problem>('POST', '/posts', { caption: 'a' }, { 'x-workspace-id': id }),
    ]
    const foreign = await Promise.all(ask(bea.workspaceId))
    const nobody = await Promise.all(ask(randomUUID()))
    expect(foreign.map(told)).toEqual(foreign.map(() => [404, 'not_found']))
    expect(foreign.map(seen)).toEqual(nobody.map(seen))
    expect((await ann.call<Problem>('GET', '/workspaces/nonsense')).status).toBe(404)
    expect(await bea.must('GET', `/workspaces/${bea.workspaceId}`)).toMatchObject({
      version: 1,
      name: 'Bea’s workspace',
    })
  })

  test('is closed to callers who are not signed in, before anything else is checked', async () => {
    const answer = await call<Problem>(product.url, 'PATCH', own(), '{', { 'content-type': 'application/json' })
    expect(told(answer)).toEqual([401, 'unauthenticated'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })
})

describe('changing a workspace', () => {
  test('absent fields stay, null clears, and each real change raises the version by one', async () => {
    expect((await change({ niche: 'bread' })).body).toMatchObject({ niche: 'bread', version: 2 })
    const answer = await change({ name: 'Ann and Bea', niche: null })
    expect(answer.body).toMatchObject({ name: 'Ann and Bea', niche: null, timezone: 'Europe/Berlin', version: 3 })
    expect(answer.headers.get('etag')).toBe('"3"')
    expect(faults(await change<Problem>({ name: null }))).toEqual(['/name wrong_type'])
  })

  test('a change without effect keeps the version, even if the whole workspace is sent back', async () => {
    const before = await ann.must<Workspace>('GET', own())
    for (const body of [{}, { name: before.name }, before]) {
      expect(await change(body)).toMatchObject({ status: 200, body: before })
    }
  })

  test('a changed read-only field and an unknown one are faults', async () => {
    const answer = await change<Problem>({ role: 'VIEWER', plan: 'business', version: 7, name: 'x' })
    expect([answer.status, faults(answer)?.toSorted((a, b) => a.localeCompare(b))]).toEqual([
      422,
      ['/plan read_only', '/role read_only', '/version read_only'],
    ])
    expect(faults(await change<Problem>({ colour: 'red' }))).toEqual(['/colour unknown_field'])
    expect(await ann.must('GET', own())).toMatchObject({ version: 1, plan: 'pro' })
  })

  test('from another version is refused with the current one', async () => {
    await change({ name: 'b' }, { 'if-match': '"1"' })
    const stale = await change<Problem>({ name: 'c' }, { 'if-match': '"1"' })
    expect([...told(stale), stale.body.current]).toEqual([412, 'stale_version', 2])
    expect(told(await change<Problem>({ name: 'c' }, { 'if-match': 'nonsense' }))).toEqual([400, 'malformed_request'])
    expect((await change({ name: 'c' }, { 'if-match': '*' })).body).toMatchObject({ name: 'c', version: 3 })
  })

  test('of ten changes from one version one wins; without a version all succeed and none is lost', async () => {
    const conditional = await Promise.all(
      Array.from({ length: 10 }, (_, i) => change<Problem>({ name: `n${i}` }, { 'if-match': '"1"' })),
    )
    expect(conditional.filter((answer) => answer.status === 200)).toHaveLength(1)
    expect(conditional.filter((answer) => answer.status === 412)).toHaveLength(9)
    await Promise.all([change({ name: 'x' }), change({ niche: 'y' }), change({ weekStart: 'sunday' })])
    expect(await ann.must('GET', own())).toMatchObject({ name: 'x', niche: 'y', weekStart: 'sunday', version: 5 })
  })

  test('is recorded with its actor and fields', async () => {
    await change({ name: 'b', niche: 'tea' })
    const { rows } = await sql.query(
      `select actor_id, action, detail, request_id is not null as asked from audit_entry
         where workspace_id = $1 and action = 'workspace.changed'`,
      [ann.workspaceId],
    )
    expect(rows).toEqual([
      {
        actor_id: ann.session.user.id,
        action: 'workspace.changed',
        detail: { fields: ['name', 'niche'] },
        asked: true,
      },
    ])
  })
})

describe('a role', () => {
  const asBea = <T = Problem>(method: string, path: string, body?: unknown) =>
    bea.call<T>(method, path, body, { 'x-workspace-id': ann.workspaceId })

  test('that is removed or changed applies from the next request on, with the same access token', async () => {
    await setRole(bea, ann.workspaceId, 'ADMIN')
    expect((await asBea('PATCH', own(), { name: 'by an admin' })).status).toBe(200)
    await setRole(bea, ann.workspaceId, 'EDITOR')
    const refused = await asBea('PATCH', own(), { name: 'by an editor' })
    expect([...told(refused), refused.body.required, refused.body.actual]).toEqual([
      403,
      'role_required',
      'ADMIN',
      'EDITOR',
    ])
    expect((await asBea('POST', '/posts', { caption: 'a' })).status).toBe(201)
    await setRole(bea, ann.workspaceId, 'VIEWER')
    expect(told(await asBea('POST', '/posts', { caption: 'a' }))).toEqual([403, 'role_required'])
    expect((await asBea('GET', '/posts')).status).toBe(200)
    await setRole(bea, ann.workspaceId, null)
    expect(told(await asBea('GET', '/posts'))).toEqual([404, 'not_found'])
    expect(told(await asBea('GET', own()))).toEqual([404, 'not_found'])
  })

  test('is checked before the body, and is separate in each workspace', async () => {
    await setRole(bea, ann.workspaceId, 'VIEWER')
    expect(told(await asBea('PATCH', own(), { nonsense: 1 }))).toEqual([403, 'role_required'])
    expect((await bea.call('PATCH', `/workspaces/${bea.workspaceId}`, { name: 'mine' })).status).toBe(200)
    const { body } = await asBea<Workspace>('GET', own())
    expect(body.role).toBe('VIEWER')
  })

  test('of CLIENT passes only where it is named', async () => {
    await setRole(bea, ann.workspaceId, 'CLIENT')
    expect((await asBea('GET', own())).status).toBe(200)
    expect(told(await asBea('GET', '/social-accounts'))).toEqual([403, 'role_required'])
    expect(told(await asBea('POST', '/posts', { caption: 'a' }))).toEqual([403, 'role_required'])
  })

  test('of OWNER belongs to one person, whatever the code tries', async () => {
    await expect(setRole(bea, ann.workspaceId, 'OWNER')).rejects.toThrow('member_one_owner')
  })
})

describe('the workspace of a request', () => {
  let token: Record<string, string>
  let [header, query, chosen] = ['', '', '']

  beforeEach(async () => {
    token = { authorization: `Bearer ${ann.session.accessToken}` }
    header = (await create(ann, { name: 'by header' })).id
    query = (await create(ann, { name: 'by query' })).id
    chosen = (await create(ann, { name: 'by choice' })).id
  })

  /** The workspace of a post that is created with these parameters. */
  async function lands(search: string, headers: Record<string, string>): Promise<string> {
    const { body } = await call<Post>(
      product.url,
      'POST',
      `/posts${search}`,
      { caption: 'a' },
      { ...token, ...headers },
    )
    return body.workspaceId
  }

  test('comes from the path, else the header, else the query, else the default', async () => {
    const found = await call<Workspace>(product.url, 'GET', `${own()}?workspaceId=${query}`, undefined, {
      ...token,
      'x-workspace-id': header,
    })
    expect(found.body.id).toBe(ann.workspaceId)
    expect(await lands(`?workspaceId=${query}`, { 'x-workspace-id': header })).toBe(header)
    expect(await lands(`?workspaceId=${query}`, {})).toBe(query)
    expect(await lands('', {})).toBe(ann.workspaceId) // the workspace of the registration, whatever was used since
    await ann.must<Profile>('PATCH', '/api/v1/auth/me', { defaultWorkspaceId: chosen })
    expect(await lands('', {})).toBe(chosen)
  })

  test('is not found for a foreign or malformed id, or without a default', async () => {
    const ask = (search: string, headers: Record<string, string> = {}) =>
      call<Problem>(product.url, 'GET', `/posts${search}`, undefined, { ...token, ...headers })
    expect(told(await ask('', { 'x-workspace-id': bea.workspaceId }))).toEqual([404, 'not_found'])
    expect(told(await ask(`?workspaceId=${bea.workspaceId}`))).toEqual([404, 'not_found'])
    expect(told(await ask('', { 'x-workspace-id': 'nonsense' }))).toEqual([404, 'not_found'])
    await setRole(ann, ann.workspaceId, null)
    expect(told(await ask(''))).toEqual([404, 'no_workspace'])
    expect((await ask(`?workspaceId=${query}`)).status).toBe(200)
  })

  test('may be repeated in the body, but not contradicted', async () => {
    const same = await ann.call<Post>('POST', '/posts', { caption: 'a', workspaceId: ann.workspaceId })
    expect([same.status, same.body.workspaceId]).toEqual([201, ann.workspaceId])
    for (const workspaceId of [header, bea.workspaceId, randomUUID()]) {
      const other = await ann.call<Problem>('POST', '/posts', { caption: 'a', workspaceId })
      expect(told(other)).toEqual([422, 'workspace_mismatch'])
    }
  })
})

describe('onboarding', () => {
  const answer = <T = Profile>(body: object, person = ann) => person.call<T>('POST', '/api/v1/auth/onboarding', body)

  test('may leave out every answer, and then only records its time, once', async () => {
    const before = await ann.must<Workspace>('GET', own())
    const first = await answer({})
    expect(first.status).toBe(200)
    expect(first.body).toEqual({ ...ann.session.user, onboardedAt: expect.stringMatching(/Z$/) as string })
    expect((await answer({})).body).toEqual(first.body)
    expect(await ann.must<Workspace>('GET', own())).toEqual(before)
  })

  test('changes the person and their workspace together, also when it is repeated', async () => {
    const body = { name: 'Anna', timezone: 'Asia/Dubai', language: 'ar', workspaceName: 'Bakery', niche: 'Bread' }
    const { onboardedAt } = (await answer({ ...body, goals: ['plan', 'measure'] })).body
    const now = await answer({ workspaceName: 'Café' })
    const { name, timezone, language } = body
    expect(now.body).toMatchObject({ name, timezone, language, onboardedAt, workspaces: [{ name: 'Café' }] })
    const workspace = { name: 'Café', timezone, language, niche: 'Bread', version: 3 }
    expect(await ann.must<Workspace>('GET', own())).toMatchObject(workspace)
    const { rows } = await sql.query('select goals from app_user where id = $1', [ann.session.user.id])
    expect(rows).toEqual([{ goals: ['plan', 'measure'] }])
  })

  test('accepts only known values, and changes nothing if one answer is wrong', async () => {
    const wrong = { name: 'Anna', timezone: 'Mars/Olympus' }
    expect(faults(await answer<Problem>(wrong))).toEqual(['/timezone unknown_timezone'])
    expect(faults(await answer<Problem>({ language: 'xx' }))).toEqual(['/language not_allowed'])
    expect(faults(await answer<Problem>({ workspaceName: ' ' }))).toEqual(['/workspaceName too_short'])
    expect(faults(await answer<Problem>({ plan: 'business' }))).toEqual(['/plan unknown_field'])
    expect((await ann.must<Profile>('GET', '/api/v1/auth/me')).onboardedAt).toBeNull()
  })

  test('of a VIEWER in their default workspace changes only the person', async () => {
    await setRole(bea, ann.workspaceId, 'VIEWER')
    await bea.must('PATCH', '/api/v1/auth/me', { defaultWorkspaceId: ann.workspaceId })
    const before = await ann.must<Workspace>('GET', own())
    for (const body of [{ workspaceName: 'Mine now' }, { niche: 'Mine', name: 'Beatrice' }]) {
      const refused = await answer<Problem>(body, bea)
      expect(refused.body).toMatchObject({ status: 403, code: 'role_required', required: 'ADMIN', actual: 'VIEWER' })
    }
    const taken = await answer({ name: 'Beatrice', timezone: 'Asia/Dubai', language: 'ar' }, bea)
    expect(taken.body).toMatchObject({ name: 'Beatrice', timezone: 'Asia/Dubai', language: 'ar' })
    expect(await ann.must<Workspace>('GET', own())).toEqual(before)
  })
})
