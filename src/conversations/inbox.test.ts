import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../test/fixtures.ts'
import { type OpenedInbox, openInbox, threadOf, threadsOf } from '../../test/inbox.ts'
import { addJob } from '../../test/jobs.ts'
import { long } from '../../test/tier.ts'
import {
  addFault,
  call,
  confirmEmail,
  eventually,
  join,
  newPerson,
  type Person,
  type Problem,
  graphError,
} from '../../test/world.ts'
import type { Notification } from '../team/notifications/api.ts'
import type { FailedWork, Queue } from '../admin/api.ts'
import type { Message, OpenThread, Thread } from './threads/api.ts'
import { MOST_REPLIES, type SavedReply } from './replies/api.ts'

const { product, sql, sandbox } = useProduct({ env: FAST })
let ann: Person
let eve: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url, 'Ann')
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u3501')
  eve = await join(ann, 'Eve', 'EDITOR')
})

const write = async (name: string, text = `${name} asks`) => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name }, text })
  return threadOf(ann, name)
}
const act = (thread: Pick<Thread, 'id'>, name: string, body: object = {}, person = ann) =>
  person.must<Thread>('POST', `/conversations/${thread.id}/${name}`, body)
const read = (person: Person, { id }: Pick<Thread, 'id'>) => person.must<OpenThread>('GET', `/conversations/${id}`)
const notices = async (person: Person, kind: string) =>
  (await person.must<{ data: Notification[] }>('GET', '/notifications?limit=100')).data.filter(
    (notice) => notice.kind === kind && notice.workspaceId === ann.workspaceId,
  )

test('the server fills a saved reply for the conversation', async () => {
  const thread = await write('Nora Lind')
  const made = await eve.must<SavedReply>('POST', '/saved-replies', {
    name: 'Hello',
    text: 'Hi {{first_name|there}}, {{me}} of {{account}} here, {{customer}}.',
  })
  expect(made).toMatchObject({ name: 'Hello', filled: null, version: 1 })
  const { data } = await eve.must<{ data: SavedReply[] }>('GET', `/saved-replies?conversationId=${thread.id}`)
  expect(data.map(({ filled }) => filled)).toEqual([`Hi Nora, Eve of ${page.account.name} here, Nora Lind.`])
  const lost = await eve.call<Problem>('GET', `/saved-replies?conversationId=${made.id}`)
  expect(lost.body.code).toBe('not_found')
})

test('a saved reply has a unique name and only known placeholders', async () => {
  const made = await ann.must<SavedReply>('POST', '/saved-replies', { name: 'Hours', text: 'Daily from 9' })
  expect((await ann.call<Problem>('POST', '/saved-replies', { name: 'HOURS', text: 'x' })).body.code).toBe('name_taken')
  expect(
    (await ann.call<Problem>('POST', '/saved-replies', { name: 'x', text: '{{order}}' })).body.errors,
  ).toMatchObject([{ path: '/text', code: 'unknown', name: 'order' }])
  const at = `/saved-replies/${made.id}`
  expect(await ann.must('PATCH', at, { text: 'Daily from 8' }, { 'if-match': '"1"' })).toMatchObject({ version: 2 })
  expect((await ann.call<Problem>('PATCH', at, { text: 'Late' }, { 'if-match': '"1"' })).body.code).toBe(
    'stale_version',
  )
  expect((await ann.call<Problem>('PATCH', at, { text: '{{order}}' })).body.code).toBe('validation_failed')
  await ann.must('DELETE', at)
  expect((await ann.call<Problem>('PATCH', at, { text: 'Gone' })).body.code).toBe('not_found')
})

test('a workspace saves 500 replies, and no more', async () => {
  const save = () => ann.call<Problem>('POST', '/saved-replies', { name: randomUUID(), text: 'Hello' })
  await sql.query(
    `insert into saved_reply (workspace_id, id, name, text)
      select $1, gen_random_uuid(), 'Limit ' || n, 'Hello' from generate_series(1, $2::int
        - (select count(*)::int from saved_reply where workspace_id = $1) - 1) n`,
    [ann.workspaceId, MOST_REPLIES],
  )
  // Two at once share the last place.
  const both = await Promise.all([save(), save()])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  expect((await save()).body).toMatchObject({ status: 409, code: 'too_many_saved', limit: 500 })
  await sql.query(`delete from saved_reply where workspace_id = $1`, [ann.workspaceId])
})

