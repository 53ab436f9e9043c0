import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import type { AuditEntry } from '../../team/audit/api.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { addJob } from '../../../test/jobs.ts'
import {
  type Answer,
  asPerson,
  call,
  connectPages,
  eventually,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
  untilWaitedFor,
} from '../../../test/world.ts'
import type { Approval, Post } from '../posts/api.ts'
import type { Comment, DecidedApproval, ListedApproval, PostVersion, Review, ReviewLink } from './api.ts'

const { product, sql } = useProduct({ env: FAST })
let owner: Person
let editor: Person
let admin: Person
let client: Person
let viewer: Person
let page: SocialAccount
let sandboxPerson = 40

const LATER = '2099-05-05T09:00:00.000Z'

/** The same people join the new workspace of each test. */
const members: Person[] = []
beforeAll(async () => {
  for (const name of ['Adam', 'Eve', 'Vic', 'Cleo']) members.push(await newPerson(product.url, name))
})

beforeEach(async () => {
  owner = await newPerson(product.url, 'Olga')
  page = (await connectPages(owner, `u${(sandboxPerson += 1)}`))[0]!
  const [adam, eve, vic, cleo] = members as [Person, Person, Person, Person]
  admin = await join('ADMIN', adam)
  editor = await join('EDITOR', eve)
  viewer = await join('VIEWER', vic)
  client = await join('CLIENT', cleo)
  // A person sees the notices of all workspaces.
  await sql.query('delete from notification where user_id = any ($1)', [members.map(({ session }) => session.user.id)])
})

async function join(role: Role, { session }: Person): Promise<Person> {
  await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [
    owner.workspaceId,
    session.user.id,
    role,
  ])
  return asPerson(product.url, session, owner.workspaceId)
}

const demand = (approvalMode: string) =>
  owner.must('PATCH', `/api/v1/workspaces/${owner.workspaceId}`, { approvalMode })
const told = ({ status, body }: Answer) => [status, (body as Problem).code]
let texts = 0
const write = (more: object = {}, by = editor) =>
  by.must<Post>('POST', '/posts', { caption: `Text ${(texts += 1)}`, targets: [page.id], ...more })
const submit = (more: object = { scheduledAt: LATER }) => write({ action: 'submit', ...more })
const get = (id: string) => owner.must<Post>('GET', `/posts/${id}`)
const state = async (id: string) => {
  const { status, approved, approval } = await get(id)
  return [status, approved, approval?.state]
}
const notices = async (person: Person, kind: string) => {
  const { data } = await person.must<{ data: { kind: string; data: Record<string, unknown> }[] }>(
    'GET',
    '/api/v1/notifications',
  )
  return data.filter((notice) => notice.kind === kind).map((notice) => notice.data)
}

/** A time in the near future, which has passed once the clock is moved ahead by some minutes. */
const soon = () => ({ scheduledAt: new Date(Date.now() + 60_000).toISOString() })
const submitSoon = () => submit(soon())

/** Moves the clock and waits until the product uses the new time. */
async function setClock(minutes: number): Promise<void> {
  await sql.query('update app_clock set shift = make_interval(mins => $1)', [minutes])
  await eventually(async () => {
    const { status } = await owner.call('POST', '/posts/validate', { action: 'schedule', ...soon() })
    return status === (minutes > 0 ? 422 : 200)
  })
}

/** Acts while the clock is ahead. Afterwards, times that passed meanwhile are moved into the real past. */
async function afterTheirTime<T>(act: () => Promise<T>): Promise<T> {
  try {
    await setClock(5)
    return await act()
  } finally {
    await sql.query(`update post set scheduled_at = scheduled_at - interval '5 minutes' where scheduled_at < app_now()`)
    await setClock(0)
  }
}

const tooLate = {
  severity: 'warning',
  target: null,
  platform: null,
  field: '/scheduledAt',
  code: 'time_passed',
  limit: null,
  value: null,
  message: 'Approved, but its scheduled time has passed.',
  fix: 'Choose a new time.',
}

/** The posts in the list that have the finding `time_passed`. */
async function listed() {
  const { data } = await owner.must<{ data: Post[] }>('GET', '/posts')
  return data.filter(({ checks }) => checks.some(({ code }) => code === tooLate.code)).map(({ id }) => id)
}

