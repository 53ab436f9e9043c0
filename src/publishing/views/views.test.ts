import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { asPerson, connectPages, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Label } from '../../team/labels/api.ts'
import { MOST_VIEWS, type SavedView } from './api.ts'

const { product, sql } = useProduct()
let ann: Person
let bea: Person

async function member(of: Person, name: string, role: string): Promise<Person> {
  const { session } = await newPerson(product.url, name)
  await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [
    of.workspaceId,
    session.user.id,
    role,
  ])
  return asPerson(product.url, session, of.workspaceId)
}

beforeAll(async () => {
  ann = await newPerson(product.url)
  bea = await member(ann, 'Bea', 'VIEWER')
})

const view = (name: string, more: object = {}) => ({ name, screen: 'posts', filters: { status: ['FAILED'] }, ...more })
const create = (person: Person, name: string, more?: object) =>
  person.must<SavedView>('POST', '/views', view(name, more))
const names = async (person: Person) =>
  (await person.must<{ data: SavedView[] }>('GET', '/views')).data.map(({ name }) => name)
const told = ({ status, body }: { status: number; body: Problem }) => [status, body.code]
const asks = (person: Person, method: string, path: string, body?: object, headers?: Record<string, string>) =>
  person.call<Problem>(method, path, body, headers)

