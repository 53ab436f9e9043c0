import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { connectPages, newPerson, type Person, type Problem, untilStatus } from '../../../test/world.ts'
import type { Check, Post } from './api.ts'

const { product, database, sql } = useProduct()
let ann: Person
let pages: SocialAccount[]

beforeAll(async () => {
  ann = await newPerson(product.url)
  pages = await connectPages(ann)
})

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()
const target = () => pages[0]!.id
const create = (body: object) => ann.must<Post>('POST', '/posts', body)
const codes = (answer: { body: Problem }) => answer.body.errors?.map((fault) => `${fault.path} ${fault.code}`)

describe('creating', () => {
  test('a post without an action is a draft, or scheduled if it has a time', async () => {
    expect(await create({ caption: 'a' })).toMatchObject({ status: 'DRAFT', version: 1, caption: 'a', targets: [] })
    const at = tomorrow()
    const scheduled = await create({ caption: 'b', targets: [target()], scheduledAt: at })
    expect(scheduled).toMatchObject({ status: 'SCHEDULED', scheduledAt: at, happensAt: at })
    expect(scheduled.publications).toMatchObject([{ state: 'PENDING', dueAt: at, nextAttemptAt: at, attempts: 0 }])
  })

  test('status can replace action, and contradicting it is a fault', async () => {
    expect(await create({ caption: 'a', status: 'DRAFT', scheduledAt: tomorrow() })).toMatchObject({ status: 'DRAFT' })
    const answer = await ann.call<Problem>('POST', '/posts', { caption: 'a', status: 'DRAFT', action: 'publish' })
    expect([answer.status, codes(answer)]).toEqual([422, ['/status contradicts_action']])
  })

  test('a time within the last minute counts as now, an older one is refused', async () => {
    const post = await create({
      caption: `now ${Date.now()}`,
      targets: [target()],
      scheduledAt: new Date(Date.now() - 30_000).toISOString(),
    })
    await untilStatus(ann, post.id, ['PUBLISHED'])
    const old = new Date(Date.now() - 90_000).toISOString()
    const answer = await ann.call<Problem>('POST', '/posts', { caption: 'late', targets: [target()], scheduledAt: old })
    expect([answer.status, codes(answer)]).toEqual([422, ['/scheduledAt in_the_past']])
  })

  test('a post that is submitted to be scheduled has a time to come, as it must when it is submitted later', async () => {
    const body = { caption: 'To approve', targets: [target()], action: 'submit' }
    const fault = async (more: object) => {
      const answer = await ann.call<Problem>('POST', '/posts', { ...body, ...more })
      return [answer.status, codes(answer)]
    }
    expect(await fault({ onApproval: 'schedule' })).toEqual([422, ['/scheduledAt required']])
    expect(await fault({ scheduledAt: '2020-01-01T00:00:00Z' })).toEqual([422, ['/scheduledAt in_the_past']])
  })

  test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00', '3000-01-01T00:00:00Z', '1969-12-31T23:59:59Z'])(
    'a time that no calendar has is refused: %s',
    async (scheduledAt) => {
      for (const path of ['/posts', '/posts/validate']) {
        const answer = await ann.call<Problem>('POST', path, { caption: 'Far away', scheduledAt, action: 'draft' })
        expect([path, answer.status]).toEqual([path, 422])
      }
    },
  )

  test('all unknown ids are reported together, and nothing is stored', async () => {
    const before = await ann.must<{ data: Post[] }>('GET', '/posts?limit=100')
    const nobody = '01900000-0000-7000-8000-000000000000'
    const answer = await ann.call<Problem>('POST', '/posts', { targets: [nobody], media: [nobody] })
    expect([answer.status, codes(answer)]).toEqual([422, ['/targets/0 unknown_id', '/media/0 unknown_id']])
    expect((await ann.must<{ data: Post[] }>('GET', '/posts?limit=100')).data).toHaveLength(before.data.length)
  })

  test('a platform means its only account; with several the response asks which one', async () => {
    const answer = await ann.call<Problem>('POST', '/posts', { caption: 'a', platforms: ['NET_PAGE'] })
    expect([answer.status, answer.body.code]).toEqual([422, 'ambiguous_target'])
    expect(answer.body.choices).toHaveLength(pages.length)
    const none = await ann.call<Problem>('POST', '/posts', { caption: 'a', platforms: ['NET_VIDEO'] })
    expect(codes(none)).toEqual(['/platforms/0 no_account'])
  })

  test('publishing now refuses every error; scheduling only lasting ones', async () => {
    const empty = await ann.call<Problem>('POST', '/posts', { caption: 'a', action: 'publish' })
    expect([empty.status, codes(empty)]).toEqual([422, ['/targets no_target']])
    const scheduled = await create({ caption: 'a', action: 'schedule', scheduledAt: tomorrow() })
    expect(scheduled.checks.map((each: Check) => each.code)).toEqual(['no_target'])
    const long = { caption: 'x'.repeat(63_207), targets: [target()], scheduledAt: tomorrow() }
    expect(codes(await ann.call<Problem>('POST', '/posts', long))).toEqual(['/caption text_too_long'])
    expect((await create({ ...long, action: 'draft' })).status).toBe('DRAFT')
  })

  test('scheduling at the same time again changes nothing', async () => {
    const scheduledAt = tomorrow()
    const post = await create({ caption: 'Twice', targets: [target()], action: 'schedule', scheduledAt })
    const again = await ann.must<Post>('POST', `/posts/${post.id}/schedule`, { scheduledAt })
    expect([again.status, again.version]).toEqual(['SCHEDULED', post.version])
    const { rows } = await sql.query(
      `select from audit_entry where action = 'post.scheduled' and object ->> 'postId' = $1`,
      [post.id],
    )
    expect(rows).toHaveLength(1)
  })

  test('an override is kept separate from the caption; a bare string is its caption, null inherits', async () => {
    const post = await create({
      caption: 'main',
      captionOverrides: { NET_PAGE: 'page only', NET_PHOTO: { cta: 'Bio' }, NET_VIDEO: null },
      hashtagOverrides: { NET_PAGE: [] },
    })
    expect(post).toMatchObject({
      caption: 'main',
      captionOverrides: { NET_PAGE: { caption: 'page only' }, NET_PHOTO: { cta: 'Bio' } },
      hashtagOverrides: { NET_PAGE: [] },
    })
    expect(Object.keys(post.captionOverrides)).toEqual(['NET_PAGE', 'NET_PHOTO'])
  })

  test('a disclosure sets which brands a video promotes', async () => {
    const privacyLevel = 'PUBLIC_TO_EVERYONE'
    const video = (options: object) => ({ NET_VIDEO: { privacyLevel, ...options } })
    const shown = (brandOrganic: boolean, brandContent: boolean) => video({ brandOrganic, brandContent })
    const post = await create({ caption: 'a', platformOptions: video({ disclosure: { brandContent: true } }) })
    expect(post.platformOptions).toEqual(shown(false, true))
    for (const [disclosure, organic] of [
      [true, true],
      [false, false],
      [null, false],
    ]) {
      const platformOptions = video({ brandContent: true, disclosure })
      const edited = await ann.must<Post>('PATCH', `/posts/${post.id}`, { platformOptions })
      expect(edited.platformOptions, String(disclosure)).toEqual(shown(organic === true, false))
    }
    const { platformOptions } = await ann.must<Post>('PATCH', `/posts/${post.id}`, {
      platformOptions: video({ brandOrganic: true }),
    })
    expect(platformOptions).toEqual(video({ brandOrganic: true }))
  })

  test('validating returns findings and previews and stores nothing', async () => {
    const answer = await ann.must<{ checks: Check[]; previews: { text: string; length: number }[] }>(
      'POST',
      '/posts/validate',
      {
        caption: 'Hi',
        hashtags: ['coffee'],
        targets: [target()],
      },
    )
    expect(answer).toMatchObject({ checks: [], previews: [{ text: 'Hi\n\n#coffee', length: 11 }] })
  })
})