describe('an approval request', () => {
  test('when approved schedules a post with a time, leaves others as drafts, or publishes at once if it asks to', async () => {
    const timed = await submit()
    expect([timed.status, timed.approval?.state, timed.approval?.asks]).toEqual([
      'DRAFT',
      'PENDING',
      { act: 'schedule', client: true },
    ])
    const approved = await admin.must<Approval>('POST', `/approvals/${timed.approval!.id}/approve`)
    expect([approved.state, approved.decidedBy]).toEqual(['APPROVED', { id: admin.session.user.id, name: 'Adam' }])
    expect(await state(timed.id)).toEqual(['SCHEDULED', true, 'APPROVED'])

    const untimed = await submit({})
    await admin.must('POST', `/posts/${untimed.id}/approve`)
    expect(await state(untimed.id)).toEqual(['DRAFT', true, 'APPROVED'])

    const atOnce = await submit({ onApproval: 'publish' })
    expect(atOnce.approval?.asks).toEqual({ act: 'publish', client: false })
    await admin.must('POST', `/approvals/${atOnce.approval!.id}/approve`)
    await untilStatus(owner, atOnce.id, ['PUBLISHED'])
  })

  test('to a client is refused for a post without a time', async () => {
    const post = await owner.must<Post>('POST', '/posts', { caption: 'At once' })
    for (const onApproval of ['publish', 'draft']) {
      const answer = await owner.call<Problem>('POST', `/posts/${post.id}/submit`, { onApproval, client: true })
      expect([answer.status, answer.body.errors?.map(({ path, code }) => [path, code])]).toEqual([
        422,
        [['/client', 'needs_time']],
      ])
    }
    expect((await owner.must<Post>('GET', `/posts/${post.id}`)).approval).toBeNull()
  })

  test('asks the client about a post with a time, even if approval leaves it a draft, but not about publishing at once', async () => {
    const asked = await submit({ scheduledAt: LATER, onApproval: 'draft', client: true })
    expect(asked.approval?.asks).toEqual({ act: 'draft', client: true })
    const { data } = await client.must<{ data: { postId: string; waitsForCaller: boolean }[] }>(
      'GET',
      '/approvals?state=PENDING',
    )
    expect(data.find(({ postId }) => postId === asked.id)).toMatchObject({ waitsForCaller: true })
    await client.must('POST', `/posts/${asked.id}/approve`)
    expect(await state(asked.id)).toEqual(['DRAFT', true, 'APPROVED'])
    const atOnce = { scheduledAt: LATER, onApproval: 'publish', action: 'submit' }
    const refused = await editor.call<Problem>('POST', '/posts', {
      caption: 'Now',
      targets: [page.id],
      ...atOnce,
      client: true,
    })
    expect([refused.status, refused.body.errors?.map(({ code }) => code)]).toEqual([422, ['needs_time']])
  })

  test('leaves the post a draft when rejected with a reason; a rejection without a reason decides nothing', async () => {
    const post = await submit()
    expect(told(await admin.call('POST', `/approvals/${post.approval!.id}/reject`, {}))).toEqual([
      422,
      'validation_failed',
    ])
    await admin.must('POST', `/approvals/${post.approval!.id}/reject`, { reason: 'Softer, please' })
    expect(await state(post.id)).toEqual(['DRAFT', false, 'REJECTED'])
    expect((await get(post.id)).approval?.reason).toBe('Softer, please')
    expect(await notices(editor, 'approval_decided')).toMatchObject([
      { state: 'REJECTED', by: 'Adam', reason: 'Softer, please' },
    ])
  })

  test('waits for nobody once decided or withdrawn: its notices say so and count as read', async () => {
    const unread = async (person: Person) => {
      type Notices = { data: { kind: string; data: Record<string, unknown> }[] }
      const { data } = await person.must<Notices>('GET', '/api/v1/notifications?unread=true&limit=100')
      return data.filter(({ kind }) => kind === 'approval_requested').map((notice) => notice.data['postId'])
    }
    const of = async (person: Person, { id }: Post) =>
      (await notices(person, 'approval_requested')).filter(({ postId }) => postId === id)
    const [approved, rejected, edited, byAct] = [await submit(), await submit(), await submit(), await submit()]
    expect(await unread(owner)).toEqual(expect.arrayContaining([approved.id, rejected.id, edited.id, byAct.id]))
    await admin.must('POST', `/approvals/${approved.approval!.id}/approve`)
    await client.must('POST', `/approvals/${rejected.approval!.id}/reject`, { reason: 'Softer, please' })
    await editor.must('PATCH', `/posts/${edited.id}`, { caption: 'Edited meanwhile' })
    await admin.must('POST', `/posts/${byAct.id}/schedule`, { scheduledAt: LATER })
    for (const person of [owner, admin, client]) {
      expect(await of(person, approved)).toMatchObject([{ ended: 'APPROVED', by: 'Adam' }])
      expect(await of(person, rejected)).toMatchObject([{ ended: 'REJECTED', by: 'Cleo' }])
      expect(await of(person, edited)).toMatchObject([{ ended: 'WITHDRAWN', by: '' }])
      expect(await of(person, byAct)).toMatchObject([{ ended: 'APPROVED', by: 'Adam' }])
    }
    const ended = [approved, rejected, edited, byAct].map(({ id }) => id)
    expect((await unread(owner)).filter((id) => ended.includes(String(id)))).toEqual([])
    // A new request is unread again.
    const { approval } = await editor.must<Post>('POST', `/posts/${edited.id}/submit`, { client: true })
    expect(await unread(owner)).toContain(edited.id)
    await admin.must('POST', `/approvals/${approval!.id}/approve`)
    expect((await of(owner, edited)).map((notice) => notice['ended'])).toEqual(['APPROVED', 'WITHDRAWN'])
  })

  test('is decided once: of twenty simultaneous decisions one wins', async () => {
    const post = await submit()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? admin.call('POST', `/approvals/${post.approval!.id}/approve`)
          : owner.call('POST', `/approvals/${post.approval!.id}/reject`, { reason: 'No' }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map((answer) => told(answer).join(' ')))).toEqual(
      new Set(['409 invalid_state']),
    )
  })

  test('ends when the post is edited, since reviewers did not see what would go out', async () => {
    const pending = await submit()
    await editor.must('PATCH', `/posts/${pending.id}`, { caption: 'Other words' })
    expect(await state(pending.id)).toEqual(['DRAFT', false, 'WITHDRAWN'])
    expect(told(await admin.call('POST', `/approvals/${pending.approval!.id}/approve`))).toEqual([409, 'invalid_state'])

    const approved = await submit({})
    await admin.must('POST', `/approvals/${approved.approval!.id}/approve`)
    await editor.must('PATCH', `/posts/${approved.id}`, { caption: 'Sneaked in' })
    expect(await state(approved.id)).toEqual(['DRAFT', false, 'WITHDRAWN'])
  })

  test('can be withdrawn by its author or an ADMIN, not by another EDITOR', async () => {
    const other = await join('EDITOR', await newPerson(product.url, 'Emil'))
    const post = await submit()
    expect(told(await other.call('POST', `/approvals/${post.approval!.id}/withdraw`))).toEqual([403, 'role_required'])
    await editor.must('POST', `/approvals/${post.approval!.id}/withdraw`)
    expect(await state(post.id)).toEqual(['DRAFT', false, 'WITHDRAWN'])
    const again = await editor.must<Post>('POST', `/posts/${post.id}/submit`)
    await admin.must('POST', `/approvals/${again.approval!.id}/withdraw`)
    expect(await state(post.id)).toEqual(['DRAFT', false, 'WITHDRAWN'])
  })

  test('can be withdrawn while the post is edited: neither act is refused', async () => {
    const post = await submit()
    const waiting = (count: number) =>
      eventually(async () => {
        const { rowCount } = await sql.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return (rowCount ?? 0) >= count
      })
    const holder = await sql.connect()
    try {
      await holder.query('begin')
      await holder.query('select from approval_request where id = $1 for update', [post.approval!.id])
      const withdrawn = editor.call<Approval>('POST', `/approvals/${post.approval!.id}/withdraw`)
      await untilWaitedFor(sql, holder)
      const edited = editor.call('PATCH', `/posts/${post.id}`, { caption: 'Edited meanwhile' })
      await waiting(2)
      await holder.query('commit')
      expect([(await withdrawn).status, (await edited).status]).toEqual([200, 200])
    } finally {
      holder.release(true)
    }
    expect(await state(post.id)).toEqual(['DRAFT', false, 'WITHDRAWN'])
    expect((await get(post.id)).caption).toBe('Edited meanwhile')
  })

  test('can only be made for a draft, and only one at a time', async () => {
    const post = await submit()
    expect(told(await editor.call('POST', `/posts/${post.id}/submit`))).toEqual([409, 'invalid_state'])
    const scheduled = await write({ action: 'schedule', scheduledAt: LATER })
    expect(told(await editor.call('POST', `/posts/${scheduled.id}/submit`))).toEqual([409, 'invalid_state'])
  })

  test('approved after its time leaves a draft, with a finding until a new time is chosen', async () => {
    const [moved, sent, emptied] = await Promise.all([submitSoon(), submitSoon(), submitSoon()])
    const answers = await afterTheirTime(async () => {
      const approve = (by: Person, post: Post) =>
        by.must<DecidedApproval>('POST', `/approvals/${post.approval!.id}/approve`)
      const decided = [await approve(admin, moved), await approve(admin, sent)]
      return [...decided.map(({ post }) => post), await client.must<Post>('POST', `/posts/${emptied.id}/approve`)]
    })
    for (const post of answers) {
      expect([post.status, post.approved, post.checks]).toEqual(['DRAFT', true, [tooLate]])
      expect((await get(post.id)).checks).toEqual([tooLate])
    }
    expect((await listed()).toSorted()).toEqual([moved.id, sent.id, emptied.id].toSorted())
    const saying = (post: Post, by: string) => ({
      postId: post.id,
      state: 'APPROVED',
      by,
      status: 'DRAFT',
      timePassed: true,
    })
    expect(await notices(editor, 'approval_decided')).toMatchObject([
      saying(emptied, 'Cleo'),
      saying(sent, 'Adam'),
      saying(moved, 'Adam'),
    ])
    expect(await notices(admin, 'approval_decided')).toMatchObject([saying(sent, 'Adam'), saying(moved, 'Adam')])

    await demand('required')
    await editor.must('POST', `/posts/${moved.id}/schedule`, { scheduledAt: LATER })
    expect(await state(moved.id)).toEqual(['SCHEDULED', true, 'APPROVED'])
    // Sending the finding back as it was read is not a change.
    const { checks, version } = await get(emptied.id)
    await editor.must('PATCH', `/posts/${emptied.id}`, { checks, version, scheduledAt: null })
    await editor.must('POST', `/posts/${sent.id}/publish`)
    for (const post of [moved, sent, emptied]) expect((await get(post.id)).checks).toEqual([])
    expect(await listed()).toEqual([])
    await untilStatus(owner, sent.id, ['PUBLISHED'])
  })

  test('approved in time leaves no finding, and neither does an unapproved draft whose time has passed', async () => {
    const [intime, asked, draft] = await Promise.all([
      submitSoon(),
      submitSoon(),
      write({ action: 'draft', ...soon() }),
    ])
    const approved = await admin.must<DecidedApproval>('POST', `/approvals/${intime.approval!.id}/approve`)
    expect([approved.post.status, approved.post.checks]).toEqual(['SCHEDULED', []])
    // The owner approved this post by scheduling it, then took it back. There was never a request.
    const own = await write({ action: 'schedule', ...soon() }, owner)
    await owner.must('POST', `/posts/${own.id}/cancel`)
    await afterTheirTime(() => untilStatus(owner, intime.id, ['PUBLISHED']))
    await Promise.all([asked, draft, own].map(async ({ id }) => expect((await get(id)).checks).toEqual([])))
    expect(await listed()).toEqual([])
    expect(await notices(admin, 'approval_decided')).toEqual([])
  })

  test('notifies those who can decide, not the requester, and reminds them later', async () => {
    const post = await submit()
    expect(await notices(admin, 'approval_requested')).toMatchObject([{ postId: post.id }])
    expect(await notices(client, 'approval_requested')).toMatchObject([{ postId: post.id }])
    expect(await notices(editor, 'approval_requested')).toEqual([])
    await sql.query(`update approval_request set created_at = created_at - interval '3 days' where id = $1`, [
      post.approval!.id,
    ])
    await sql.query(
      `update graphile_worker._private_jobs set run_at = now() where payload -> 'data' ->> 'approvalId' = $1`,
      [post.approval!.id],
    )
    const reminded = await eventually(async () => {
      const all = await notices(admin, 'approval_requested')
      return all.length > 1 && all
    })
    expect(reminded).toMatchObject([{ postId: post.id, days: 3 }, { postId: post.id }])
  })

  test('reminds people once even if its job runs twice, and goes on with one job', async () => {
    const post = await submit()
    const approvalId = post.approval!.id
    await sql.query(`update approval_request set created_at = app_now() - interval '73 hours' where id = $1`, [
      approvalId,
    ])
    // Jobs of an older version have no key, so nothing replaces them.
    const { workspaceId } = owner
    for (let run = 0; run < 2; run += 1) await addJob(sql, 'approval-reminder', { approvalId }, { workspaceId })
    const waiting = await eventually(async () => {
      const { rows } = await sql.query<{ isWaiting: boolean; hours: number }>(
        `select run_at > now() and locked_at is null as "isWaiting",
            round(extract(epoch from run_at - now()) / 3600)::int as hours
          from graphile_worker._private_jobs where payload -> 'data' ->> 'approvalId' = $1`,
        [approvalId],
      )
      return rows.every(({ isWaiting }) => isWaiting) && rows
    })
    expect(await notices(admin, 'approval_requested')).toMatchObject([
      { postId: post.id, days: 3 },
      { postId: post.id },
    ])
    expect(waiting).toEqual([{ isWaiting: true, hours: 71 }])
  })

  test('lists the people it waits for', async () => {
    const timed = await submit()
    const atOnce = await submit({ onApproval: 'publish' })
    const { data } = await viewer.must<{ data: ListedApproval[] }>('GET', '/approvals?state=PENDING')
    expect(data.map(({ postId, waitsFor, mayDecideToo }) => [postId, waitsFor, mayDecideToo])).toEqual([
      [atOnce.id, ['Olga', 'Adam'], []],
      [timed.id, ['Cleo'], ['Olga', 'Adam']],
    ])
    const nameless = await join('CLIENT', await newPerson(product.url, 'Nameless'))
    await sql.query(`update app_user set name = '' where id = $1`, [nameless.session.user.id])
    const [ofClient] = (await client.must<{ data: ListedApproval[] }>('GET', '/approvals?state=PENDING')).data
    expect([ofClient?.postId, ofClient?.waitsFor, ofClient?.mayDecideToo]).toEqual([timed.id, ['Cleo'], []])
    const ofCaller = async (person: Person) => {
      const { data: listed } = await person.must<{ data: ListedApproval[] }>('GET', '/approvals?state=PENDING')
      return listed.filter(({ waitsForCaller }) => waitsForCaller).map(({ postId }) => postId)
    }
    expect(await Promise.all([admin, client, editor, viewer].map(ofCaller))).toEqual([[atOnce.id], [timed.id], [], []])
    // In a workspace without a client, a request waits for the admins, except for the one who made it.
    const alone = await newPerson(product.url, 'Ines')
    const [page] = await connectPages(alone, 'u52')
    const more = { targets: [page!.id], scheduledAt: LATER, action: 'submit' }
    await alone.must('POST', '/posts', { caption: 'For a client who gets a link', ...more })
    expect(await ofCaller(alone)).toEqual([])
    await alone.must('POST', '/posts', { caption: 'For me', ...more, client: false })
    expect(await ofCaller(alone)).toHaveLength(1)
    await alone.must('POST', '/posts', { caption: 'For the client, and newest', ...more })
    // Requests that wait for the reader come first, across all pages.
    type Listed = { data: ListedApproval[]; nextCursor: string | null }
    const first = await alone.must<Listed>('GET', '/approvals?state=PENDING&limit=1')
    const rest = await alone.must<Listed>('GET', `/approvals?state=PENDING&limit=2&cursor=${first.nextCursor}`)
    expect([...first.data, ...rest.data].map(({ post }) => post.caption)).toEqual([
      'For me',
      'For the client, and newest',
      'For a client who gets a link',
    ])
  })
})

