import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../src/channels/api.ts'
import { ROLES, type Role } from '../src/core/http/endpoint.ts'
import type { MediaFile } from '../src/publishing/media/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { useProduct } from './fixtures.ts'
import { long } from './tier.ts'
import { access, type Operation, operations, pathWith, takesJson } from './operations.ts'
import { asPerson, connectPages, newPerson, type Person, type Problem, uploadPicture } from './world.ts'

// Checks section 10 of the contract for every operation: each of the five roles, a member of another workspace and an
// anonymous caller gets the exact refusal, or is let through. A caller who fails several gates gets the refusal of the
// first.

const CALLERS = [...ROLES, 'stranger', 'nobody'] as const
type Caller = (typeof CALLERS)[number]

const { product, sql } = useProduct({ own: true })
let people: Record<Role | 'stranger', Person>
let page: SocialAccount
let file: MediaFile
let post: Post

beforeAll(async () => {
  const OWNER = await newPerson(product.url, 'Owner')
  const join = async (role: Role) => {
    const { session } = await newPerson(product.url, role)
    await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [
      OWNER.workspaceId,
      session.user.id,
      role,
    ])
    return asPerson(product.url, session, OWNER.workspaceId)
  }
  const stranger = asPerson(product.url, (await newPerson(product.url, 'Stranger')).session, OWNER.workspaceId)
  people = {
    OWNER,
    ADMIN: await join('ADMIN'),
    EDITOR: await join('EDITOR'),
    VIEWER: await join('VIEWER'),
    CLIENT: await join('CLIENT'),
    stranger,
  }
  ;[page] = (await connectPages(OWNER)) as [SocialAccount]
  file = await uploadPicture(OWNER)
  post = await OWNER.must<Post>('POST', '/posts', {
    caption: 'Soon',
    targets: [page.id],
    scheduledAt: '2099-01-01T00:00:00Z',
  })
})

/**
 * Reading operations name existing rows. Changing operations name none, so that callers who pass every gate change
 * nothing.
 */
function pathOf(operation: Operation): string {
  const reads = operation.method === 'GET'
  const id = operation.path.startsWith('/api/v1/workspaces')
    ? people.OWNER.workspaceId
    : reads
      ? operation.path.startsWith('/api/v1/media')
        ? file.id
        : operation.path.startsWith('/api/v1/social-accounts')
          ? page.id
          : ['audience', 'conversations', 'saved-replies', 'ice', 'competitors', 'ab-tests', 'analytics'].some((area) =>
                operation.path.startsWith(`/api/v1/${area}`),
              )
            ? undefined
            : post.id
      : undefined
  const path = pathWith(operation, { ...(id && { id }), network: 'NET_PAGE', letter: 'A', n: '1', token: 'none' })
  const query: Record<string, string> = {
    getCalendar: '?from=2098-12-01T00:00:00Z&to=2099-01-31T00:00:00Z',
    getAnalyticsOverview: '?from=2026-01-01&to=2026-01-31',
    listAnalyticsPosts: '?from=2026-01-01&to=2026-01-31',
    listAnalyticsHours: '?from=2026-01-01&to=2026-01-31',
    listAnalyticsTags: '?from=2026-01-01&to=2026-01-31&by=topic',
    exportAnalytics: '?from=2026-01-01&to=2026-01-31&of=days',
    getLinkCard: '?url=https://127.0.0.1/',
    listMemory: `?scope=thread&owner=${post.id}`,
    getPredictionAccuracy: `?accountId=${page.id}`,
    listCompetitorSnapshots: '?from=2026-01-01&to=2026-02-01',
    compareCompetitors: `?accountId=${page.id}&from=2026-01-01&to=2026-02-01`,
    getBestTimes: `?accountId=${page.id}`,
  }
  return path + (query[operation.operationId] ?? '')
}

interface Seen {
  status: number
  code: string | null
  body: Problem
}