test('people see who else has a thread open or is typing, until that person leaves', async () => {
  const thread = await write('Olaf')
  const messageId = thread.messages[0]!.id
  const seen = (body: object) => eve.must('PUT', `/conversations/${thread.id}/seen`, { messageId, ...body })
  await seen({})
  expect((await read(ann, thread)).presence).toMatchObject([{ name: 'Eve', typing: false }])
  expect((await read(eve, thread)).presence).toEqual([])
  await seen({ typing: true })
  expect((await read(ann, thread)).presence).toMatchObject([{ name: 'Eve', typing: true }])
  const cleo = await join(ann, 'Cleo', 'CLIENT')
  expect((await read(cleo, thread)).presence).toEqual([])
  await sql.query(`update thread_presence set until = app_now() - interval '1 second' where thread_id = $1`, [
    thread.id,
  ])
  expect((await read(ann, thread)).presence).toEqual([])
  await seen({})
  await seen({ away: true })
  expect((await read(ann, thread)).presence).toEqual([])
})

test('a snoozed thread opens at its time', async () => {
  const thread = await write('Pia')
  const until = new Date(Date.now() + 2_000).toISOString()
  expect(await act(thread, 'snooze', { until })).toMatchObject({ status: 'SNOOZED' })
  expect((await threadsOf(ann, '?view=snoozed')).map(({ id }) => id)).toEqual([thread.id])
  const woken = await eventually(async () => {
    const now = await read(ann, thread)
    return now.status === 'OPEN' && now
  })
  expect(woken.snoozedUntil).toBeNull()
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until))
})

test.runIf(long)('a snoozed thread opens at its time even if its job runs too early', async () => {
  const thread = await write('Pim')
  const until = new Date(Date.now() + 2_500).toISOString()
  await act(thread, 'snooze', { until })
  const { rowCount } = await sql.query(
    `update graphile_worker._private_jobs set run_at = now() where key = 'wake:' || $1`,
    [thread.id],
  )
  expect(rowCount).toBe(1)
  await eventually(async () => (await read(ann, thread)).status === 'OPEN')
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until))
})

test('a thread that is snoozed for longer ignores the earlier time', async () => {
  const thread = await write('Quin')
  await act(thread, 'snooze', { until: new Date(Date.now() + 1_000).toISOString() })
  await act(thread, 'snooze', { until: '2099-01-01T00:00:00Z' })
  const { rows } = await sql.query<{ run_at: Date }>(`select run_at from graphile_worker.jobs where key = $1`, [
    `wake:${thread.id}`,
  ])
  expect(rows.map(({ run_at }) => run_at.toISOString())).toEqual(['2099-01-01T00:00:00.000Z'])
  await sql.query(`update graphile_worker._private_jobs set run_at = now() where key = $1`, [`wake:${thread.id}`])
  await eventually(
    async () =>
      (
        await sql.query(`select from graphile_worker.jobs where key = $1 and run_at = '2099-01-01T00:00:00Z'`, [
          `wake:${thread.id}`,
        ])
      ).rowCount === 1,
  )
  expect(await read(ann, thread)).toMatchObject({ status: 'SNOOZED' })
})

test('people are notified of mentions, assignments and escalations, but not of what they do themselves', async () => {
  const thread = await write('Rosa')
  const me = eve.session.user.id
  await ann.must('POST', `/conversations/${thread.id}/notes`, { text: 'Look', mentions: [me, ann.session.user.id] })
  expect(await notices(eve, 'thread_mention')).toMatchObject([{ data: { threadId: thread.id, by: 'Ann' } }])
  expect(await notices(ann, 'thread_mention')).toEqual([])
  await act(thread, 'assign', { userId: me })
  expect(await notices(eve, 'thread_assigned')).toMatchObject([{ data: { threadId: thread.id, by: 'Ann' } }])
  await act(thread, 'escalate', {}, eve)
  expect(await notices(ann, 'thread_escalated')).toMatchObject([{ data: { threadId: thread.id, by: 'Eve' } }])
  expect(await notices(eve, 'thread_escalated')).toEqual([])
})