describe('permission to decide', () => {
  test('an EDITOR or VIEWER decides nothing; a CLIENT decides posts with a time', async () => {
    const timed = await submit()
    for (const person of [editor, viewer]) {
      expect(told(await person.call('POST', `/posts/${timed.id}/approve`))).toEqual([403, 'role_required'])
    }
    const atOnce = await submit({ onApproval: 'publish' })
    expect(told(await client.call('POST', `/posts/${atOnce.id}/approve`))).toEqual([404, 'not_found'])
    expect(told(await client.call('POST', `/approvals/${atOnce.approval!.id}/approve`))).toEqual([404, 'not_found'])
    const shown = await client.must<Post>('POST', `/posts/${timed.id}/approve`)
    expect([shown.status, shown.checks, shown.createdBy]).toEqual(['SCHEDULED', [], { id: null, name: 'Eve' }])
  })

  test('a CLIENT sees only the drafts that wait for a client', async () => {
    const asked = await submit()
    await submit({ scheduledAt: LATER, client: false })
    await write()
    const { data } = await client.must<{ data: Post[] }>('GET', '/posts')
    expect(data.map(({ id }) => id)).toEqual([asked.id])
    const listed = await client.must<{ data: ListedApproval[] }>('GET', '/approvals')
    expect(listed.data.map(({ postId }) => postId)).toEqual([asked.id])
    await client.must('POST', `/posts/${asked.id}/reject`, { reason: 'Not our blue' })
    expect(told(await client.call('GET', `/posts/${asked.id}`))).toEqual([404, 'not_found'])
  })

  test('a CLIENT is told nothing of a post whose request is withdrawn while they decide', async () => {
    const holder = await sql.connect()
    try {
      for (const path of ['posts', 'approvals']) {
        const post = await submit()
        await holder.query('begin')
        await holder.query('select from post where id = $1 for update', [post.id])
        const id = path === 'posts' ? post.id : post.approval!.id
        const decided = client.call('POST', `/${path}/${id}/approve`)
        await untilWaitedFor(sql, holder)
        await holder.query(
          `update approval_request set state = 'WITHDRAWN', decided_at = app_now() where post_id = $1`,
          [post.id],
        )
        await holder.query('commit')
        expect(told(await decided)).toEqual([404, 'not_found'])
      }
    } finally {
      holder.release(true)
    }
  })

  test('a scheduled post can be approved, or rejected back to a draft, without a request', async () => {
    const first = await write({ action: 'schedule', scheduledAt: LATER })
    await client.must('POST', `/posts/${first.id}/approve`)
    expect(await state(first.id)).toEqual(['SCHEDULED', true, 'APPROVED'])
    const second = await write({ action: 'schedule', scheduledAt: LATER })
    await client.must('POST', `/posts/${second.id}/reject`, { reason: 'Another day' })
    expect(await state(second.id)).toEqual(['DRAFT', false, 'REJECTED'])
    const { rows } = await sql.query('select next_at, due_at from publication where post_id = $1', [second.id])
    expect(rows).toEqual([{ next_at: null, due_at: null }])
  })

  test('a draft without a request, or one that is already decided, cannot be decided', async () => {
    const unasked = await write()
    const decided = await submit({})
    await admin.must('POST', `/posts/${decided.id}/approve`)
    for (const { id } of [unasked, decided]) {
      expect(told(await admin.call('POST', `/posts/${id}/approve`))).toEqual([409, 'invalid_state'])
      expect(told(await admin.call('POST', `/posts/${id}/reject`, { reason: 'No' }))).toEqual([409, 'invalid_state'])
    }
    expect(await state(unasked.id)).toEqual(['DRAFT', false, undefined])
    expect(await state(decided.id)).toEqual(['DRAFT', true, 'APPROVED'])
  })

  test('a plan without the feature has no approvals', async () => {
    await sql.query(`update subscription set plan_id = 'free' where workspace_id = $1`, [owner.workspaceId])
    expect(told(await editor.call('POST', '/posts', { caption: 'x', action: 'submit' }))).toEqual([
      402,
      'feature_not_in_plan',
    ])
    expect(
      told(await owner.call('PATCH', `/api/v1/workspaces/${owner.workspaceId}`, { approvalMode: 'required' })),
    ).toEqual([402, 'feature_not_in_plan'])
  })
})