/** Sends a body that no parser accepts. Callers who pass every gate get an error about it, and all others do not. */
async function callAs(caller: Caller, operation: Operation, headers: Record<string, string> = {}): Promise<Seen> {
  const person = caller === 'nobody' ? undefined : people[caller]
  const response = await fetch(product.url + pathOf(operation), {
    method: operation.method,
    redirect: 'manual',
    headers: {
      'x-workspace-id': people.OWNER.workspaceId,
      ...(person && { authorization: `Bearer ${person.session.accessToken}` }),
      ...(takesJson(operation) && { 'content-type': 'application/json' }),
      ...(operation.operationId === 'uploadMedia' && { 'content-type': 'text/plain' }),
      ...headers,
    },
    ...(operation.method !== 'GET' &&
      (takesJson(operation) || operation.operationId === 'uploadMedia') && { body: '{"broken' }),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status: response.status, code: null, body: {} as Problem }
  }
  const text = await response.text()
  const problem = response.headers.get('content-type')?.startsWith('application/problem+json')
  const body = (problem ? JSON.parse(text) : {}) as Problem
  return { status: response.status, code: body.code ?? null, body }
}

/**
 * The answer to a permitted caller of an operation that reads no body: a result, or a refusal of the ids in the path.
 */
const withoutBody: Record<string, [status: number, code: string | null]> = {
  startSignIn: [302, null],
  finishSignIn: [302, null],
  startConnection: [302, null],
  finishConnection: [302, null],
  findInvitation: [404, 'not_found'],
  getInvitation: [404, 'not_found'],
  endOtherSessions: [204, null],
  deleteWorkspace: [422, 'validation_failed'],
  uploadMedia: [415, 'unsupported_media_type'],
  createUpload: [422, 'validation_failed'],
  getUpload: [404, 'not_found'],
  getPostingOptions: [404, 'not_found'],
  getReview: [410, 'link_expired'],
  getBrandVoice: [404, 'not_found'],
  getGeneration: [404, 'not_found'],
  getConversation: [404, 'not_found'],
  getAnalyticsPost: [404, 'not_found'],
  getDraftReply: [404, 'not_found'],
  getDecision: [404, 'not_found'],
  replayDecision: [404, 'not_found'],
  getSimulation: [404, 'not_found'],
  getExperiment: [404, 'not_found'],
  getABTest: [404, 'not_found'],
  getReport: [404, 'not_found'],
  previewReport: [404, 'not_found'],
  getReportSnapshot: [404, 'not_found'],
  getSharedReport: [410, 'link_expired'],
  exportCustomer: [404, 'not_found'],
  getCustomer: [404, 'not_found'],
  getSegment: [404, 'not_found'],
  getCompetitor: [404, 'not_found'],
  listCompetitorSnapshots: [404, 'not_found'],
  deleteMemory: [422, 'validation_failed'],
  getAttachment: [404, 'not_found'],
  listMessages: [404, 'not_found'],
}
function passage(operation: Operation): [status: number, code: string | null] {
  if (takesJson(operation)) return [400, 'malformed_json']
  return withoutBody[operation.operationId] ?? (operation.method === 'GET' ? [200, null] : [404, 'not_found'])
}

const ORDER: readonly string[] = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER']

/** Returns the refusal that section 10 demands, or null if the caller passes. */
function refusal(operation: Operation, caller: Caller): [status: number, code: string] | null {
  const { least, client } = access[operation.operationId]!
  if (least === 'anybody') return null
  if (caller === 'nobody') return [401, 'unauthenticated']
  if (least === 'person') return null
  if (least === 'super admin') return [403, 'super_admin_required']
  if (caller === 'stranger') return [404, 'not_found']
  const passes = ORDER.includes(caller) ? ORDER.indexOf(caller) <= ORDER.indexOf(least) : client === true
  return passes ? null : [403, 'role_required']
}

test('every operation has its row, and every row its operation', () => {
  expect(Object.keys(access).toSorted()).toEqual(operations.map((each) => each.operationId).toSorted())
})

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (id, operation) => {
  test('lets permitted callers through, and refuses all others', async () => {
    // A role passes if and only if the role below the least one is refused and the least one passes.
    const least = ORDER.indexOf(access[id]!.least)
    const usual = CALLERS.filter((_, at) => least < 0 || at > 3 || at === least || at === least + 1)
    for (const caller of long ? CALLERS : usual) {
      const { status, code, body } = await callAs(caller, operation)
      expect([status, code], `${caller}: ${JSON.stringify(body)}`).toEqual(
        refusal(operation, caller) ?? passage(operation),
      )
      if (code === 'role_required') expect(body).toMatchObject({ required: access[id]!.least, actual: caller })
    }
  })
})