test('several threads assigned in one request give one notice', async () => {
  const threads = [await write('Sara'), await write('Tess'), await write('Ugo')]
  const before = (await notices(eve, 'thread_assigned')).length
  const ids = threads.map(({ id }) => id)
  const userId = eve.session.user.id
  await ann.must('POST', '/conversations/bulk', { ids, assign: { userId } })
  const [newest, ...others] = await notices(eve, 'thread_assigned')
  expect([newest?.data, others.length]).toEqual([{ threadIds: ids, count: 3, by: 'Ann' }, before])
  // A member who already has the threads gets no other notice.
  await ann.must('POST', '/conversations/bulk', { ids, assign: { userId } })
  expect(await notices(eve, 'thread_assigned')).toHaveLength(before + 1)
})

test('a request for one thread or one’s own is told like an assignment of one', async () => {
  const [one, own] = [await write('Una'), await write('Udo')]
  await ann.must('POST', '/notifications/read', {})
  await eve.must('POST', '/notifications/read', {})
  const assign = (thread: Pick<Thread, 'id'>, userId: string) =>
    ann.must('POST', '/conversations/bulk', { ids: [thread.id], assign: { userId } })
  await assign(one, eve.session.user.id)
  await assign(own, ann.session.user.id)
  const [newest] = await notices(eve, 'thread_assigned')
  expect(newest).toMatchObject({ readAt: null, data: { threadId: one.id, by: 'Ann' } })
  expect(newest?.data['count']).toBeUndefined()
  expect((await notices(ann, 'thread_assigned')).filter(({ readAt }) => readAt === null)).toEqual([])
})

test('an assignee is told of the threads that a broken request gave them, and of the others once it is repeated', async () => {
  const threads = [await write('Wanda'), await write('Wilma'), await write('Willy')]
  const ids = threads.map(({ id }) => id)
  await eve.must('POST', '/notifications/read', {})
  const told = async () =>
    (await notices(eve, 'thread_assigned')).filter(({ readAt }) => readAt === null).map(({ data }) => data)
  const body = { ids, assign: { userId: eve.session.user.id } }
  await breakOff(ids[1]!, 'new.assignee is not null', async () => {
    expect((await ann.call('POST', '/conversations/bulk', body)).status).toBe(500)
  })
  expect(await told()).toMatchObject([{ threadId: ids[0], by: 'Ann' }])
  await ann.must('POST', '/conversations/bulk', body)
  expect(await told()).toEqual([{ threadIds: ids, count: 3, by: 'Ann' }])
})

/** Runs `work` while a change of a thread to what fulfils the condition breaks off. */
async function breakOff(threadId: string, condition: string, work: () => Promise<void>): Promise<void> {
  await sql.query(`create or replace function break_off() returns trigger language plpgsql as
      $$begin raise exception 'broken off' using errcode = '58000'; end$$`)
  await sql.query(`create trigger broken before update on thread for each row
    when (new.id = '${threadId}' and ${condition}) execute function break_off()`)
  await work()
  await sql.query('drop trigger broken on thread')
}

test('a request for many threads that breaks off does all of them when it is repeated with its key', async () => {
  const threads = [await write('Xaver'), await write('Yara'), await write('Zoe')]
  const ids = threads.map(({ id }) => id)
  const key = { 'idempotency-key': 'close-three-threads' }
  await breakOff(ids[1]!, `new.status = 'CLOSED'`, async () => {
    const broken = await ann.call('POST', '/conversations/bulk', { ids, close: true }, key)
    expect(broken.status).toBe(500)
  })
  const { data } = await ann.must<{ data: { id: string }[] }>('POST', '/conversations/bulk', { ids, close: true }, key)
  expect(data.map(({ id }) => id)).toEqual(ids)
  const { rows } = await sql.query('select distinct status from thread where id = any ($1)', [ids])
  expect(rows).toEqual([{ status: 'CLOSED' }])
})

