import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { connect, connectPages, newPerson, type Person, untilStatus, uploadPicture } from '../../../test/world.ts'
import type { Check, Post } from './api.ts'
import { sql as raw } from '../../core/platform/db.ts'
import { alike } from './checks/rules.ts'
import { twinsWhere } from './posts-content.ts'

const { product, sql } = useProduct()
let ann: Person
let pages: SocialAccount[]

beforeAll(async () => {
  ann = await newPerson(product.url)
  pages = await connectPages(ann)
})

const DAY = 86_400_000
const inDays = (days: number) => new Date(Math.ceil(Date.now() / 60_000) * 60_000 + days * DAY).toISOString()
const create = (body: object, person = ann) => person.must<Post>('POST', '/posts', { targets: [pages[0]!.id], ...body })
const twins = (checks: Check[]) =>
  checks
    .filter(({ code }) => code.startsWith('same_text'))
    .map(({ code, severity, target, value }) => ({ code, severity, target, value }))
const validate = async (body: object, person = ann) =>
  twins(
    (await person.must<{ checks: Check[] }>('POST', '/posts/validate', { targets: [pages[0]!.id], ...body })).checks,
  )
const stored = async ({ id }: Post) => twins((await ann.must<Post>('GET', `/posts/${id}`)).checks)

test('texts are the same regardless of case, spacing and invisible characters', () => {
  expect(alike(' Neue\u200b Röstung!\n\nJetzt ')).toBe(alike('neue röstung! jetzt'))
  expect(alike('Kaffee')).not.toBe(alike('Kaffee.'))
  expect(alike(' \u200b\n')).toBeNull()
})