describe('a view', () => {
  test('keeps every filter of its screen, is changed on its version, and deleted', async () => {
    const [page] = (await connectPages(ann)) as [SocialAccount]
    const label = await ann.must<Label>('POST', '/labels', { name: 'Tea', color: 'green' })
    const filters = {
      status: ['DRAFT', 'SCHEDULED'],
      approval: 'PENDING',
      platform: 'NET_PHOTO',
      accountId: page.id,
      label: [label.id],
      text: 'tea',
    }
    const made = await create(ann, 'Tea', { screen: 'calendar', filters })
    expect(made).toMatchObject({ name: 'Tea', screen: 'calendar', filters, shared: false, version: 1 })
    const at = `/views/${made.id}`
    expect(await ann.must('PATCH', at, made)).toEqual(made)
    const changed = await ann.must<SavedView>('PATCH', at, { filters: { text: 'oat' } }, { 'if-match': '"1"' })
    expect(changed).toMatchObject({ name: 'Tea', filters: { text: 'oat' }, version: 2 })
    expect(told(await asks(ann, 'DELETE', at, undefined, { 'if-match': '"1"' }))).toEqual([412, 'stale_version'])
    await ann.must('PATCH', at, { filters })
    await ann.must('DELETE', `/labels/${label.id}`)
    expect(await ann.must('PATCH', at, { name: 'Oats' })).toMatchObject({ name: 'Oats', filters })
    await ann.must('DELETE', at)
    expect(told(await asks(ann, 'PATCH', at, { name: 'Gone' }))).toEqual([404, 'not_found'])
  })

  test('takes no filter that its screen lacks, and cannot move to another screen', async () => {
    for (const filters of [{ colour: 'red' }, { status: ['LOST'] }, { label: ['urgent'] }, { text: '' }]) {
      expect(told(await asks(ann, 'POST', '/views', view('Odd', { filters })))).toEqual([422, 'validation_failed'])
    }
    expect(told(await asks(ann, 'POST', '/views', view('Odd', { screen: 'inbox' })))).toEqual([
      422,
      'validation_failed',
    ])
    const nobody = '01900000-0000-7000-8000-000000000000'
    const lost = await asks(ann, 'POST', '/views', view('Odd', { filters: { accountId: nobody, label: [nobody] } }))
    expect(lost.body.errors?.map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/filters/accountId unknown_id',
      '/filters/label/0 unknown_id',
    ])
    const { id } = await create(ann, 'Stays')
    const moved = await asks(ann, 'PATCH', `/views/${id}`, { screen: 'calendar' })
    expect(moved.body.errors).toMatchObject([{ path: '/screen', code: 'read_only' }])
  })

  test('that is not shared is visible only to its owner', async () => {
    const { id } = await create(bea, 'Mine')
    expect(await names(bea)).toContain('Mine')
    expect(await names(ann)).not.toContain('Mine')
    expect(told(await asks(ann, 'PATCH', `/views/${id}`, { name: 'Taken' }))).toEqual([404, 'not_found'])
    expect(told(await asks(ann, 'DELETE', `/views/${id}`))).toEqual([404, 'not_found'])
  })

  test('can be shared, changed and unshared only by an ADMIN; the history lists shared views only', async () => {
    expect(told(await asks(bea, 'POST', '/views', view('For all', { shared: true })))).toEqual([403, 'role_required'])
    const own = await create(bea, 'Own')
    const refused = await asks(bea, 'PATCH', `/views/${own.id}`, { shared: true })
    expect(refused.body).toMatchObject({ code: 'role_required', required: 'ADMIN', actual: 'VIEWER' })
    const { id } = await create(ann, 'For all')
    await ann.must('PATCH', `/views/${id}`, { shared: true })
    expect(await names(bea)).toContain('For all')
    expect(told(await asks(bea, 'PATCH', `/views/${id}`, { name: 'Taken' }))).toEqual([403, 'role_required'])
    expect(told(await asks(bea, 'DELETE', `/views/${id}`))).toEqual([403, 'role_required'])
    await ann.must('PATCH', `/views/${id}`, { shared: false })
    expect(await names(bea)).not.toContain('For all')
    await ann.must('DELETE', `/views/${id}`)
    const { id: second } = await create(ann, 'Second', { shared: true })
    await ann.must('DELETE', `/views/${second}`)
    const { rows } = await sql.query<{ action: string }>(
      `select action from audit_entry where workspace_id = $1 and action like 'view.%' order by at, id`,
      [ann.workspaceId],
    )
    expect(rows.map(({ action }) => action)).toEqual(['view.changed', 'view.changed', 'view.created', 'view.deleted'])
  })

  test('has a unique name within its audience and screen, also when two are saved at the same time', async () => {
    const both = await Promise.all(['Week', 'wEEK'].map((name) => asks(ann, 'POST', '/views', view(name))))
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]))
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('name_taken')
    await create(ann, 'Week', { screen: 'calendar' })
    await create(ann, 'Week', { shared: true })
    await create(bea, 'Week')
    const { id } = await create(ann, 'Month')
    expect(told(await asks(ann, 'PATCH', `/views/${id}`, { name: 'WEEK' }))).toEqual([409, 'name_taken'])
  })
})

test('a view beyond what a member may keep or a workspace may share is refused', async () => {
  const cal = await newPerson(product.url, 'Cal')
  for (const owner of [cal.session.user.id, null]) {
    await sql.query(
      `insert into saved_view (workspace_id, id, owner_id, screen, name, filters)
        select $1, gen_random_uuid(), $2, 'posts', 'n' || i, '{}' from generate_series(1, $3::int) i`,
      [cal.workspaceId, owner, MOST_VIEWS],
    )
    const more = await asks(cal, 'POST', '/views', view('One more', { shared: owner === null }))
    expect(more.body).toMatchObject({ status: 409, code: 'too_many_saved', limit: MOST_VIEWS })
  }
})

test('removing a member removes their own views and keeps shared ones', async () => {
  const dan = await member(ann, 'Dan', 'ADMIN')
  const own = await create(dan, 'Own')
  const shared = await create(dan, 'Shared by Dan', { shared: true })
  await ann.must('DELETE', `/workspaces/${ann.workspaceId}/members/${dan.session.user.id}`)
  const { rows } = await sql.query<{ id: string }>('select id from saved_view where id = any ($1)', [
    [own.id, shared.id],
  ])
  expect(rows.map(({ id }) => id)).toEqual([shared.id])
})