describe('editing', () => {
  test('absent fields stay, null clears, and the version rises by one per real change', async () => {
    const post = await create({ caption: 'a', cta: 'Order', hashtags: ['x'] })
    const edited = await ann.must<Post>('PATCH', `/posts/${post.id}`, { caption: 'b', cta: null })
    expect(edited).toMatchObject({ caption: 'b', cta: '', hashtags: ['x'], version: 2 })
    expect(await ann.must<Post>('PATCH', `/posts/${post.id}`, { caption: 'b' })).toMatchObject({ version: 2 })
  })

  test('a whole post can be sent back; a changed read-only field and an unknown one are faults', async () => {
    const { id, checks } = await create({ caption: 'Sent back', targets: [target()] })
    // An equal text since then is a finding that is shown, but not stored with the post.
    await create({ caption: 'Sent back', targets: [target()], action: 'schedule', scheduledAt: tomorrow() })
    const post = await ann.must<Post>('GET', `/posts/${id}`)
    expect(post.checks.length).toBeGreaterThan(checks.length)
    expect(await ann.must<Post>('PATCH', `/posts/${id}`, post)).toMatchObject({ version: 1 })
    const changed = await ann.call<Problem>('PATCH', `/posts/${post.id}`, { status: 'PUBLISHED' })
    expect([changed.status, codes(changed)]).toEqual([422, ['/status read_only']])
    const unknown = await ann.call<Problem>('PATCH', `/posts/${post.id}`, { colour: 'red' })
    expect([unknown.status, codes(unknown)]).toEqual([422, ['/colour unknown_field']])
  })

  test('an edit of an old version is refused with the current one', async () => {
    const post = await create({ caption: 'a' })
    await ann.must('PATCH', `/posts/${post.id}`, { caption: 'b' }, { 'if-match': '"1"' })
    const stale = await ann.call<Problem>('PATCH', `/posts/${post.id}`, { caption: 'c' }, { 'if-match': '"1"' })
    expect([stale.status, stale.body.code, stale.body.current]).toEqual([412, 'stale_version', 2])
  })

  test('editing an override does not change the caption', async () => {
    const post = await create({ caption: 'main' })
    const edited = await ann.must<Post>('PATCH', `/posts/${post.id}`, { captionOverrides: { NET_PHOTO: 'other' } })
    expect(edited.caption).toBe('main')
  })

  test('a scheduled post is checked again, keeps its schedule, and moves with a new time', async () => {
    const post = await create({ caption: 'a', targets: [target()], scheduledAt: tomorrow() })
    const refused = await ann.call<Problem>('PATCH', `/posts/${post.id}`, { caption: 'x'.repeat(63_207) })
    expect([refused.status, codes(refused)]).toEqual([422, ['/caption text_too_long']])
    const later = new Date(Date.now() + 2 * 86_400_000).toISOString()
    const moved = await ann.must<Post>('PATCH', `/posts/${post.id}`, { scheduledAt: later })
    expect(moved).toMatchObject({ status: 'SCHEDULED', scheduledAt: later })
    expect(moved.publications[0]).toMatchObject({ dueAt: later, nextAttemptAt: later })
    const cleared = await ann.call<Problem>('PATCH', `/posts/${post.id}`, { scheduledAt: null })
    expect([cleared.status, codes(cleared)]).toEqual([422, ['/scheduledAt required']])
  })

  test('a target that is removed and added again is the same target', async () => {
    const post = await create({ caption: 'a', targets: [target(), pages[1]!.id] })
    const without = await ann.must<Post>('PATCH', `/posts/${post.id}`, { targets: [pages[1]!.id] })
    expect(without.targets).toEqual([pages[1]!.id])
    const again = await ann.must<Post>('PATCH', `/posts/${post.id}`, { targets: [target(), pages[1]!.id] })
    expect(again.targets).toEqual([target(), pages[1]!.id])
    expect(again.publications).toHaveLength(2)
  })
})

