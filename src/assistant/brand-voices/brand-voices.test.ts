import { expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { newPerson, type Person, type Problem } from '../../../test/world.ts'
import { type BrandVoice, MOST_VOICES } from './api.ts'

const { product, sql } = useProduct()

const whole = {
  name: 'Warm',
  toneAttributes: ['warm', 'plain'],
  vocabulary: { terms: ['oat milk'], phrases: ['See you at the counter'], avoid: ['cheap'] },
  writingStyle: 'Short sentences.',
  samplePosts: ['New teas are here.'],
}
const all = async (ann: Person) => (await ann.must<{ data: BrandVoice[] }>('GET', '/brand-voices')).data
const defaults = async (ann: Person) => (await all(ann)).filter(({ isDefault }) => isDefault).map(({ name }) => name)

test('a voice is saved whole, changed on its version only in the given fields, and deleted', async () => {
  const ann = await newPerson(product.url)
  const made = await ann.call<BrandVoice>('POST', '/brand-voices', whole)
  expect(made.status).toBe(201)
  const at = `/brand-voices/${made.body.id}`
  expect(made.headers.get('location')).toBe(`/api/v1${at}`)
  expect(made.body).toMatchObject({ ...whole, isDefault: true, version: 1 })
  expect(await ann.must('GET', at)).toEqual(made.body)
  expect(await ann.must('PATCH', at, made.body)).toEqual(made.body)
  const changed = await ann.must<BrandVoice>('PATCH', at, { vocabulary: { avoid: [] } }, { 'if-match': '"1"' })
  expect(changed).toMatchObject({ ...whole, vocabulary: { ...whole.vocabulary, avoid: [] }, version: 2 })
  const late = await ann.call<Problem>('PATCH', at, { name: 'Late' }, { 'if-match': '"1"' })
  expect(late.body).toMatchObject({ status: 412, code: 'stale_version', current: 2 })
  expect((await ann.call('DELETE', at, undefined, { 'if-match': '"1"' })).status).toBe(412)
  await ann.must('DELETE', at)
  expect((await ann.call('GET', at)).status).toBe(404)
  const { rows } = await sql.query<{ action: string }>(
    `select action from audit_entry where workspace_id = $1 and action like 'brand_voice.%' order by at, id`,
    [ann.workspaceId],
  )
  expect(rows.map(({ action }) => action)).toEqual(['created', 'changed', 'deleted'].map((act) => `brand_voice.${act}`))
})

test('a word is used or avoided, not both', async () => {
  const ann = await newPerson(product.url)
  const fault = { code: 'validation_failed', errors: [{ path: '/vocabulary/avoid', code: 'contradicts' }] }
  const vocabulary = { terms: ['Oat milk'], avoid: ['oat milk', 'cheap'] }
  expect((await ann.call<Problem>('POST', '/brand-voices', { name: 'Torn', vocabulary })).body).toMatchObject(fault)
  const { id } = await ann.must<BrandVoice>('POST', '/brand-voices', whole)
  const torn = await ann.call<Problem>('PATCH', `/brand-voices/${id}`, { vocabulary: { terms: ['Cheap'] } })
  expect(torn.body).toMatchObject(fault)
  await ann.must('PATCH', `/brand-voices/${id}`, { vocabulary: { terms: ['Cheap'], avoid: ['fresh'] } })
})

test('at most one voice is the default: the first, unless it opts out, until another takes over', async () => {
  const ann = await newPerson(product.url)
  await ann.must('POST', '/brand-voices', { name: 'Silent', isDefault: false })
  expect(await defaults(ann)).toEqual([])
  const second = await ann.must<BrandVoice>('POST', '/brand-voices', { name: 'Second' })
  expect(second.isDefault).toBe(false)
  await ann.must('POST', '/brand-voices', { name: 'Third', isDefault: true })
  expect(await defaults(ann)).toEqual(['Third'])
  await ann.must('PATCH', `/brand-voices/${second.id}`, { isDefault: true })
  expect(await defaults(ann)).toEqual(['Second'])
  expect((await all(ann)).map(({ name }) => name)).toEqual(['Second', 'Silent', 'Third'])
  await ann.must('PATCH', `/brand-voices/${second.id}`, { isDefault: false })
  expect(await defaults(ann)).toEqual([])
})

test('if many take the default at the same time, one has it in the end and none fails', async () => {
  const ann = await newPerson(product.url)
  const voices = await Promise.all(
    Array.from({ length: 8 }, (_, i) => ann.must<BrandVoice>('POST', '/brand-voices', { name: `Voice ${i}` })),
  )
  expect(await defaults(ann)).toHaveLength(1)
  await Promise.all(voices.map(({ id }) => ann.must('PATCH', `/brand-voices/${id}`, { isDefault: true })))
  expect(await defaults(ann)).toHaveLength(1)
})

test('names are unique regardless of case, also when saved at the same time; too many voices are refused', async () => {
  const ann = await newPerson(product.url)
  const both = await Promise.all(['Warm', 'wARM'].map((name) => ann.call<Problem>('POST', '/brand-voices', { name })))
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]))
  expect(both.find(({ status }) => status === 409)?.body.code).toBe('name_taken')
  for (let i = 1; i < MOST_VOICES; i += 1) await ann.must('POST', '/brand-voices', { name: `Voice ${i}` })
  const more = await ann.call<Problem>('POST', '/brand-voices', { name: 'One more' })
  expect(more.body).toMatchObject({ status: 409, code: 'too_many_voices', limit: MOST_VOICES })
})
