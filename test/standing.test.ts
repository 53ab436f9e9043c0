import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MediaUpload } from '../src/publishing/media/api.ts'
import { useProduct } from './fixtures.ts'
import { access, type Operation, operations, pathWith } from './operations.ts'
import { eventually, newPerson, PASSWORD, type Person, picture, type Problem } from './world.ts'

// Authority is checked again when the body is complete, and in the transaction of the effect. Each operation that
// changes something gets its head and first byte, then the person loses their standing, then the rest arrives: the
// operation refuses, and no row changes.

const { product, sql } = useProduct({ own: true })

interface Loss {
  /** The statement that takes something from the person. $1 is the person, $2 the workspace. */
  statement: string
  /** Whether an operation requires what the person loses. */
  needed(operation: Operation): boolean
  /** An operation that requires it for some bodies only. */
  neededBy?: string
  refusal: [status: number, code: string]
}

const least = ({ operationId }: Operation) => access[operationId]!.least
const ofWorkspace = (operation: Operation) => !['anybody', 'person', 'super admin'].includes(least(operation))
/** Every member may leave a workspace. The other operations that name a member require a role. */
const ofEveryMember = ['removeMember', 'removeMemberHere']

const losses: Record<string, Loss> = {
  'the session': {
    statement: `update session set ended_at = app_now(), end_reason = 'logout' where user_id = $1 and $2::uuid is not null`,
    needed: () => true,
    refusal: [401, 'session_revoked'],
  },
  'the account': {
    statement: `with ended as (update session set ended_at = app_now(), end_reason = 'disabled' where user_id = $1)
      update app_user set disabled_at = app_now() where id = $1 and $2::uuid is not null`,
    needed: () => true,
    refusal: [401, 'account_disabled'],
  },
  'the role': {
    statement: `update member set role = 'CLIENT' where user_id = $1 and workspace_id = $2`,
    needed: (operation) => ofWorkspace(operation) && !access[operation.operationId]!.client,
    refusal: [403, 'role_required'],
  },
  'a part of the role': {
    statement: `update member set role = 'EDITOR' where user_id = $1 and workspace_id = $2`,
    needed: ofWorkspace,
    neededBy: 'completeOnboarding',
    refusal: [403, 'role_required'],
  },
  'the membership': {
    statement: 'delete from member where user_id = $1 and workspace_id = $2',
    needed: ofWorkspace,
    refusal: [404, 'not_found'],
  },
  'the workspace': {
    statement: 'update workspace set deleted_at = app_now() where id = $2 and $1::uuid is not null',
    needed: (operation) => ofWorkspace(operation) && operation.operationId !== 'restoreWorkspace',
    refusal: [404, 'not_found'],
  },
  'the plan': {
    // No plan of the product lacks all features.
    statement: `with made as (insert into plan (id, position) values ('empty', 99) on conflict do nothing)
      update subscription set plan_id = 'empty' where workspace_id = $2 and $1::uuid is not null`,
    needed: ({ operationId }) => access[operationId]!.feature !== undefined,
    refusal: [402, 'feature_not_in_plan'],
  },
  'the rights of an operator': {
    statement: 'update app_user set is_super_admin = false where id = $1 and $2::uuid is not null',
    needed: (operation) => least(operation) === 'super admin',
    refusal: [403, 'super_admin_required'],
  },
}

/** These need no sign-in, but a token that a caller presents must be valid. */
const ofEither = ['sendCode', 'verifyCode']

const changing = operations.filter(
  (operation) =>
    operation.method !== 'GET' && (least(operation) !== 'anybody' || ofEither.includes(operation.operationId)),
)

const FORM = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\ncontent-type: image/jpeg\r\n\r\n'

/** Sends the head and the first byte of a request. The returned function sends the rest and returns the answer. */
async function begin(operation: Operation, person: Person, upload: MediaUpload, rest?: string) {
  const { operationId, method } = operation
  const [type, whole] =
    operationId === 'uploadMedia'
      ? ['multipart/form-data; boundary=x', [FORM, await picture(), '\r\n--x--\r\n']]
      : operationId === 'continueUpload'
        ? ['application/offset+octet-stream', ['aaa']]
        : ['application/json', [rest ?? '{}']]
  const body = Buffer.concat(whole.map((part) => Buffer.from(part)))
  const path = pathWith(operation, {
    network: 'NET_PAGE',
    ...(/^\/api\/v1\/(admin\/)?workspaces/.test(operation.path) && { id: person.workspaceId }),
    ...(operation.path.startsWith('/api/v1/admin/plans') && { plan: 'free' }),
    ...(operation.path.startsWith('/api/v1/admin/queues') && { name: 'token-refresh' }),
    ...(operation.path.startsWith('/api/v1/admin/jobs') && { job: '1' }),
    ...(operation.path.startsWith('/api/v1/media/uploads') && { id: upload.id }),
    ...(ofEveryMember.includes(operationId) && { userId: upload.id, memberId: upload.id }),
  })
  const call = request(product.url + path, {
    method,
    agent: false,
    headers: {
      authorization: `Bearer ${person.session.accessToken}`,
      'x-workspace-id': person.workspaceId,
      'content-type': type,
      'content-length': body.length,
      ...(operationId === 'continueUpload' && { 'upload-offset': '0' }),
      ...(operationId === 'createUpload' && { 'upload-length': '9' }),
    },
  })
  const answered = once(call, 'response') as Promise<[IncomingMessage]>
  await new Promise((resolve) => call.write(body.subarray(0, 1), resolve))
  return async (): Promise<[status: number | undefined, code: string]> => {
    call.end(body.subarray(1))
    const [response] = await answered
    const text = (await response.toArray()).join('')
    return [response.statusCode, text === '' ? '' : (JSON.parse(text) as Problem).code]
  }
}