describe('acts', () => {
  test('a post can be scheduled, cancelled and scheduled again', async () => {
    const post = await create({ caption: 'a', targets: [target()] })
    const scheduled = await ann.must<Post>('POST', `/posts/${post.id}/schedule`, { scheduledAt: tomorrow() })
    expect(scheduled.status).toBe('SCHEDULED')
    const cancelled = await ann.must<Post>('POST', `/posts/${post.id}/unschedule`)
    expect(cancelled).toMatchObject({ status: 'DRAFT', scheduledAt: scheduled.scheduledAt })
    expect(cancelled.publications[0]).toMatchObject({ state: 'PENDING', dueAt: null, nextAttemptAt: null })
    expect((await ann.must<Post>('POST', `/posts/${post.id}/schedule`)).status).toBe('SCHEDULED')
  })

  test.each(['cancel', 'retry'])('%s of a draft is refused with the allowed acts', async (act) => {
    const post = await create({ caption: 'a' })
    const answer = await ann.call<Problem>('POST', `/posts/${post.id}/${act}`)
    expect([answer.status, answer.body.code, answer.body.current]).toEqual([409, 'invalid_state', 'DRAFT'])
    expect(answer.body.allowed).toContain('schedule')
  })

  test('a published post can only be duplicated and deleted', async () => {
    const post = await create({ caption: `live ${Date.now()}`, targets: [target()], action: 'publish' })
    const live = await untilStatus(ann, post.id, ['PUBLISHED'])
    expect(live.publications[0]).toMatchObject({ state: 'PUBLISHED', attempts: 1 })
    expect(live.publishedAt).toBe(live.publications[0]!.publishedAt)
    for (const [method, path, body] of [
      ['PATCH', '', { caption: 'other' }],
      ['POST', '/publish', {}],
      ['POST', '/schedule', { scheduledAt: tomorrow() }],
      ['POST', '/retry', {}],
    ] as const) {
      const answer = await ann.call<Problem>(method, `/posts/${post.id}${path}`, body)
      expect([path, answer.status, answer.body.code]).toEqual([path, 409, 'already_published'])
    }
    const copy = await ann.must<Post>('POST', `/posts/${post.id}/duplicate`)
    expect(copy).toMatchObject({ status: 'DRAFT', caption: live.caption, targets: live.targets, scheduledAt: null })
    const removed = await ann.call<{ liveOnNetworks: number }>('DELETE', `/posts/${post.id}`)
    expect([removed.status, removed.body.liveOnNetworks]).toEqual([200, 1])
  })

  test('a duplicate does not copy who sees a video and the agreement to the terms', async () => {
    const NET_VIDEO = { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true, allowDuet: true }
    const post = await create({ caption: 'a', platformOptions: { NET_VIDEO, NET_PAGE: { kind: 'reel' } } })
    const copy = await ann.must<Post>('POST', `/posts/${post.id}/duplicate`)
    expect(copy.platformOptions).toEqual({ NET_VIDEO: { allowDuet: true }, NET_PAGE: { kind: 'reel' } })
  })

  test('a deleted post disappears until restored; a scheduled one returns as a draft', async () => {
    const post = await create({ caption: 'a', targets: [target()], scheduledAt: tomorrow() })
    expect((await ann.call('DELETE', `/posts/${post.id}`)).status).toBe(204)
    expect((await ann.call('GET', `/posts/${post.id}`)).status).toBe(404)
    const back = await ann.must<Post>('POST', `/posts/${post.id}/restore`)
    expect(back).toMatchObject({ status: 'DRAFT', deletedAt: null })
    expect(back.publications[0]).toMatchObject({ nextAttemptAt: null })
    expect((await ann.call('POST', `/posts/${post.id}/restore`)).status).toBe(404)
  })

  test('each new post costs one unit of the quota, whatever happens to it; a refused one costs none', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const { body } = await bob.call<Post>('POST', '/posts', { caption: 'a' })
    await bob.must('POST', `/posts/${body.id}/duplicate`)
    await bob.call('POST', '/posts', { caption: 'a', action: 'publish' })
    await bob.call('DELETE', `/posts/${body.id}`)
    expect(await used(bob)).toBe(2)
  })
})