describe('with no feature in the plan and every quota used up', () => {
  const guarded = operations.filter(({ operationId }) => ORDER.includes(access[operationId]?.least ?? ''))
  const enough = ({ operationId }: Operation) => access[operationId]!.least as Role
  const emptied = async (features: boolean, quotas: boolean) => {
    await sql.query(`update subscription set plan_id = 'free'`)
    await sql.query(`delete from plan_feature where plan_id = 'free'`)
    if (features) await sql.query(`insert into plan_feature (plan_id, feature_id) select 'free', id from feature`)
    await sql.query(`update plan_quota set amount = $1 where plan_id = 'free'`, [quotas ? 1_000_000_000 : 0])
  }

  test('the role is checked before the feature, the feature before the quota, and the body last', async () => {
    await emptied(false, false)
    for (const operation of guarded) {
      const { feature, quota, least } = access[operation.operationId]!
      for (const caller of ['nobody', 'stranger', 'CLIENT', 'VIEWER'] as const) {
        const expected = refusal(operation, caller)
        if (expected) {
          const { status, code } = await callAs(caller, operation)
          expect([status, code], `${operation.operationId} ${caller}`).toEqual(expected)
        }
      }
      const { status, code, body } = await callAs(enough(operation), operation)
      const expected = feature ? [402, 'feature_not_in_plan'] : quota ? [402, 'quota_exceeded'] : passage(operation)
      expect([status, code], `${operation.operationId} ${least}`).toEqual(expected)
      if (feature) expect(body).toMatchObject({ feature })
    }
  })

  test('with all features in the plan, the quota is checked before the body is read', async () => {
    await emptied(true, false)
    for (const operation of guarded) {
      const { quota } = access[operation.operationId]!
      const { status, code, body } = await callAs(enough(operation), operation)
      expect([status, code], operation.operationId).toEqual(quota ? [402, 'quota_exceeded'] : passage(operation))
      if (quota) expect(body).toMatchObject({ quota })
    }
  })

  test('with quota left, permitted callers are let through', async () => {
    await emptied(true, true)
    for (const operation of guarded) {
      const { status, code } = await callAs(enough(operation), operation)
      expect([status, code], operation.operationId).toEqual(passage(operation))
    }
  })
})