/** Returns how many more requests the gate admits in this minute, from the header in every answer. */
async function requestsLeft(person: Person): Promise<number> {
  const { headers } = await person.call('GET', '/api/v1/auth/me')
  return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
}

/**
 * Tables that change on their own, and those to which a refused upload returns its reservation. The figures of an
 * account are read a minute after it was connected.
 */
const PASSING = [
  'request_window',
  'try_count',
  'app_clock',
  'inbox_alive',
  'usage_hold',
  'workspace_usage',
  'account_metric',
  'account_sync',
  'measured_post',
  'network_call',
  'network_user',
  'post_tags',
]

async function allRows(): Promise<Record<string, string>> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> all($1)
      and tablename not like 'post\\_metric%' order by 1`,
    [PASSING],
  )
  const { rows } = await sql.query<Record<string, string>>(
    `select ${tables.map(({ name }) => `(select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ${name} t) as ${name}`).join(', ')}`,
  )
  return rows[0]!
}

async function standing(): Promise<{ person: Person; upload: MediaUpload }> {
  const person = await newPerson(product.url)
  await sql.query('update app_user set is_super_admin = true where id = $1', [person.session.user.id])
  const upload = await person.must<MediaUpload>('POST', '/media/uploads', undefined, { 'upload-length': '9' })
  return { person, upload }
}

describe.each(Object.entries(losses))('a person who loses %s while the body arrives', (_what, loss) => {
  const concerned = changing.filter(loss.needed)
  let refused: Record<string, unknown>
  let before: Record<string, string>
  let after: Record<string, string>

  beforeAll(async () => {
    const { person, upload } = await standing()
    const first = await requestsLeft(person)
    const held = await Promise.all(
      concerned.map(async (operation) => [operation.operationId, await begin(operation, person, upload)] as const),
    )
    // The gate counts the requests that it has checked.
    let asked = 0
    await eventually(async () => first - (await requestsLeft(person)) - (asked += 1) === held.length)
    await sql.query(loss.statement, [person.session.user.id, person.workspaceId])
    before = await allRows()
    const answers = await Promise.all(held.map(async ([id, finish]) => [id, await finish()] as const))
    refused = Object.fromEntries(answers)
    after = await allRows()
  })

  test.each(concerned.map(({ operationId }) => operationId))('%s refuses', (id) => {
    expect(refused[id]).toEqual(loss.refusal)
  })

  test('no row has changed', () => expect(after).toEqual(before))
})

test('every loss affects some operations', () => {
  expect(changing.length).toBeGreaterThan(60)
  for (const { needed } of Object.values(losses)) expect(changing.filter(needed).length).toBeGreaterThan(3)
})

const effects: [operationId: string, body: object][] = [
  ['createPost', { caption: 'Too late' }],
  ['changePassword', { currentPassword: PASSWORD, newPassword: 'another correct horse' }],
  ['updateMe', { name: 'Mallory' }],
  ['completeOnboarding', { niche: 'Too late' }],
  // All acts of operators: each chooses a scope of its own.
  ['giveSubscription', { plan: 'business' }],
  ['changePlan', { features: [] }],
  ['disableUser', {}],
  ['enableUser', {}],
  ['retryQueue', {}],
  ['retryJob', {}],
]

test('all acts of operators are tried at their effect', () => {
  const tried = new Set(effects.map(([id]) => id))
  const acts = changing.filter((operation) => least(operation) === 'super admin')
  expect(acts.map(({ operationId }) => operationId).filter((id) => !tried.has(id))).toEqual([])
})

const operationOf = (id: string) => operations.find(({ operationId }) => operationId === id)!
const effectsThatNeed = ({ needed, neededBy }: Loss) =>
  effects.filter(([id]) => needed(operationOf(id)) || id === neededBy)

describe.each(Object.entries(losses).filter(([, loss]) => effectsThatNeed(loss).length > 0))(
  'a person who loses %s between the gate and the effect',
  (_what, loss) => {
    const concerned = effectsThatNeed(loss)

    test.each(concerned)('%s waits until the loss is committed, and refuses', async (id, body) => {
      const { person, upload } = await standing()
      const client = await sql.connect()
      try {
        await client.query('begin')
        await client.query(loss.statement, [person.session.user.id, person.workspaceId])
        const finish = await begin(operationOf(id), person, upload, JSON.stringify(body))
        let isAnswered = false
        const answer = finish().finally(() => (isAnswered = true))
        await eventually(async () => {
          const { rows } = await sql.query(`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`)
          return rows.length > 0 || isAnswered
        })
        await client.query('commit')
        expect(await answer).toEqual(loss.refusal)
      } finally {
        await client.query('rollback')
        client.release()
      }
      const { rows } = await sql.query(
        `select from post where caption = $1 union all select from workspace where niche = $1
          union all select from subscription where workspace_id = $2 and plan_id = 'business'`,
        ['Too late', person.workspaceId],
      )
      expect(rows).toEqual([])
    })
  },
)
