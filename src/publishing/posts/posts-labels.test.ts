import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { connectPages, newPerson, type Person, type Problem, untilStatus } from '../../../test/world.ts'
import type { Label } from '../../team/labels/api.ts'
import type { Post } from './api.ts'

const { product } = useProduct()
let ann: Person
let page: SocialAccount
let urgent: Label
let autumn: Label

const create = (body: object) => ann.must<Post>('POST', '/posts', body)
const label = (name: string, color = 'red') => ann.must<Label>('POST', '/labels', { name, color })
const mark = ({ id, name, color }: Label) => ({ id, name, color })
const patch = (post: Post, body: object) => ann.must<Post>('PATCH', `/posts/${post.id}`, body)
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

beforeAll(async () => {
  ann = await newPerson(product.url)
  ;[page] = (await connectPages(ann)) as [SocialAccount]
  urgent = await label('urgent')
  autumn = await label('Autumn', 'orange')
})

describe('the labels of a post', () => {
  test('are set on creating and editing, returned by name, and cleared with null', async () => {
    const post = await create({ caption: 'a', labels: [urgent.id, autumn.id, urgent.id] })
    expect(post.labels).toEqual([mark(autumn), mark(urgent)])
    expect(await ann.must('GET', `/posts/${post.id}`)).toMatchObject({ labels: post.labels })
    expect((await patch(post, { caption: 'b' })).labels).toEqual(post.labels)
    expect((await patch(post, { labels: [urgent.id] })).labels).toEqual([mark(urgent)])
    expect((await patch(post, { labels: [{ id: autumn.id }], caption: 'c' })).labels).toEqual([mark(autumn)])
    expect((await patch(post, { labels: null })).labels).toEqual([])
    expect((await create({ caption: 'a' })).labels).toEqual([])
  })

  test('can be sent back as they were read; unknown ones are reported with the other faults', async () => {
    const post = await create({ caption: 'a', labels: [urgent.id] })
    expect(await patch(post, post)).toEqual(post)
    const nobody = '01900000-0000-7000-8000-000000000000'
    const { body } = await ann.call<Problem>('POST', '/posts', { targets: [nobody], labels: [urgent.id, nobody] })
    expect(body.errors?.map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/targets/0 unknown_id',
      '/labels/1 unknown_id',
    ])
  })

  test('change without a new version, an entry in the version history, or the loss of an approval', async () => {
    const body = { caption: 'a', targets: [page.id], scheduledAt: tomorrow(), action: 'submit' }
    const asked = await create(body)
    const versions = (post: Post) => ann.must<{ data: unknown[] }>('GET', `/posts/${post.id}/versions`)
    const before = await versions(asked)
    const labelled = await patch(asked, { labels: [urgent.id] })
    expect(labelled).toMatchObject({ version: asked.version, approval: { id: asked.approval!.id, state: 'PENDING' } })
    expect(await versions(asked)).toEqual(before)
    const approved = await ann.must<Post>('POST', `/posts/${asked.id}/approve`)
    expect(approved).toMatchObject({ status: 'SCHEDULED', approved: true })
    const again = await patch(approved, { labels: [autumn.id] })
    expect(again).toMatchObject({ status: 'SCHEDULED', approved: true, version: approved.version })
    expect(again.publications).toEqual(approved.publications)
  })

  test('can change once the post is live', async () => {
    const post = await create({ caption: `live ${Date.now()}`, targets: [page.id], action: 'publish' })
    await untilStatus(ann, post.id, ['PUBLISHED'])
    expect((await patch(post, { labels: [urgent.id] })).labels).toEqual([mark(urgent)])
    const refused = await ann.call<Problem>('PATCH', `/posts/${post.id}`, { labels: [], caption: 'other' })
    expect(refused.body.code).toBe('already_published')
    expect(await ann.must('GET', `/posts/${post.id}`)).toMatchObject({ labels: [mark(urgent)] })
  })

  test('are copied to a duplicate, show a new name, and disappear with the label', async () => {
    const gone = await label('Gone', 'gray')
    const post = await create({ caption: 'a', labels: [gone.id] })
    const copy = await ann.must<Post>('POST', `/posts/${post.id}/duplicate`)
    expect(copy.labels).toEqual([mark(gone)])
    await ann.must('PATCH', `/labels/${gone.id}`, { name: 'Renamed' })
    expect(await ann.must('GET', `/posts/${post.id}`)).toMatchObject({ labels: [{ name: 'Renamed' }] })
    await ann.must('DELETE', `/labels/${gone.id}`)
    expect(await ann.must('GET', `/posts/${copy.id}`)).toMatchObject({ labels: [], version: copy.version })
  })
})

describe('posts', () => {
  test('are listed and shown on the calendar by label; any of several matches', async () => {
    const [one, two, other] = [await label('One'), await label('Two'), await label('Other')]
    const scheduledAt = tomorrow()
    const made: Post[] = []
    for (const labels of [[one.id], [two.id, one.id], [other.id], []]) {
      made.push(await create({ caption: 'a', targets: [page.id], scheduledAt, labels }))
    }
    const window = `from=${scheduledAt}&to=${new Date(Date.parse(scheduledAt) + 1).toISOString()}`
    const found = async (...labels: Label[]) => {
      const asked = `label=${labels.map(({ id }) => id).join(',')}`
      const listed = await ann.must<{ data: Post[] }>('GET', `/posts?${asked}`)
      const shown = await ann.must<{ data: Post[] }>('GET', `/scheduler/calendar?${window}&${asked}`)
      const ids = listed.data.map(({ id }) => id)
      expect(shown.data.map(({ id }) => id)).toEqual(ids.toReversed())
      for (const post of listed.data) expect(shown.data.find(({ id }) => id === post.id)?.labels).toEqual(post.labels)
      return ids.toReversed()
    }
    const [first, second, third] = made.map(({ id }) => id)
    expect(await found(one)).toEqual([first, second])
    expect(await found(one, two)).toEqual([first, second])
    expect(await found(two, other)).toEqual([second, third])
    expect((await ann.call('GET', '/posts?label=urgent')).status).toBe(422)
  })

  test('keep their labels through export and import', async () => {
    const bar = await label('a|b')
    const post = await create({ caption: `table ${Date.now()}`, labels: [urgent.id, autumn.id, bar.id] })
    const csv = await ann.must<string>('GET', `/posts/export?label=${bar.id}`)
    await ann.must('DELETE', `/posts/${post.id}`)
    await ann.must('POST', '/posts/import', { csv, save: true })
    const { data } = await ann.must<{ data: Post[] }>('GET', `/posts?label=${bar.id}`)
    expect(data.map(({ caption, labels }) => ({ caption, labels }))).toEqual([
      { caption: post.caption, labels: post.labels },
    ])
    const unknown = await ann.must<{ rows: { faults: object[] }[] }>('POST', '/posts/import', {
      csv: 'caption,labels\nNew,Nothing | URGENT',
    })
    expect(unknown.rows[0]?.faults).toMatchObject([{ column: 'labels', code: 'unknown_label', value: 'Nothing' }])
  })
})