async function used(person: Person): Promise<number> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ used: string }>(
      "select used from workspace_usage where workspace_id = $1 and quota_id = 'posts'",
      [person.workspaceId],
    )
    return Number(rows[0]?.used)
  } finally {
    await client.end()
  }
}

describe('lists', () => {
  test('pages follow each other without gaps or duplicates, newest first', async () => {
    const cy = await newPerson(product.url, 'Cy')
    const made: string[] = []
    for (let i = 0; i < 7; i += 1) made.push((await cy.must<Post>('POST', '/posts', { caption: `n${i}` })).id)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { data: Post[]; nextCursor: string | null } = await cy.must(
        'GET',
        `/posts?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
      )
      seen.push(...page.data.map((post) => post.id))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(made.toReversed())
  })

  test('filters by status, text and time; from and to are half-open', async () => {
    const dee = await newPerson(product.url, 'Dee')
    const at = tomorrow()
    await dee.must('POST', '/posts', { caption: 'Latte 100%', scheduledAt: at })
    await dee.must('POST', '/posts', { caption: 'Mocha' })
    const count = async (query: string) => (await dee.must<{ data: Post[] }>('GET', `/posts?${query}`)).data.length
    expect(await count('status=SCHEDULED')).toBe(1)
    expect(await count('status=SCHEDULED,DRAFT')).toBe(2)
    expect(await count('text=latte')).toBe(1)
    expect(await count('text=100%25')).toBe(1)
    expect(await count('text=%25')).toBe(1)
    expect(await count(`from=${at}`)).toBe(1)
    expect(await count(`to=${at}`)).toBe(1)
    expect((await dee.call('GET', '/posts?limit=101')).status).toBe(422)
    expect((await dee.call('GET', '/posts?status=LOST')).status).toBe(422)
  })

  test('filters by the state of the latest approval request', async () => {
    const ada = await newPerson(product.url, 'Ada')
    const [account] = await connectPages(ada)
    const write = (caption: string, action: string) =>
      ada.must<Post>('POST', '/posts', { caption, action, targets: [account!.id] })
    await write('Unasked', 'draft')
    const waits = await write('Waits', 'submit')
    const again = await write('Asked again', 'submit')
    for (const [path, body] of [
      [`/posts/${again.id}/reject`, { reason: 'Shorter' }],
      [`/posts/${again.id}/submit`, undefined],
    ] as const)
      await ada.must('POST', path, body)
    const back = await write('Sent back', 'submit')
    await ada.must('POST', `/posts/${back.id}/reject`, { reason: 'Longer' })
    const found = async (query: string) =>
      (await ada.must<{ data: Post[] }>('GET', `/posts?${query}`)).data.map(({ caption }) => caption)
    expect(await found('status=DRAFT&approval=PENDING')).toEqual(['Asked again', 'Waits'])
    expect(await found('approval=REJECTED')).toEqual(['Sent back'])
    await ada.must('POST', `/approvals/${waits.approval!.id}/withdraw`)
    expect(await found('approval=PENDING')).toEqual(['Asked again'])
    expect((await ada.call('GET', '/posts?approval=LOST')).status).toBe(422)
  })

  test('the calendar shows the posts between two times, in order', async () => {
    const eve = await newPerson(product.url, 'Eve')
    const day = 86_400_000
    const at = (days: number) => new Date(Date.now() + days * day).toISOString()
    await eve.must('POST', '/posts', { caption: 'second', scheduledAt: at(2) })
    await eve.must('POST', '/posts', { caption: 'first', scheduledAt: at(1) })
    const page = await eve.must<{ data: { caption: string; problems: number }[] }>(
      'GET',
      `/scheduler/calendar?from=${at(0)}&to=${at(10)}`,
    )
    expect(page.data).toMatchObject([
      { caption: 'first', problems: 1 },
      { caption: 'second', problems: 1 },
    ])
    expect((await eve.call('GET', `/scheduler/calendar?from=${at(0)}&to=${at(101)}`)).status).toBe(422)
  })

  test('a draft without a time is in the list, not in the calendar', async () => {
    const kim = await newPerson(product.url, 'Kim')
    const { id } = await kim.must<Post>('POST', '/posts', { caption: 'Some day' })
    const span = `from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${tomorrow()}`
    expect((await kim.must<{ data: Post[] }>('GET', `/posts?${span}`)).data).toMatchObject([{ id }])
    expect((await kim.must<{ data: Post[] }>('GET', `/scheduler/calendar?${span}`)).data).toEqual([])
  })

  test('a post published ahead of its time leaves the schedule and happens when it went live', async () => {
    const lou = await newPerson(product.url, 'Lou')
    const [page] = await connectPages(lou)
    const made = await lou.must<Post>('POST', '/posts', {
      caption: 'Now',
      targets: [page!.id],
      scheduledAt: tomorrow(),
    })
    await lou.must('POST', `/posts/${made.id}/publish`)
    const post = await untilStatus(lou, made.id, ['PUBLISHED'])
    expect(post).toMatchObject({ scheduledAt: null, happensAt: post.publishedAt })
    const span = `from=${made.createdAt}&to=${new Date(Date.now() + 3_600_000).toISOString()}`
    const { data } = await lou.must<{ data: Post[] }>('GET', `/scheduler/calendar?${span}`)
    expect(data).toMatchObject([{ id: made.id, happensAt: post.publishedAt }])
  })

  test('list and calendar have the same filters: status, network, account and text', async () => {
    const fay = await newPerson(product.url, 'Fay')
    const [first, second] = await connectPages(fay)
    const scheduledAt = tomorrow()
    await fay.must('POST', '/posts', { caption: 'Latte', targets: [first!.id], scheduledAt })
    await fay.must('POST', '/posts', { caption: 'Mocha', targets: [second!.id], scheduledAt })
    await fay.must('POST', '/posts', { caption: 'Flat white', scheduledAt, action: 'draft' })
    const to = new Date(Date.now() + 2 * 86_400_000).toISOString()
    const captions = async (path: string) =>
      (await fay.must<{ data: { caption: string; scheduledAt: string }[] }>('GET', path)).data
        .map((each) => each.caption)
        .toSorted()
    for (const [filter, found] of [
      ['', ['Flat white', 'Latte', 'Mocha']],
      ['&status=DRAFT', ['Flat white']],
      ['&platform=NET_PAGE', ['Latte', 'Mocha']],
      ['&platform=NET_VIDEO', []],
      [`&accountId=${second!.id}`, ['Mocha']],
      ['&text=LAT', ['Flat white', 'Latte']],
      [`&text=LAT&accountId=${first!.id}&status=SCHEDULED`, ['Latte']],
    ] as const) {
      expect(await captions(`/posts?limit=100${filter}`), filter).toEqual(found)
      expect(await captions(`/scheduler/calendar?from=${scheduledAt}&to=${to}${filter}`), filter).toEqual(found)
    }
    expect((await fay.call('GET', '/posts?accountId=none')).status).toBe(422)
  })
})
