import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { newPerson, type Person, type Problem } from '../../../test/world.ts'
import { type Label, MOST_LABELS } from './api.ts'

const { product, sql } = useProduct()
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

const create = (name: string, color = 'red', person = ann) => person.must<Label>('POST', '/labels', { name, color })
const names = async (person: Person) =>
  (await person.must<{ data: Label[] }>('GET', '/labels')).data.map(({ name }) => name)

describe('a label', () => {
  test('is created, changed by version in the given fields only, and deleted, as the history shows', async () => {
    const made = await create('Urgent')
    expect(made).toMatchObject({ name: 'Urgent', color: 'red', version: 1 })
    const at = `/labels/${made.id}`
    expect(await ann.must('PATCH', at, made)).toEqual(made)
    const changed = await ann.must<Label>('PATCH', at, { color: 'teal' }, { 'if-match': '"1"' })
    expect(changed).toMatchObject({ name: 'Urgent', color: 'teal', version: 2 })
    const late = await ann.call<Problem>('PATCH', at, { name: 'Late' }, { 'if-match': '"1"' })
    expect(late.body).toMatchObject({ status: 412, code: 'stale_version', current: 2 })
    expect((await ann.call('DELETE', at, undefined, { 'if-match': '"1"' })).status).toBe(412)
    await ann.must('DELETE', at)
    expect((await ann.call('PATCH', at, { name: 'Gone' })).status).toBe(404)
    const { rows } = await sql.query<{ action: string }>(
      `select action from audit_entry where workspace_id = $1 and action like 'label.%' order by at, id`,
      [ann.workspaceId],
    )
    expect(rows.map(({ action }) => action)).toEqual(['label.created', 'label.changed', 'label.deleted'])
  })

  test('has a name and one of the named colours', async () => {
    const refused = await ann.call<Problem>('POST', '/labels', { name: ' ', color: '#ff0000' })
    expect(refused.body.errors?.map(({ path }) => path)).toEqual(['/name', '/color'])
  })

  test('has a unique name regardless of case, even when two are created at once; a deleted one frees its name', async () => {
    const both = await Promise.all(
      ['Tea', 'tEA'].map((name) => ann.call<Problem & Label>('POST', '/labels', { name, color: 'green' })),
    )
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]))
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('name_taken')
    const other = await create('Coffee')
    expect((await ann.call<Problem>('PATCH', `/labels/${other.id}`, { name: 'TEA' })).body.code).toBe('name_taken')
    expect(await ann.must('PATCH', `/labels/${other.id}`, { name: 'COFFEE' })).toMatchObject({ name: 'COFFEE' })
    await ann.must('DELETE', `/labels/${both.find(({ status }) => status === 201)?.body.id}`)
    await create('tea')
  })

  test('is listed by name; a full workspace refuses another', async () => {
    const bea = await newPerson(product.url, 'Bea')
    for (const name of ['zebra', 'Apple', 'mango']) await create(name, 'blue', bea)
    expect(await names(bea)).toEqual(['Apple', 'mango', 'zebra'])
    await sql.query(
      `insert into label (workspace_id, id, name, color) select $1, gen_random_uuid(), 'n' || i, 'gray'
        from generate_series(4, $2::int) i`,
      [bea.workspaceId, MOST_LABELS],
    )
    const more = await bea.call<Problem>('POST', '/labels', { name: 'One more', color: 'pink' })
    expect(more.body).toMatchObject({ status: 409, code: 'too_many_saved', limit: MOST_LABELS })
  })
})