describe('a CLIENT', () => {
  const as = () => people.CLIENT
  let failed: string

  beforeAll(async () => {
    const draft = await people.OWNER.must<Post>('POST', '/posts', { caption: 'A draft', targets: [page.id] })
    await sql.query(`update post set checks = '[{"severity":"error","code":"reconnect_needed"}]' where id = $1`, [
      post.id,
    ])
    await sql.query(
      `update publication set error = '{"code":"x","networkCode":"190","message":"secret words","fix":"","who":"admin","retryable":false}',
        wait_reason = 'reconnect_needed' where post_id = $1`,
      [post.id],
    )
    await sql.query(
      `update workspace set publishing_paused_at = now(), publishing_paused_reason = 'secret words', bot_paused_at = now(),
        bot_paused_reason = 'secret words' where id = $1`,
      [people.OWNER.workspaceId],
    )
    const broken = await people.OWNER.must<Post>('POST', '/posts', { caption: 'Failed', targets: [page.id] })
    await sql.query(`update post set status = 'FAILED' where id = $1`, [broken.id])
    failed = broken.id
    hidden = [draft.id, failed]
  })
  let hidden: string[]

  test('sees no findings, no error texts and no health of accounts in the posts that it may see', async () => {
    const { data } = await as().must<{ data: Post[] }>('GET', '/posts')
    expect(data.map(({ id }) => id)).toEqual([post.id])
    const one = await as().must<Post>('GET', `/posts/${post.id}`)
    expect(one).toEqual(data[0])
    const whole = await people.OWNER.must<Post>('GET', `/posts/${post.id}`)
    expect(whole.publications[0]).toMatchObject({ waitReason: 'reconnect_needed', error: { message: 'secret words' } })
    expect(one).toEqual({
      ...whole,
      checks: [],
      createdBy: { id: null, name: whole.createdBy?.name },
      publications: whole.publications.map((each) => ({ ...each, waitReason: null, error: null })),
    })
    const targets = await as().must<{ data: unknown[] }>('GET', `/posts/${post.id}/publications`)
    expect(targets.data).toEqual(one.publications)
    const range = 'from=2098-12-01T00:00:00Z&to=2099-01-31T00:00:00Z'
    const calendar = await as().must<{ data: { id: string }[] }>('GET', `/scheduler/calendar?${range}`)
    expect(calendar.data).toMatchObject([{ id: post.id, problems: 0 }])
  })

  test('sees neither why publishing is paused nor what waits for it', async () => {
    const path = `/workspaces/${people.OWNER.workspaceId}`
    expect(await as().must('GET', path)).toMatchObject({
      publishing: { paused: true, reason: null, due: null },
      bot: { paused: true, reason: null },
    })
    expect(await people.VIEWER.must('GET', path)).toMatchObject({ publishing: { reason: 'secret words', due: 0 } })
  })

  test('finds no drafts and no failed posts, however it asks', async () => {
    for (const id of hidden) {
      for (const path of [`/posts/${id}`, `/posts/${id}/publications`]) {
        expect((await as().call<Problem>('GET', path)).body, path).toMatchObject({ status: 404, code: 'not_found' })
      }
    }
    for (const query of ['status=DRAFT', 'status=FAILED', 'text=draft', 'status=DRAFT,FAILED&text=a']) {
      expect(await as().must('GET', `/posts?${query}`), query).toMatchObject({ data: [] })
    }
    const now = Date.now()
    const range = `from=${new Date(now - 864e5).toISOString()}&to=${new Date(now + 864e5).toISOString()}`
    expect(await as().must('GET', `/scheduler/calendar?${range}`)).toMatchObject({ data: [] })
  })

  test('sees only the names of members', async () => {
    const { data } = await as().must<{ data: { name: string }[] }>('GET', `/workspaces/${as().workspaceId}/members`)
    const nothing = { id: null, userId: null, email: null, role: null, joinedAt: null, lastActiveAt: null }
    expect(data.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      ['ADMIN', 'CLIENT', 'EDITOR', 'Owner', 'VIEWER'].map((name) => ({ ...nothing, name })),
    )
  })

  test('sees that the workspace is paused, but not why', async () => {
    const paused = { paused: true, reason: null }
    for (const found of [
      await as().must('GET', `/workspaces/${as().workspaceId}`),
      (await as().must<{ data: { id: string }[] }>('GET', '/workspaces')).data.find(
        ({ id }) => id === as().workspaceId,
      ),
    ]) {
      expect(found).toMatchObject({ publishing: paused, bot: paused })
      expect(JSON.stringify(found)).not.toContain('secret')
    }
  })

  test('learns from the live stream that posts changed, but not which, and nothing about accounts', async () => {
    const stop = new AbortController()
    const stream = await fetch(`${product.url}/workspaces/${as().workspaceId}/events`, {
      headers: { authorization: `Bearer ${as().session.accessToken}` },
      signal: stop.signal,
    })
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    await people.OWNER.must('PATCH', `/social-accounts/${page.id}`, { paused: true })
    await people.OWNER.must('PATCH', `/posts/${failed}`, { caption: 'Failed again' })
    let heard = ''
    for (let ended = false; !ended && !heard.includes('"kind":"post"');) {
      const { value = '', done } = await reader.read()
      heard += value
      ended = done
    }
    stop.abort()
    expect(heard).toContain('"kind":"post","id":null')
    expect(heard).not.toContain(failed)
    expect(heard).not.toContain(page.id)
  })
})

describe('cookies', () => {
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]

  test('routes that read or set the cookie refuse a foreign page before any other check', async () => {
    for (const operation of operations.filter(({ operationId }) => access[operationId]?.cookie)) {
      for (const headers of foreign) {
        const { status, code } = await callAs('nobody', operation, headers)
        expect([status, code], `${operation.operationId} ${JSON.stringify(headers)}`).toEqual([403, 'origin_refused'])
      }
      const own = await callAs('nobody', operation, { origin: product.url, 'sec-fetch-site': 'same-origin' })
      expect([own.status, own.code], operation.operationId).toEqual(passage(operation))
    }
  })

  test('no other route accepts the cookie as a sign-in', async () => {
    const login = await fetch(`${product.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: people.OWNER.session.user.email, password: 'correct horse battery' }),
    })
    const [cookie] = login.headers.getSetCookie().map((each) => each.split(';', 1)[0] as string)
    expect(login.headers.getSetCookie()[0]).toMatch(/HttpOnly.*SameSite=Strict/)
    for (const operation of operations) {
      const { least } = access[operation.operationId]!
      if (least === 'anybody') continue
      const { status, code } = await callAs('nobody', operation, { cookie: cookie as string })
      expect([status, code], operation.operationId).toEqual([401, 'unauthenticated'])
    }
  })
})