describe('a workspace that requires approval', () => {
  test('refuses to let an EDITOR schedule, publish or retry an unapproved post; an ADMIN approves by doing so', async () => {
    await demand('required')
    const draft = await write()
    for (const [path, body] of [
      [`/posts/${draft.id}/schedule`, { scheduledAt: LATER }],
      [`/posts/${draft.id}/publish`, {}],
      ['/posts', { caption: 'x', targets: [page.id], action: 'publish' }],
      ['/posts', { caption: 'x', targets: [page.id], scheduledAt: LATER }],
    ] as const) {
      expect(told(await editor.call('POST', path, body))).toEqual([403, 'role_required'])
    }
    await admin.must('POST', `/posts/${draft.id}/schedule`, { scheduledAt: LATER })
    expect(await state(draft.id)).toEqual(['SCHEDULED', true, undefined])
  })

  test('lets only an ADMIN publish a scheduled post before its time, since its time is approved too', async () => {
    await demand('required')
    const post = await submit()
    await admin.must('POST', `/approvals/${post.approval!.id}/approve`)
    expect(told(await editor.call('POST', `/posts/${post.id}/publish`))).toEqual([403, 'role_required'])
    expect(await state(post.id)).toEqual(['SCHEDULED', true, 'APPROVED'])
    await admin.must('POST', `/posts/${post.id}/publish`)
    await untilStatus(owner, post.id, ['PUBLISHED'])
  })

  test('sends a scheduled post back for approval when an EDITOR edits, moves, cancels, or deletes and restores it', async () => {
    await demand('required')
    const scheduled = async () => {
      const post = await submit()
      await admin.must('POST', `/approvals/${post.approval!.id}/approve`)
      expect((await get(post.id)).status).toBe('SCHEDULED')
      return post.id
    }
    const edited = await scheduled()
    await editor.must('PATCH', `/posts/${edited}`, { caption: 'Changed after all' })
    expect(await state(edited)).toEqual(['DRAFT', false, 'WITHDRAWN'])
    const moved = await scheduled()
    await editor.must('POST', `/posts/${moved}/schedule`, { scheduledAt: '2099-06-06T09:00:00Z' })
    expect(await state(moved)).toEqual(['DRAFT', false, 'WITHDRAWN'])
    const cancelled = await scheduled()
    await editor.must('POST', `/posts/${cancelled}/cancel`)
    expect(told(await editor.call('POST', `/posts/${cancelled}/schedule`, {}))).toEqual([403, 'role_required'])
    const deleted = await scheduled()
    await editor.must('DELETE', `/posts/${deleted}`)
    await editor.must('POST', `/posts/${deleted}/restore`)
    expect(await state(deleted)).toEqual(['DRAFT', false, 'WITHDRAWN'])
    expect(told(await editor.call('POST', `/posts/${deleted}/schedule`, {}))).toEqual([403, 'role_required'])
    const byAdmin = await scheduled()
    await admin.must('PATCH', `/posts/${byAdmin}`, { caption: 'An admin may' })
    expect(await state(byAdmin)).toEqual(['SCHEDULED', true, 'WITHDRAWN'])
    await demand('required_with_client')
    await admin.must('PATCH', `/posts/${byAdmin}`, { caption: 'The client has not seen this' })
    expect(await state(byAdmin)).toEqual(['DRAFT', false, 'WITHDRAWN'])
  })

  test('shows a scheduled post as sound again as soon as it is approved', async () => {
    await demand('optional')
    const post = await write({ action: 'schedule', scheduledAt: LATER })
    const stored = async () => {
      const { data } = await owner.must<{ data: Post[] }>('GET', '/posts')
      return data.find(({ id }) => id === post.id)?.checks.map(({ code }) => code)
    }
    await demand('required')
    await eventually(async () => (await stored())?.includes('approval_outstanding'))
    await admin.must('POST', `/posts/${post.id}/approve`)
    await eventually(async () => (await stored())?.includes('approval_outstanding') === false)
  })

  test('shows that an already scheduled post lacks approval, and fails it at its time with that reason', async () => {
    const post = await write({ action: 'schedule', scheduledAt: LATER })
    await demand('required')
    await eventually(async () => {
      const { data } = await owner.must<{ data: Post[] }>('GET', '/posts')
      return data.find(({ id }) => id === post.id)?.checks.some(({ code }) => code === 'approval_outstanding')
    })
    await sql.query('update post set scheduled_at = app_now() where id = $1', [post.id])
    await sql.query('update publication set due_at = app_now(), next_at = app_now() where post_id = $1', [post.id])
    const failed = await untilStatus(owner, post.id, ['FAILED'])
    expect(failed.publications[0]?.error).toMatchObject({ code: 'approval_outstanding', who: 'admin' })
    expect(told(await editor.call('POST', `/posts/${post.id}/retry`))).toEqual([403, 'role_required'])
    await admin.must('POST', `/posts/${post.id}/retry`)
    await untilStatus(owner, post.id, ['PUBLISHED'])
  })
})