async function watch(): Promise<void> {
  await addJob(sql, 'inbox-watch', {})
  await eventually(async () => {
    const { rowCount } = await sql.query(`select from graphile_worker.jobs where task_identifier = 'inbox-watch'`)
    return rowCount === 0
  })
}

test('people are notified once of a customer who waits too long: the assignee, or else everyone who answers', async () => {
  const [mine, free] = [await write('Vera'), await write('Wim')]
  await act(mine, 'assign', { userId: eve.session.user.id })
  await ann.must('PATCH', `/conversations/${free.id}`, { urgency: 'CRITICAL' })
  await sql.query(`update thread set unanswered_at = app_now() - interval '20 minutes' where id = any ($1)`, [
    [mine.id, free.id],
  ])
  await watch()
  // After 20 minutes only the urgent thread is late.
  expect(await notices(ann, 'thread_waiting')).toMatchObject([{ data: { threadId: free.id, count: 1 } }])
  expect(await notices(eve, 'thread_waiting')).toMatchObject([{ data: { threadId: free.id, count: 1 } }])
  await sql.query(`update thread set unanswered_at = app_now() - interval '5 hours' where id = $1`, [mine.id])
  await watch()
  await watch()
  expect(await notices(ann, 'thread_waiting')).toHaveLength(1)
  expect((await notices(eve, 'thread_waiting')).map(({ data }) => data)).toMatchObject([
    { threadId: mine.id, count: 1 },
    { threadId: free.id },
  ])
})

const DISABLED = 'update app_user set disabled_at = app_now() where id = $2 and $1::uuid is not null'

test.each([
  ['may only read now', `update member set role = 'VIEWER' where workspace_id = $1 and user_id = $2`],
  ['is disabled', DISABLED],
])('everyone who answers is told of a customer whose assignee %s', async (how, statement) => {
  const finn = await join(ann, 'Finn', 'EDITOR')
  const thread = await write(`Forgotten, ${how}`)
  await act(thread, 'assign', { userId: finn.session.user.id })
  await sql.query(statement, [ann.workspaceId, finn.session.user.id])
  await sql.query(`update thread set unanswered_at = app_now() - interval '5 hours' where id = $1`, [thread.id])
  await watch()
  for (const person of [ann, eve]) {
    const told = (await notices(person, 'thread_waiting')).filter(({ data }) => data['threadId'] === thread.id)
    expect(told).toHaveLength(1)
  }
})

test('operators see the answers that a network refused, but cannot retry them', async () => {
  const thread = await write('Yves')
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'POST', path: '/comments' },
    do: { status: 400, body: graphError({ message: 'Wrong', code: 100 }) },
    times: 1,
  })
  const { id } = await ann.must<Message>('POST', `/conversations/${thread.id}/messages`, { text: 'Yes' })
  const failed = await eventually(async () => {
    const message = (await read(ann, thread)).messages.find((each) => each.id === id)
    return message?.delivery?.state === 'FAILED' && message.delivery
  })
  const operator = await newPerson(product.url, 'Olga')
  await sql.query('update app_user set is_super_admin = true where id = $1', [operator.session.user.id])
  const { data } = await operator.must<{ data: FailedWork[] }>('GET', '/admin/queues/answer/failed')
  expect(data[0]).toMatchObject({
    state: 'failed',
    canRetry: false,
    error: expect.stringContaining(failed.error!.code),
  })
  const { data: queues } = await operator.must<{ data: Queue[] }>('GET', '/admin/queues')
  expect(queues.find(({ name }) => name === 'answer')?.failed).toBeGreaterThan(0)
  expect((await operator.call<Problem>('POST', '/admin/queues/answer/retry')).body.code).toBe('invalid_state')
})

test('a post links to the threads below it and back, and a customer to all of theirs', async () => {
  const thread = await write('Xena')
  const { post } = thread
  expect(post).toMatchObject({ externalId: page.postId, permalink: expect.stringContaining('http') })
  const below = await threadsOf(ann, `?postId=${post!.id}&limit=100`)
  expect(below.map(({ id }) => id)).toContain(thread.id)
  expect(await threadsOf(ann, `?postId=${thread.id}`)).toEqual([])
  await page.play({ kind: 'dm', from: { name: 'Xena' }, text: 'And privately' })
  await eventually(async () => (await threadsOf(ann, `?customerId=${thread.customer!.id}`)).length === 2)
})

