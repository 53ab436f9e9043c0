import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { uuidv7 } from 'uuidv7'
import { beforeEach, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import {
  type Answer,
  codeByMail,
  connectPages,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
} from '../../../test/world.ts'
import type { Post } from '../../publishing/posts/api.ts'
import type { AuditEntry } from './api.ts'

const { product, sql } = useProduct()
let ann: Person

/** Waits for the code to her address, whose event belongs in her own log. */
beforeEach(async () => {
  ann = await newPerson(product.url)
  await codeByMail(product.url, ann.session.user.email ?? '')
})

interface List {
  data: AuditEntry[]
  nextCursor: string | null
}
const list = (query = '', person = ann) => person.must<List>('GET', `/audit${query}`)
const told = (answer: Answer<Problem>) => [answer.status, answer.body.code]
const draft = () => ann.must<Post>('POST', '/posts', { caption: 'a' })

test('entries are listed newest first, with the actor, the network address, the object and the request', async () => {
  const made = await ann.call<Post>('POST', '/posts', { caption: 'a' })
  const { data } = await list()
  expect(data.map(({ action }) => action)).toEqual(['post.created', 'workspace.created'])
  expect(data[0]).toMatchObject({
    actor: { kind: 'user', id: ann.session.user.id, name: 'Ann', email: ann.session.user.email },
    object: { postId: made.body.id },
    requestId: made.headers.get('x-request-id'),
    ip: '127.0.0.1',
  })
})

test('the subject of an entry has the name it has today', async () => {
  const { id } = await ann.must<Post>('POST', '/posts', { caption: 'Autumn in a cup' })
  await ann.must('PATCH', `/posts/${id}`, { caption: 'Winter in a cup' })
  const { data } = await list('?action=post')
  expect(data.map(({ action, subject }) => [action, subject])).toEqual([
    ['post.edited', 'Winter in a cup'],
    ['post.created', 'Winter in a cup'],
  ])
  await ann.must('PATCH', `/posts/${id}`, { caption: `${'Winter in a cup. '.repeat(4)}Afterwards the spring` })
  const [newest] = (await list('?action=post')).data
  expect(newest!.subject).toBe(`${'Winter in a cup. '.repeat(4)}Afterwards…`)
})

test('an entry about an account or a target names the account and its network', async () => {
  const [first, second] = await connectPages(ann)
  const targets = [first!.id, second!.id]
  const post = await ann.must<Post>('POST', '/posts', { caption: 'On two', targets, action: 'publish' })
  await untilStatus(ann, post.id, ['PUBLISHED'])
  await ann.must('PATCH', `/social-accounts/${first!.id}`, { paused: true })
  const named = async (action: string) =>
    (await list(`?action=${action}&limit=100`)).data.map(({ accounts }) => accounts)
  const both = [first, second].map((one) => [{ name: one!.name, platform: 'NET_PAGE' }])
  expect(await named('account.paused')).toEqual([both[0]])
  expect(await named('publication.published')).toEqual(expect.arrayContaining(both))
  expect(await named('workspace.created')).toEqual([[]])
  await sql.query(`update audit_entry set detail = $2 where workspace_id = $1 and action = 'workspace.created'`, [
    ann.workspaceId,
    JSON.stringify({ publicationIds: post.publications.map(({ id }) => id) }),
  ])
  expect(await named('workspace.created')).toEqual([both.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1))])
  const csv = (await ann.call<string>('GET', '/audit/export?action=account.paused')).body
  expect(csv).toContain(`${first!.name} (NET_PAGE)`)
})

test('the list is paged without gaps or repetitions, and filtered by action, group, person and time', async () => {
  const posts: Post[] = []
  for (let i = 0; i < 7; i += 1) posts.push(await draft())
  await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { name: 'B' })
  await sql.query(
    `insert into audit_entry (workspace_id, id, actor_kind, action, object)
      select $1, $2, 'system', 'account.token_renewed', '{}'`,
    [ann.workspaceId, uuidv7()],
  )
  const whole = (await list('?limit=100')).data
  const paged: AuditEntry[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: List = await list(`?limit=3${cursor && `&cursor=${cursor}`}`)
    paged.push(...page.data)
    cursor = page.nextCursor
  }
  expect(paged).toEqual(whole)
  const actions = async (query: string) => new Set((await list(query)).data.map(({ action }) => action))
  expect(await actions('?action=post')).toEqual(new Set(['post.created']))
  expect(await actions('?action=workspace.changed')).toEqual(new Set(['workspace.changed']))
  expect(await actions('?action=pos')).toEqual(new Set())
  const hers = whole.filter(({ actor }) => actor.id === ann.session.user.id)
  expect((await list(`?actorId=${ann.session.user.id}`)).data).toEqual(hers)
  expect(hers.length).toBe(whole.length - 1)
  expect((await list(`?actorId=${posts[0]?.id}`)).data).toEqual([])
  const { at } = whole[3] as AuditEntry
  const later = (await list(`?from=${at}`)).data
  const earlier = (await list(`?to=${at}`)).data
  expect([...later, ...earlier]).toEqual(whole)
  expect(later.every((entry) => entry.at >= at)).toBe(true)
})

test('a former member is listed by name, without the address', async () => {
  const bea = await newPerson(product.url, 'Bea')
  await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR')`, [
    ann.workspaceId,
    bea.session.user.id,
  ])
  const there = { 'x-workspace-id': ann.workspaceId }
  expect((await bea.call('POST', '/posts', { caption: 'a' }, there)).status).toBe(201)
  const actor = async () => (await list()).data[0]?.actor
  expect(await actor()).toMatchObject({ name: 'Bea', email: bea.session.user.email })
  await sql.query('delete from member where workspace_id = $1 and user_id = $2', [ann.workspaceId, bea.session.user.id])
  expect(await actor()).toMatchObject({ id: bea.session.user.id, name: 'Bea', email: null })
  expect((await ann.call<string>('GET', '/audit/export')).body).not.toContain(bea.session.user.email)
})