describe('comments', () => {
  test('notify the members they mention and the author of the post; a CLIENT sees names only', async () => {
    const post = await submit()
    const said = await admin.must<Comment>('POST', `/posts/${post.id}/comments`, {
      text: 'Cleo, is this the right blue?',
      mentions: [client.session.user.id],
    })
    expect(said.mentions).toEqual([{ userId: client.session.user.id, name: 'Cleo' }])
    expect(await notices(client, 'comment_mention')).toMatchObject([{ postId: post.id, by: 'Adam' }])
    expect(await notices(editor, 'comment_added')).toMatchObject([{ postId: post.id, by: 'Adam' }])
    await client.must('POST', `/posts/${post.id}/comments`, { text: 'It is.' })
    const { data } = await client.must<{ data: Comment[] }>('GET', `/posts/${post.id}/comments`)
    expect(data.map(({ author, text, mentions }) => [author, text, mentions])).toEqual([
      [{ id: null, name: 'Cleo' }, 'It is.', []],
      [{ id: null, name: 'Adam' }, 'Cleo, is this the right blue?', []],
    ])
    expect(told(await viewer.call('POST', `/posts/${post.id}/comments`, { text: 'x' }))).toEqual([403, 'role_required'])
  })

  test('do not reach the author of a draft who has become a CLIENT', async () => {
    const bo = await join('EDITOR', await newPerson(product.url, 'Bo'))
    const post = await write({ scheduledAt: LATER, action: 'draft' }, bo)
    await owner.must('PUT', `/workspaces/${owner.workspaceId}/members/${bo.session.user.id}`, { role: 'CLIENT' })
    await admin.must('POST', `/posts/${post.id}/comments`, { text: 'Not for Bo yet' })
    await admin.must('POST', `/posts/${post.id}/submit`, { client: true })
    await admin.must('POST', `/posts/${post.id}/comments`, { text: 'Bo, have a look' })
    expect(await notices(bo, 'comment_added')).toMatchObject([{ excerpt: 'Bo, have a look' }])
  })

  test('cannot mention people who cannot see the post or are not members', async () => {
    const draft = await write()
    for (const [person, code] of [
      [client, 'not_visible'],
      [await newPerson(product.url), 'unknown_id'],
    ] as const) {
      const answer = await editor.call<Problem>('POST', `/posts/${draft.id}/comments`, {
        text: 'Look',
        mentions: [person.session.user.id],
      })
      expect(answer.body.errors).toMatchObject([{ path: '/mentions/0', code }])
    }
    expect(await notices(client, 'comment_mention')).toEqual([])
  })

  test('can be removed by their author or an ADMIN', async () => {
    const post = await submit()
    const { id } = await client.must<Comment>('POST', `/posts/${post.id}/comments`, { text: 'Oops' })
    expect(told(await editor.call('DELETE', `/posts/${post.id}/comments/${id}`))).toEqual([403, 'role_required'])
    expect((await client.call('DELETE', `/posts/${post.id}/comments/${id}`)).status).toBe(204)
    const { data } = await owner.must<{ data: Comment[] }>('GET', `/posts/${post.id}/comments`)
    expect(data).toEqual([])
  })
})

