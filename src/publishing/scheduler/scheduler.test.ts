import { expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { connectPages, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'
import type { FreeSlot, Slot, Slots } from './api.ts'
import { DAYS, wallTime } from './rules.ts'

const { product, sql } = useProduct()

async function withPages(): Promise<[person: Person, pages: SocialAccount[]]> {
  const person = await newPerson(product.url)
  return [person, await connectPages(person)]
}

const daily = (...times: string[]): Slot[] =>
  DAYS.flatMap((day) => times.map((time) => ({ day, time, accounts: null })))
const put = (person: Person, slots: object[], headers?: Record<string, string>) =>
  person.call<Slots & Problem>('PUT', '/scheduler/slots', { slots }, headers)
const draft = (person: Person, targets: string[], caption = 'Queued') =>
  person.must<Post>('POST', '/posts', { caption, targets })
const queue = (person: Person, { id }: Pick<Post, 'id'>) =>
  person.call<Post & Omit<Problem, 'status'>>('POST', `/posts/${id}/queue`)
const free = async (person: Person, search = '') =>
  (await person.must<{ data: FreeSlot[] }>('GET', `/scheduler/slots/free${search}`)).data

test('slots are replaced as a whole, kept in order, and get a new version only if they change', async () => {
  const [ann, [page]] = await withPages()
  expect(await ann.must('GET', '/scheduler/slots')).toMatchObject({ timezone: 'Europe/Berlin', slots: [], version: 1 })
  const given = [
    { day: 'friday', time: '16:00' },
    { day: 'monday', time: '09:00', accounts: [page!.id] },
  ]
  const first = await put(ann, given)
  expect(first.headers.get('etag')).toBe('"2"')
  expect(first.body.slots).toEqual([
    { day: 'monday', time: '09:00', accounts: [page!.id] },
    { day: 'friday', time: '16:00', accounts: null },
  ])
  expect((await put(ann, given)).body.version).toBe(2)
  expect((await put(ann, [], { 'if-match': '"1"' })).body).toMatchObject({ code: 'stale_version', current: 2 })
  expect((await put(ann, [], { 'if-match': '"2"' })).body).toMatchObject({ slots: [], version: 3 })
})

test('two slots for one account at the same time and unknown accounts are reported together', async () => {
  const [ann, pages] = await withPages()
  const [one, two] = pages.map(({ id }) => id)
  const at = { day: 'monday', time: '09:00' }
  const codes = async (slots: object[]) =>
    (await put(ann, slots)).body.errors?.map(({ path, code }) => `${path} ${code}`) ?? 'taken'
  expect(
    await codes([
      { ...at, accounts: [one] },
      { ...at, accounts: [two] },
    ]),
  ).toBe('taken')
  expect(
    await codes([at, { ...at, accounts: [one] }, { ...at, accounts: ['01900000-0000-7000-8000-000000000000'] }]),
  ).toEqual(['/slots/1 duplicate', '/slots/2 duplicate', '/slots/2/accounts/0 unknown_id'])
  expect((await put(ann, [{ day: 'monday', time: '24:00' }])).status).toBe(422)
})

test('a queued post takes the first slot without a scheduled post; a post that leaves its slot frees it', async () => {
  const [ann, [page]] = await withPages()
  await put(ann, daily('09:00', '17:30'))
  const foreseen = await free(ann, '?limit=3')
  const posts = [await draft(ann, [page!.id]), await draft(ann, [page!.id])]
  const times: (string | null)[] = []
  for (const post of posts) times.push((await queue(ann, post)).body.scheduledAt)
  expect(times).toEqual(foreseen.slice(0, 2).map(({ at }) => at))
  expect(wallTime(new Date(times[0]!), 'Europe/Berlin').slice(11)).toMatch(/^(09:00|17:30)$/)
  expect((await free(ann, '?limit=1'))[0]).toEqual(foreseen[2])
  await ann.must('POST', `/posts/${posts[0]!.id}/cancel`)
  expect((await free(ann, '?limit=1'))[0]?.at).toBe(times[0])
  expect((await queue(ann, posts[1]!)).body).toMatchObject({ status: 'SCHEDULED', scheduledAt: times[0] })
  // The post has the next slot already, so queueing it again does not move it.
  expect((await queue(ann, posts[1]!)).body.scheduledAt).toBe(times[0])
  expect((await free(ann, `?limit=1&postId=${posts[1]!.id}`))[0]?.at).toBe(times[0])
})

test('a slot for some accounts takes only posts to these accounts', async () => {
  const [ann, pages] = await withPages()
  const [one, two] = pages.map(({ id }) => id) as [string, string]
  await put(
    ann,
    DAYS.flatMap((day) => [
      { day, time: '08:00', accounts: [one] },
      { day, time: '20:00' },
    ]),
  )
  const at = async (targets: string[]) => {
    const { body } = await queue(ann, await draft(ann, targets))
    return wallTime(new Date(body.scheduledAt!), 'Europe/Berlin').slice(11)
  }
  expect([await at([one, two]), await at([one]), await at([two])]).toEqual(['20:00', '08:00', '20:00'])
})

test('fifty people who queue at the same moment get the next fifty slots, one each', async () => {
  const [ann, [page]] = await withPages()
  await put(ann, daily('06:00', '12:00', '18:00'))
  const posts = await Promise.all(Array.from({ length: 50 }, () => draft(ann, [page!.id])))
  const foreseen = await free(ann, '?limit=50')
  const answers = await Promise.all(posts.map((post) => queue(ann, post)))
  expect(answers.map(({ status }) => status)).toEqual(posts.map(() => 200))
  const times = answers.map(({ body }) => body.scheduledAt)
  expect(times.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual(foreseen.map(({ at }) => at))
})

test('queueing in a workspace without slots is refused and changes nothing', async () => {
  const [ann, [page]] = await withPages()
  const post = await draft(ann, [page!.id])
  expect((await queue(ann, post)).body).toMatchObject({ status: 409, code: 'no_free_slot' })
  expect(await ann.must('GET', `/posts/${post.id}`)).toMatchObject({ status: 'DRAFT', version: 1, scheduledAt: null })
})

test('an EDITOR queues only approved posts if the workspace requires approval', async () => {
  const [ann, [page]] = await withPages()
  await put(ann, daily('09:00'))
  const post = await draft(ann, [page!.id])
  await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { approvalMode: 'required' })
  const role = (name: string) =>
    sql.query(`update member set role = $2 where workspace_id = $1`, [ann.workspaceId, name])
  await role('EDITOR')
  expect((await queue(ann, post)).body).toMatchObject({ status: 403, code: 'role_required' })
  await ann.must('POST', `/posts/${post.id}/submit`)
  await role('OWNER')
  await ann.must('POST', `/posts/${post.id}/approve`)
  await role('EDITOR')
  expect((await queue(ann, post)).body).toMatchObject({ status: 'SCHEDULED', approved: true })
})

test('free slots of a period are complete, and a period that is too long is refused', async () => {
  const [ann] = await withPages()
  await put(ann, daily('09:00', '10:00', '11:00', '12:00'))
  const from = Date.now() + 86_400_000
  const range = (days: number) =>
    `?from=${new Date(from).toISOString()}&to=${new Date(from + days * 86_400_000).toISOString()}`
  expect(await free(ann, range(50))).toHaveLength(200)
  expect((await ann.call('GET', `/scheduler/slots/free${range(101)}`)).status).toBe(422)
})