test('an entry names the person concerned, and the product as the actor where no person acted', async () => {
  const bea = await newPerson(product.url, 'Bea')
  await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR')`, [
    ann.workspaceId,
    bea.session.user.id,
  ])
  await ann.must('PUT', `/workspaces/${ann.workspaceId}/members/${bea.session.user.id}`, { role: 'VIEWER' })
  expect((await list()).data[0]).toMatchObject({
    action: 'member.role_changed',
    person: 'Bea',
    detail: { from: 'EDITOR', to: 'VIEWER' },
  })
  await sql.query(
    `insert into audit_entry (workspace_id, id, actor_kind, action, object)
      select $1, gen_random_uuid(), 'system', 'post.missed', '{}'`,
    [ann.workspaceId],
  )
  const { data } = await list('?action=post.missed')
  expect(data[0]).toMatchObject({ actor: { kind: 'system', id: null, name: 'Parley', email: null }, person: null })
  expect((await ann.call<string>('GET', '/audit/export?action=post.missed')).body).toContain(',post.missed,Parley,')
})

test('an ADMIN reads the list, an EDITOR does not, and nobody reads that of another workspace', async () => {
  const bea = await newPerson(product.url, 'Bea')
  await draft()
  expect((await list('', bea)).data.every(({ actor }) => actor.kind === 'system' || actor.name === 'Bea')).toBe(true)
  const elsewhere = await bea.call<Problem>('GET', '/audit', undefined, { 'x-workspace-id': ann.workspaceId })
  expect(told(elsewhere)).toEqual([404, 'not_found'])
  for (const [role, status] of [
    ['ADMIN', 200],
    ['EDITOR', 403],
    ['CLIENT', 403],
  ] as const) {
    await sql.query('update member set role = $1 where workspace_id = $2', [role, ann.workspaceId])
    expect((await ann.call('GET', '/audit')).status).toBe(status)
    expect((await ann.call('GET', '/audit/export')).status).toBe(status)
  }
})

test('the CSV has every entry, oldest first, also when there are more than one read returns', async () => {
  await sql.query(
    `insert into audit_entry (workspace_id, id, actor_kind, action, object)
      select $1, gen_random_uuid(), 'system', 'post.created', '{}' from generate_series(1, 1200)`,
    [ann.workspaceId],
  )
  const answer = await ann.call<string>('GET', '/audit/export')
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toContain('attachment')
  const lines = answer.body.trim().split('\n')
  expect(lines[0]?.replace('\uFEFF', '')).toBe('time,action,by,e-mail,whom,what,accounts,object,detail,address,request')
  expect(lines).toHaveLength(1 + 1201)
  expect((await ann.call<string>('GET', '/audit/export?action=workspace')).body.trim().split('\n')).toHaveLength(2)
})

test('no cell of the CSV begins a formula, whatever name a person has', async () => {
  for (const name of ['=HYPERLINK("https://evil.test")', '+1+1', '-2+3', '@SUM(A1)', '\tx', '\rx']) {
    await sql.query('update app_user set name = $1 where id = $2', [name, ann.session.user.id])
    const { body } = await ann.call<string>('GET', '/audit/export')
    const line = body.slice(body.indexOf('\n') + 1)
    expect(line).toContain(`'${name.replaceAll('"', '""')}`)
    expect(line).not.toMatch(/(^|,)"?[=+@\t\r]/m)
  }
})

test('the product itself cannot change or remove an entry', async () => {
  await sql.query('begin')
  await sql.query('set local role parley_app')
  await sql.query(`select set_config('app.workspace_id', $1, true)`, [ann.workspaceId])
  await expect(sql.query(`update audit_entry set action = 'x'`)).rejects.toThrow('permission denied')
  await sql.query('rollback')
  await sql.query('begin')
  await sql.query('set local role parley_app')
  await expect(sql.query('delete from audit_entry')).rejects.toThrow('permission denied')
  await sql.query('rollback')
})

test.each([
  ['audit', '/api/v1/audit/export'],
  ['posts', '/api/v1/posts/export'],
])('a slow reader of an export of %s is cut off when they lose the right to read it', async (_what, path) => {
  const words = 'x'.repeat(20_000)
  await sql.query(
    `insert into audit_entry (workspace_id, id, actor_kind, action, object, detail)
      select $1, gen_random_uuid(), 'system', 'account.token_renewed', '{}', json_build_object('words', $2::text)
        from generate_series(1, 1500)`,
    [ann.workspaceId, words],
  )
  await sql.query(
    `insert into post (workspace_id, id, caption, status) select $1, gen_random_uuid(), $2, 'DRAFT' from generate_series(1, 1500)`,
    [ann.workspaceId, words],
  )
  const headers = { authorization: `Bearer ${ann.session.accessToken}`, 'x-workspace-id': ann.workspaceId }
  const read = async (meanwhile: () => Promise<unknown>) => {
    const sent = request(product.url + path, { headers, agent: false }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    await once(response, 'readable')
    await meanwhile()
    let bytes = 0
    try {
      for await (const chunk of response) bytes += (chunk as Buffer).length
    } catch {
      return { bytes, cut: true }
    }
    return { bytes, cut: !response.complete }
  }
  const whole = await read(() => Promise.resolve())
  expect(whole.cut).toBe(false)
  const ended = await read(() => sql.query('delete from member where user_id = $1', [ann.session.user.id]))
  expect(ended.cut).toBe(true)
  expect(ended.bytes).toBeLessThan(whole.bytes / 2)
})