test('versions keep what was submitted and what others wrote; an author who keeps editing a draft makes one version', async () => {
  const post = await write({ caption: 'One' })
  await editor.must('PATCH', `/posts/${post.id}`, { caption: 'One and a half' })
  await editor.must('PATCH', `/posts/${post.id}`, { caption: 'Two' })
  await editor.must('POST', `/posts/${post.id}/submit`)
  await editor.must('PATCH', `/posts/${post.id}`, { caption: 'Three' })
  await admin.must('PATCH', `/posts/${post.id}`, { caption: 'Four' })
  const { data } = await viewer.must<{ data: PostVersion[] }>('GET', `/posts/${post.id}/versions`)
  expect(data.map(({ content, savedBy }) => [content.caption, savedBy?.name])).toEqual([
    ['Four', 'Adam'],
    ['Three', 'Eve'],
    ['Two', 'Eve'],
  ])
})

describe('a review link', () => {
  const link = async (postId: string, by = admin) => {
    const made = await by.must<ReviewLink>('POST', `/posts/${postId}/review-links`, { name: 'Nadia of Shore & Co' })
    return { ...made, token: made.url!.split('/').at(-1)! }
  }
  const look = (token: string) => call<Review>(product.url, 'GET', `/api/v1/review/${token}`)
  const act = (token: string, what: string, body: object) =>
    call<Review>(product.url, 'POST', `/api/v1/review/${token}/${what}`, body)

  test('shows the post, takes comments and decides, without an account; its address is shown only once', async () => {
    const post = await submit()
    const { token } = await link(post.id)
    const listed = await admin.must<{ data: ReviewLink[] }>('GET', `/posts/${post.id}/review-links`)
    expect(listed.data).toMatchObject([{ name: 'Nadia of Shore & Co', url: null, openedAt: null }])
    const { body: seen } = await look(token)
    expect([seen.post.caption, seen.mayDecide, seen.post.createdBy?.id, seen.post.checks]).toEqual([
      post.caption,
      true,
      null,
      [],
    ])
    await act(token, 'comments', { text: 'Lovely' })
    // Approving again changes nothing, and notifies nobody.
    for (let time = 0; time < 3; time += 1) {
      const { postVersion } = { postVersion: (await look(token)).body.post.version }
      expect((await act(token, 'approve', { postVersion })).body.post.status).toBe('SCHEDULED')
    }
    expect(await notices(editor, 'approval_decided')).toHaveLength(1)
    const { approval } = await get(post.id)
    expect(approval?.decidedBy).toEqual({ id: null, name: 'Nadia of Shore & Co' })
    expect(await notices(editor, 'comment_added')).toMatchObject([{ by: 'Nadia of Shore & Co' }])
    const history = await owner.must<{ data: AuditEntry[] }>('GET', '/audit?limit=5')
    const byLink = history.data.filter(({ actor }) => actor.name === 'Nadia of Shore & Co').map(({ action }) => action)
    expect(byLink).toEqual(['post.scheduled', 'approval.approved', 'comment.added'])
    const { rows } = await sql.query(`select token_hash from review_link where post_id = $1`, [post.id])
    expect(rows[0].token_hash).not.toContain(token)
  })

  test('made for no one in particular asks for a name before the first act, and keeps it', async () => {
    const [one, other] = [await submit(), await submit()]
    const made = await admin.must<ReviewLink>('POST', '/review-links', { postIds: [one.id, other.id] })
    expect(made.name).toBeNull()
    const token = made.url!.split('/').at(-1)!
    expect((await look(token)).body.link.name).toBeNull()
    const said = { postId: one.id, text: 'Lovely' }
    const looked = { postId: one.id, postVersion: one.version }
    for (const [what, body] of [
      ['comments', said],
      ['approve', looked],
      ['reject', { ...looked, reason: 'Shorter, please' }],
    ] as const)
      expect((await act(token, what, body)).body).toMatchObject({ errors: [{ path: '/name', code: 'required' }] })
    expect((await look(token)).body.posts[0]?.comments).toEqual([])
    const { body } = await act(token, 'comments', { ...said, name: ' Nadia ' })
    expect([body.link.name, body.posts[0]?.comments[0]?.author.name]).toEqual(['Nadia', 'Nadia'])
    // Later acts by the link use the same name.
    const { post: later } = (await look(token)).body.posts[0]!
    await act(token, 'approve', { postId: one.id, postVersion: later.version, name: 'Somebody else' })
    expect((await get(one.id)).approval?.decidedBy).toEqual({ id: null, name: 'Nadia' })
    const { data } = await admin.must<{ data: ReviewLink[] }>('GET', `/posts/${one.id}/review-links`)
    expect(data.map(({ name }) => name)).toEqual(['Nadia'])
  })

  test('approves a post after its time: reviewer and author learn that it needs a new one', async () => {
    const post = await submitSoon()
    const { token } = await link(post.id)
    const { body: seen } = await look(token)
    const { body: approved } = await afterTheirTime(() => act(token, 'approve', { postVersion: seen.post.version }))
    expect([approved.post.status, approved.post.approved, approved.post.checks]).toEqual(['DRAFT', true, [tooLate]])
    expect((await look(token)).body.post.checks).toEqual([tooLate])
    expect(await notices(editor, 'approval_decided')).toMatchObject([
      { postId: post.id, by: 'Nadia of Shore & Co', timePassed: true },
    ])
    await editor.must('POST', `/posts/${post.id}/schedule`, { scheduledAt: LATER })
    expect((await look(token)).body.post).toMatchObject({ status: 'SCHEDULED', checks: [] })
  })

  test('decides only the version that it showed', async () => {
    const post = await submit()
    const { token } = await link(post.id)
    const { body: seen } = await look(token)
    await editor.must('PATCH', `/posts/${post.id}`, { caption: 'Changed behind the back' })
    await editor.must('POST', `/posts/${post.id}/submit`)
    expect(told(await act(token, 'approve', { postVersion: seen.post.version }))).toEqual([412, 'stale_version'])
    expect(await state(post.id)).toEqual(['DRAFT', false, 'PENDING'])
  })

  test('shows the changes that its own reviewer asked for, and when the post changed after that', async () => {
    const post = await submit()
    const { token } = await link(post.id)
    const { body: seen } = await look(token)
    expect(seen.changesAsked).toBeNull()
    const { body: asked } = await act(token, 'reject', { postVersion: seen.post.version, reason: 'Softer, please' })
    expect(asked.changesAsked).toMatchObject({ reason: 'Softer, please', changedAt: null })
    await editor.must('PATCH', `/posts/${post.id}`, { caption: 'Softer' })
    await editor.must('POST', `/posts/${post.id}/submit`)
    const { changesAsked } = (await look(token)).body
    expect(changesAsked?.reason).toBe('Softer, please')
    expect(Date.parse(changesAsked?.changedAt ?? '')).toBeGreaterThan(Date.parse(changesAsked?.at ?? ''))
    const made = await admin.must<ReviewLink>('POST', `/posts/${post.id}/review-links`, { name: 'Somebody else' })
    expect((await look(made.url!.split('/').at(-1)!)).body.changesAsked).toBeNull()
  })

  test.each([
    ['that is to go out at once', { onApproval: 'publish' }],
    ['without a time', {}],
    ['that asks no client', { scheduledAt: LATER, client: false }],
  ])('cannot decide a post %s', async (_what, asks) => {
    const post = await submit(asks)
    const { token } = await link(post.id)
    const { body: seen } = await look(token)
    expect(seen.mayDecide).toBe(false)
    expect(told(await act(token, 'approve', { postVersion: seen.post.version }))).toEqual([409, 'invalid_state'])
    expect(await state(post.id)).toEqual(['DRAFT', false, 'PENDING'])
  })

  test('cannot decide if approval is required and its creator may not decide', async () => {
    await demand('required')
    const post = await submit()
    const { token } = await link(post.id, editor)
    const { body: seen } = await look(token)
    expect(seen.mayDecide).toBe(false)
    expect(told(await act(token, 'approve', { postVersion: seen.post.version }))).toEqual([409, 'invalid_state'])
    expect(await state(post.id)).toEqual(['DRAFT', false, 'PENDING'])
  })

  const choose = (plan: string) => owner.must('PUT', '/billing/subscription', { plan })

  test('on a plan without approvals still shows the post, but takes neither decisions nor comments', async () => {
    const post = await submit()
    const { token } = await link(post.id)
    const seen = { postVersion: (await look(token)).body.post.version }
    await choose('free')
    expect(told(await client.call('POST', `/posts/${post.id}/approve`))).toEqual([402, 'feature_not_in_plan'])
    for (const [what, body] of [
      ['approve', seen],
      ['reject', { ...seen, reason: 'Softer, please' }],
      ['comments', { text: 'Lovely' }],
    ] as const)
      expect(told(await act(token, what, body))).toEqual([402, 'feature_not_in_plan'])
    const { body: shown } = await look(token)
    expect([shown.post.caption, shown.readOnly, shown.mayDecide, shown.comments]).toEqual([
      post.caption,
      true,
      false,
      [],
    ])
    expect(await state(post.id)).toEqual(['DRAFT', false, 'PENDING'])
    await choose('business')
    const { body: approved } = await act(token, 'approve', seen)
    expect([approved.readOnly, approved.post.status]).toEqual([false, 'SCHEDULED'])
  })

  test('takes no decision if the plan loses approvals, or the workspace is deleted, while the decision is under way', async () => {
    const post = await submit()
    const { token } = await link(post.id)
    const seen = { postVersion: (await look(token)).body.post.version }
    const holder = await sql.connect()
    /** Decides while the workspace is losing something, and returns the answer once it is lost. */
    const decideDuring = async (loss: string) => {
      await holder.query('begin')
      await holder.query(loss, [owner.workspaceId])
      const decided = act(token, 'approve', seen)
      await untilWaitedFor(sql, holder)
      await holder.query('commit')
      return told(await decided)
    }
    try {
      const toFree = `update subscription set plan_id = 'free' where workspace_id = $1`
      expect(await decideDuring(toFree)).toEqual([402, 'feature_not_in_plan'])
      await choose('business')
      const remove = 'update workspace set deleted_at = app_now() where id = $1'
      expect(await decideDuring(remove)).toEqual([410, 'link_expired'])
    } finally {
      holder.release(true)
    }
    const { rows } = await sql.query('select status from post where id = $1', [post.id])
    expect(rows).toEqual([{ status: 'DRAFT' }])
  })

  test('gives the same response whether ended, expired, never made, or of a deleted post', async () => {
    const post = await submit()
    const ended = await link(post.id)
    await admin.must('DELETE', `/posts/${post.id}/review-links?linkId=${ended.id}`)
    const expired = await link(post.id)
    await sql.query(`update review_link set expires_at = app_now() where id = $1`, [expired.id])
    const other = await submit()
    const orphan = await link(other.id)
    await editor.must('DELETE', `/posts/${other.id}`)
    const answers = await Promise.all(
      [ended.token, expired.token, orphan.token, 'x'.repeat(43)].map(async (token) => {
        const { status, body } = await look(token)
        return JSON.stringify([status, { ...(body as unknown as Problem), requestId: '' }])
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('link_expired')
  })
})