test('an answer that fails opens its closed or snoozed thread, and its author is told', async () => {
  const acts = [
    { act: 'close', body: {}, status: 'OPEN' },
    { act: 'snooze', body: { until: '2099-01-01T00:00:00Z' }, status: 'OPEN' },
    { act: 'escalate', body: {}, status: 'ESCALATED' },
  ]
  const pause = (paused: boolean) => ann.must('PATCH', `/social-accounts/${page.account.id}`, { paused })
  const threads = await Promise.all(acts.map((each) => write(`Failing ${each.act}`)))
  for (const person of [ann, eve]) await person.must('POST', '/notifications/read', {})
  await pause(true)
  for (const [n, thread] of threads.entries()) {
    await eve.must<Message>('POST', `/conversations/${thread.id}/messages`, { text: 'Coming' })
    await act(thread, acts[n]!.act, acts[n]!.body, eve)
  }
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'POST', path: '/comments' },
    do: { status: 400, body: graphError({ message: 'No', code: 100 }) },
    times: threads.length,
  })
  await pause(false)
  const failures: string[] = []
  for (const [n, thread] of threads.entries()) {
    const failed = await eventually(async () => {
      const now = await read(eve, thread)
      return now.messages.at(-1)?.delivery?.state === 'FAILED' && now
    })
    failures.push(failed.messages.at(-1)!.id)
    expect(failed).toMatchObject({ status: acts[n]!.status, snoozedUntil: null, unansweredAt: thread.unansweredAt })
  }
  const messageIds = expect.arrayContaining(failures)
  const told = async (person: Person) =>
    (await notices(person, 'reply_failed')).filter(({ readAt }) => readAt === null).map(({ data }) => data)
  expect([await told(eve), await told(ann)]).toEqual([[{ count: threads.length, messageIds }], []])
})

test('an answer whose outcome stays unknown opens its closed thread', async () => {
  const thread = await write('Unknown')
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'POST', path: '/comments' },
    do: { drop: 'before' },
    times: 1,
  })
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'GET', path: '/comments' },
    do: { drop: 'before' },
  })
  await eve.must<Message>('POST', `/conversations/${thread.id}/messages`, { text: 'Coming' })
  await act(thread, 'close', {}, eve)
  const left = await eventually(async () => {
    // As if an hour had passed without a reading.
    await sql.query(
      `update delivery set intent_at = intent_at - interval '1 hour' where thread_id = $1 and state = 'SUBMITTING'`,
      [thread.id],
    )
    const now = await read(eve, thread)
    return now.messages.at(-1)?.delivery?.state === 'UNCONFIRMED' && now
  })
  await call(sandbox.url, 'DELETE', '/faults', {})
  expect(left.status).toBe('OPEN')
})

test.each([
  ['has left', 'delete from member where workspace_id = $1 and user_id = $2'],
  ['is disabled', DISABLED],
])('everyone who answers is told of a failed answer whose author %s', async (how, statement) => {
  const finn = await join(ann, 'Finn', 'EDITOR')
  const thread = await write(`Left alone, ${how}`)
  for (const person of [ann, eve]) await person.must('POST', '/notifications/read', {})
  const pause = (paused: boolean) => ann.must('PATCH', `/social-accounts/${page.account.id}`, { paused })
  await pause(true)
  await finn.must<Message>('POST', `/conversations/${thread.id}/messages`, { text: 'Coming' })
  await sql.query(statement, [ann.workspaceId, finn.session.user.id])
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'POST', path: '/comments' },
    do: { status: 400, body: graphError({ message: 'No', code: 100 }) },
    times: 1,
  })
  await pause(false)
  for (const person of [ann, eve]) {
    await eventually(async () =>
      (await notices(person, 'reply_failed')).some(({ data }) => data['threadId'] === thread.id),
    )
  }
})