describe('the same text to the same account', () => {
  test('gets a warning with the other post on validating, creating, scheduling and reading; NET_PAGE refuses it', async () => {
    const first = await create({ caption: 'Fresh beans on Friday', scheduledAt: inDays(2) })
    expect(twins(first.checks)).toEqual([])
    const found = [{ code: 'same_text_refused', severity: 'warning', target: pages[0]!.id, value: first.id }]
    expect(await validate({ caption: 'fresh  BEANS on friday ' })).toEqual(found)
    const second = await create({ caption: 'Fresh beans on Friday' })
    expect(twins(second.checks)).toEqual(found)
    const scheduled = await ann.must<Post>('POST', `/posts/${second.id}/schedule`, { scheduledAt: inDays(3) })
    expect([scheduled.status, twins(scheduled.checks)]).toEqual(['SCHEDULED', found])
    expect(await stored(second)).toEqual(found)
    expect(await stored(first)).toMatchObject([{ value: second.id }])
    await ann.must('POST', `/posts/${first.id}/cancel`)
    expect(await stored(second)).toEqual([])
  })

  test('means the text that the account shows: an override, a hashtag or another account makes a difference', async () => {
    const text = 'Open on Sunday'
    await create({ caption: text, scheduledAt: inDays(2) })
    expect(await validate({ caption: text, captionOverrides: { NET_PAGE: 'Closed on Sunday' } })).toEqual([])
    expect(await validate({ caption: text, hashtags: ['coffee'] })).toEqual([])
    expect(await validate({ caption: text, targets: [pages[1]!.id] })).toEqual([])
    expect(await validate({ caption: 'Else', captionOverrides: { NET_PAGE: text } })).toHaveLength(1)
  })

  test('counts within thirty days, before and after, and once live', async () => {
    const text = `Live ${Date.now()}`
    const live = await create({ caption: text, action: 'publish' })
    await untilStatus(ann, live.id, ['PUBLISHED'])
    expect(await validate({ caption: text })).toMatchObject([{ value: live.id }])
    expect(await validate({ caption: text, scheduledAt: inDays(29.9) })).toHaveLength(1)
    expect(await validate({ caption: text, scheduledAt: inDays(30.1) })).toEqual([])
    await create({ caption: 'Far away', scheduledAt: inDays(60) })
    expect(await validate({ caption: 'Far away', scheduledAt: inDays(30.1) })).toHaveLength(1)
    expect(await validate({ caption: 'Far away', scheduledAt: inDays(29.9) })).toEqual([])
  })

  test('drafts, deleted posts and other workspaces do not count', async () => {
    const text = 'Seen nowhere'
    await create({ caption: text })
    expect(await validate({ caption: text })).toEqual([])
    const gone = await create({ caption: text, scheduledAt: inDays(1) })
    await ann.must('DELETE', `/posts/${gone.id}`)
    expect(await validate({ caption: text })).toEqual([])
    const bob = await newPerson(product.url, 'Bob')
    const [his] = await connectPages(bob, 'u1')
    await create({ caption: text, targets: [his!.id], scheduledAt: inDays(1) }, bob)
    expect(await validate({ caption: text })).toEqual([])
    expect(await validate({ caption: text, targets: [his!.id] }, bob)).toHaveLength(1)
  })

  test('is checked on an edit', async () => {
    const first = await create({ caption: 'One text', scheduledAt: inDays(2) })
    const second = await create({ caption: 'Another text' })
    const patch = (caption: string) => ann.must<Post>('PATCH', `/posts/${second.id}`, { caption })
    expect(twins((await patch('One text')).checks)).toMatchObject([{ value: first.id }])
    expect(twins((await patch('A third text')).checks)).toEqual([])
    expect(await stored(second)).toEqual([])
  })

  test('is a plain warning on other networks', async () => {
    const [photo] = await connect(ann, 'NET_PHOTO', 'u1')
    const picture = await uploadPicture(ann)
    const body = { caption: 'A picture', targets: [photo!.id], media: [picture.id], scheduledAt: inDays(2) }
    const first = await create(body)
    const later = { ...body, scheduledAt: inDays(3) }
    expect(await validate(later)).toMatchObject([{ code: 'same_text', value: first.id }])
    // A story shows no text.
    expect(await validate({ ...later, platformOptions: { NET_PHOTO: { kind: 'story' } } })).toEqual([])
  })

  test('is found for an account that only its network names', async () => {
    const cleo = await newPerson(product.url, 'Cleo')
    const [page, ...others] = await connectPages(cleo)
    for (const { id } of others) await cleo.must('DELETE', `/social-accounts/${id}`)
    const body = { caption: 'By network', scheduledAt: inDays(2) }
    const first = await create({ ...body, targets: [page!.id] }, cleo)
    const same = { ...body, targets: undefined, platforms: ['NET_PAGE'] }
    expect(await validate(same, cleo)).toMatchObject([{ target: page!.id, value: first.id }])
  })
})

test('the same text is found without reading drafts, however many have it', async () => {
  const post = await create({ caption: 'Said in many drafts', scheduledAt: inDays(2) })
  await sql.query(
    `with draft as (insert into post (workspace_id, id, status)
        select $1, gen_random_uuid(), 'DRAFT' from generate_series(1, 3000) returning workspace_id, id)
      insert into delivery (workspace_id, id, post_id, account_id, position, text_key)
      select d.workspace_id, gen_random_uuid(), d.id, m.account_id, 0, m.text_key
      from draft d, delivery m where m.workspace_id = d.workspace_id and m.post_id = $2`,
    [ann.workspaceId, post.id],
  )
  await sql.query('analyze post, delivery')
  const statement = twinsWhere(raw`p.workspace_id = ${ann.workspaceId} and p.id = ${post.id}`).compile()
  const { rows } = await sql.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers off) ${statement.sql}`, [
    ...statement.parameters,
  ])
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  const most = Math.max(
    ...[...plan.matchAll(/rows=([\d.]+) loops|Removed by Filter: (\d+)/g)].map((each) => Number(each[1] ?? each[2])),
  )
  expect(most, plan).toBeLessThan(10)
})
