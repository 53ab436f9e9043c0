import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { newPerson, type Person, type Problem } from '../../../test/world.ts'
import { type HashtagSet, MOST_SAVED, type Template } from './api.ts'

const { product, sql } = useProduct()
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

const names = async (path: string) =>
  (await ann.must<{ data: { name: string }[] }>('GET', path)).data.map(({ name }) => name)

describe.each([
  ['/hashtag-sets', { hashtags: ['#tea'] }, { hashtags: ['#tea', 'green'] }],
  ['/templates', { caption: 'New: {{tea}}' }, { caption: 'Old: {{tea}}' }],
])('%s', (path, first, second) => {
  test('are created, listed by name, changed on their version, and deleted', async () => {
    const made = await ann.must<HashtagSet | Template>('POST', path, { name: ' Summer ', ...first })
    expect(made).toMatchObject({ ...first, name: 'Summer', version: 1 })
    await ann.must('POST', path, { name: 'autumn', ...first })
    expect(await names(path)).toEqual(['autumn', 'Summer'])
    const at = `${path}/${made.id}`
    expect(await ann.must('PATCH', at, { ...made, version: 1 })).toEqual(made)
    const changed = await ann.must<Template>('PATCH', at, second, { 'if-match': '"1"' })
    expect(changed).toMatchObject({ ...second, name: 'Summer', version: 2 })
    const late = await ann.call<Problem>('PATCH', at, { name: 'Later' }, { 'if-match': '"1"' })
    expect(late.body).toMatchObject({ status: 412, code: 'stale_version', current: 2 })
    expect((await ann.call<Problem>('DELETE', at, undefined, { 'if-match': '"1"' })).status).toBe(412)
    await ann.must('DELETE', at)
    expect(await names(path)).toEqual(['autumn'])
    expect((await ann.call('PATCH', at, second)).status).toBe(404)
  })

  test('have unique names regardless of case, also when two are saved at the same time', async () => {
    const made = await ann.must<Template>('POST', path, { name: 'Straße', ...first })
    const taken = { status: 409, code: 'name_taken' }
    expect((await ann.call<Problem>('POST', path, { name: 'STRAßE', ...first })).body).toMatchObject(taken)
    expect((await ann.call<Problem>('PATCH', `${path}/${made.id}`, { name: 'AUTUMN' })).body).toMatchObject(taken)
    expect(await ann.must('PATCH', `${path}/${made.id}`, { name: 'straße' })).toMatchObject({ name: 'straße' })
    const both = await Promise.all([1, 2].map(() => ann.call('POST', path, { name: 'Twice', ...first })))
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]))
  })

  test('are refused beyond the maximum of a workspace', async () => {
    const bob = await newPerson(product.url)
    await sql.query(
      `insert into saved_writing (workspace_id, id, kind, name, content)
        select $1, gen_random_uuid(), $2, 'n' || n, '{}' from generate_series(1, ${MOST_SAVED}) n`,
      [bob.workspaceId, path === '/templates' ? 'template' : 'hashtags'],
    )
    const refused = await bob.call<Problem>('POST', path, { name: 'One more', ...first })
    expect(refused.body).toMatchObject({ status: 409, code: 'too_many_saved', limit: MOST_SAVED })
  })
})

test('a template keeps the texts, lists its placeholders, and drops what is chosen for each post', async () => {
  const written = {
    caption: 'New: {{product}}',
    hashtags: ['#{{season}}'],
    cta: 'Order',
    captionOverrides: { NET_PHOTO: { caption: 'See {{photo}}' } },
    hashtagOverrides: { NET_PAGE: ['#page'] },
    platformOptions: { NET_VIDEO: { privacyLevel: 'SELF_ONLY', consent: true, allowDuet: true } },
    linkTags: { on: true, campaign: 'autumn' },
  }
  const made = await ann.must<Template>('POST', '/templates', { name: 'All of it', ...written })
  expect(made).toMatchObject({
    ...written,
    platformOptions: { NET_VIDEO: { allowDuet: true } },
    placeholders: ['product', 'season', 'photo'],
  })
  const changed = await ann.must<Template>('PATCH', `/templates/${made.id}`, { caption: null })
  expect(changed).toMatchObject({ caption: '', cta: 'Order', placeholders: ['season', 'photo'] })
})
