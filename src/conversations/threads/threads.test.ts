import { beforeAll, describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { commentsBelow, type OpenedInbox, openInbox, threadOf, threadsOf } from '../../../test/inbox.ts'
import { confirmEmail, eventually, join, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Message, OpenThread, Thread, ThreadView } from './api.ts'

const { product, sql, sandbox } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url)
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u3401')
})

const write = async (name: string, text = `${name} asks`) => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name }, text })
  return threadOf(ann, name)
}
const act = (thread: Pick<Thread, 'id'>, name: string, body: object = {}, person = ann) =>
  person.must<Thread>('POST', `/conversations/${thread.id}/${name}`, body)
const read = (id: string) => ann.must<OpenThread>('GET', `/conversations/${id}`)
const refusedAct = async (thread: Pick<Thread, 'id'>, name: string, body: object = {}) =>
  (await ann.call<Problem>('POST', `/conversations/${thread.id}/${name}`, body)).body

test('a thread can be escalated, closed, reopened and snoozed, each only in the right status; a new message opens it', async () => {
  const thread = await write('Ida')
  expect(await act(thread, 'escalate', { reason: 'angry' })).toMatchObject({ status: 'ESCALATED', version: 2 })
  expect(await refusedAct(thread, 'escalate')).toMatchObject({ code: 'invalid_state', current: 'ESCALATED' })
  expect(await act(thread, 'close')).toMatchObject({ status: 'CLOSED' })
  expect(await refusedAct(thread, 'close')).toMatchObject({
    code: 'invalid_state',
    allowed: ['OPEN', 'ESCALATED', 'SNOOZED'],
  })
  expect(await act(thread, 'reopen')).toMatchObject({ status: 'OPEN' })
  expect(await refusedAct(thread, 'snooze', { until: '2020-01-01T00:00:00Z' })).toMatchObject({
    code: 'validation_failed',
  })
  expect(await act(thread, 'snooze', { until: '2099-01-01T00:00:00Z' })).toMatchObject({
    status: 'SNOOZED',
    snoozedUntil: '2099-01-01T00:00:00.000Z',
  })
  await page.play({
    kind: 'comment',
    postId: page.postId,
    parentId: thread.messages[0]!.externalId!,
    from: { name: 'Ida' },
    text: 'Hello?',
  })
  await eventually(async () => {
    const { status, snoozedUntil, messages } = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
    // The third message is the note with the reason of the escalation.
    return messages.length === 3 && status === 'OPEN' && snoozedUntil === null
  })
})

test('only a member who may answer can be assigned, and a member who leaves is unassigned', async () => {
  const thread = await write('Jan')
  const eve = await join(ann, 'Eve', 'EDITOR')
  const vic = await join(ann, 'Vic', 'VIEWER')
  const gus = await join(ann, 'Gus', 'EDITOR')
  await sql.query('update app_user set disabled_at = app_now() where id = $1', [gus.session.user.id])
  for (const { session } of [vic, gus]) {
    const refused = await refusedAct(thread, 'assign', { userId: session.user.id })
    expect(refused.errors).toMatchObject([{ path: '/userId', code: 'unknown' }])
  }
  expect(await act(thread, 'assign', { userId: eve.session.user.id })).toMatchObject({ assignee: { name: 'Eve' } })
  expect((await threadsOf(eve, '?view=mine')).map(({ id }) => id)).toEqual([thread.id])
  await ann.must('DELETE', `/workspaces/${ann.workspaceId}/members/${eve.session.user.id}`)
  expect(await ann.must('GET', `/conversations/${thread.id}`)).toMatchObject({ assignee: null })
  await act(thread, 'assign', { userId: ann.session.user.id })
  expect(await act(thread, 'assign', { userId: null })).toMatchObject({ assignee: null })
})

/** Returns how often the history says that a thread was opened and assigned. */
async function timesIn(threadId: string) {
  const { rows } = await sql.query<{ opened: number; assigned: number }>(
    `select count(*) filter (where action = 'thread.opened')::int as opened,
      count(*) filter (where action = 'thread.assigned')::int as assigned
    from audit_entry where workspace_id = $1 and object ->> 'threadId' = $2`,
    [ann.workspaceId, threadId],
  )
  return rows[0]!
}

test('the history has each opening of a thread once, and that the first person who answers has it', async () => {
  const thread = await write('Otis')
  const writeAgain = async (count: number) => {
    await page.play({
      kind: 'comment',
      postId: page.postId,
      parentId: thread.messages[0]!.externalId!,
      from: { name: 'Otis' },
      text: 'And?',
    })
    await eventually(async () => (await read(thread.id)).messages.length === count)
  }
  expect(await timesIn(thread.id)).toEqual({ opened: 1, assigned: 0 })
  await writeAgain(2)
  expect(await timesIn(thread.id)).toEqual({ opened: 1, assigned: 0 })
  await act(thread, 'snooze', { until: '2099-01-01T00:00:00Z' })
  await writeAgain(3)
  expect(await timesIn(thread.id)).toEqual({ opened: 2, assigned: 0 })
  for (const text of ['Hello', 'Hello again']) await ann.must('POST', `/conversations/${thread.id}/messages`, { text })
  expect(await timesIn(thread.id)).toEqual({ opened: 2, assigned: 1 })
  await act(thread, 'close')
  await writeAgain(6)
  expect(await timesIn(thread.id)).toEqual({ opened: 3, assigned: 1 })
  await ann.must('POST', '/conversations/bulk', { ids: [thread.id], assign: { userId: null } })
  expect(await timesIn(thread.id)).toEqual({ opened: 3, assigned: 2 })
})

test('labels, urgency and style change the version, but a change to the same values does not', async () => {
  const thread = await write('Kim')
  const label = await ann.must<{ id: string }>('POST', '/labels', { name: 'Vip', color: 'teal' })
  const at = `/conversations/${thread.id}`
  const changed = await ann.must<Thread>(
    'PATCH',
    at,
    { labels: [label.id], urgency: 'CRITICAL', replyStyle: 'short' },
    { 'if-match': '"1"' },
  )
  expect(changed).toMatchObject({ labels: [{ name: 'Vip' }], urgency: 'CRITICAL', replyStyle: 'short', version: 2 })
  expect(await ann.must('PATCH', at, { urgency: 'CRITICAL' })).toMatchObject({ version: 2 })
  expect((await ann.call<Problem>('PATCH', at, { urgency: 'LOW' }, { 'if-match': '"1"' })).body).toMatchObject({
    status: 412,
    current: 2,
  })
  expect((await threadsOf(ann, `?label=${label.id}`)).map(({ id }) => id)).toEqual([thread.id])
  // The most urgent thread comes first.
  expect((await threadsOf(ann))[0]!.id).toBe(thread.id)
  const other = await ann.must<{ id: string }>('POST', '/labels', { name: 'Other', color: 'teal' })
  await ann.must('PATCH', at, { labels: [label.id, other.id] })
  const one = await ann.must<Thread>('PATCH', at, { labels: [label.id, label.id] })
  expect(one.labels.map(({ id }) => id)).toEqual([label.id])
})

test('a field that cannot be changed is ignored if it is unchanged, and refused otherwise', async () => {
  const thread = await write('Kit')
  const at = `/conversations/${thread.id}`
  const { id, status } = thread
  expect(await ann.must('PATCH', at, { id, status, urgency: 'HIGH' })).toMatchObject({ urgency: 'HIGH', version: 2 })
  const refused = await ann.call<Problem>('PATCH', at, { status: 'CLOSED', urgency: 'LOW' })
  expect([refused.status, refused.body.errors]).toMatchObject([422, [{ path: '/status', code: 'read_only' }]])
  const unknown = await ann.call<Problem>('PATCH', at, { nothing: 1 })
  expect(unknown.body.errors).toMatchObject([{ code: 'unknown_field' }])
  expect(await ann.must('GET', at)).toMatchObject({ status: 'OPEN', urgency: 'HIGH' })
})

test('a client gets the texts and labels of threads, and neither how they are handled nor how the model reads them', async () => {
  const { id } = await write('Lou')
  const eve = await join(ann, 'Eva', 'EDITOR')
  const cleo = await join(ann, 'Clio', 'CLIENT')
  const at = `/conversations/${id}`
  await act({ id }, 'assign', { userId: eve.session.user.id })
  await act({ id }, 'bot', { paused: true })
  await ann.must('PATCH', at, { urgency: 'CRITICAL', replyStyle: 'short' })
  await sql.query(
    `update thread set sentiment = 'negative', language = 'de', tags = '{complaint}', bot_streak = 2, held = 'late' where id = $1`,
    [id],
  )
  await sql.query(
    `insert into message_attachment (workspace_id, id, message_id, position, type, state, storage_key)
      select workspace_id, gen_random_uuid(), id, 0, 'image', 'KEPT', 'kept' from message where thread_id = $1`,
    [id],
  )
  const closed = {
    assignee: null,
    urgency: null,
    sentiment: null,
    language: null,
    tags: [],
    replyStyle: null,
    botPausedAt: null,
    botStreak: 0,
    held: null,
  }
  const seen = await cleo.must<OpenThread>('GET', at)
  expect(seen).toMatchObject({
    ...closed,
    messages: [{ text: 'Lou asks', attachments: [{ type: 'image', url: null }] }],
  })
  const listed = (await threadsOf(cleo, '?limit=100')).find((thread) => thread.id === id)
  expect(listed).toMatchObject(closed)
  expect((await read(id)).messages[0]!.attachments[0]!.url).not.toBeNull()
  // The order of a client does not follow the urgency, and their cursor does not name it.
  const later = await write('Lou later')
  const newestFirst = (await threadsOf(cleo, '?limit=100')).map((thread) => thread.id)
  expect(newestFirst.indexOf(later.id)).toBeLessThan(newestFirst.indexOf(id))
  const { nextCursor } = await cleo.must<{ nextCursor: string }>('GET', '/conversations?limit=1&sort=priority')
  expect(Buffer.from(nextCursor, 'base64url').toString()).toMatch(/\d{4}-\d\d-\d\d/)
  for (const query of [
    'view=review',
    'view=mine',
    'view=unassigned',
    `assignee=${eve.session.user.id}`,
    'urgency=CRITICAL',
    'sentiment=negative',
    'tag=complaint',
  ]) {
    const { status, body } = await cleo.call<Problem>('GET', `/conversations?${query}`)
    expect([query, status, body.code]).toEqual([query, 403, 'role_required'])
    expect((await ann.call('GET', `/conversations?${query}`)).status, query).toBe(200)
  }
  for (const query of ['view=unanswered', 'view=escalated', 'view=snoozed', 'view=all', 'status=OPEN', 'unread=true'])
    expect((await cleo.call('GET', `/conversations?${query}`)).status, query).toBe(200)
  await sql.query('update thread set held = null where id = $1', [id])
})

test('a note is for colleagues: its author can change it, an admin can delete it, a client does not see it', async () => {
  const thread = await write('Leo')
  const eve = await join(ann, 'Edi', 'EDITOR')
  const cleo = await join(ann, 'Cleo', 'CLIENT')
  const at = `/conversations/${thread.id}/notes`
  const note = await eve.must<Message>('POST', at, { text: 'A regular', mentions: [ann.session.user.id] })
  expect(note).toMatchObject({ kind: 'NOTE', direction: 'INTERNAL', author: { name: 'Edi' }, delivery: null })
  expect(
    (await ann.call<Problem>('POST', at, { text: 'x', mentions: [cleo.session.user.id] })).body.errors,
  ).toMatchObject([{ path: '/mentions/0' }])
  // A note that is sent back unchanged stays as it is.
  for (const same of [{}, { text: 'A regular' }, note])
    expect(await eve.must('PATCH', `${at}/${note.id}`, same)).toMatchObject({ text: 'A regular', edited: false })
  const { errors } = (await eve.call<Problem>('PATCH', `${at}/${note.id}`, { direction: 'OUT' })).body
  expect(errors).toMatchObject([{ path: '/direction', code: 'read_only' }])
  expect(await eve.must('PATCH', `${at}/${note.id}`, { text: 'A friend' })).toMatchObject({
    text: 'A friend',
    edited: true,
  })
  // No role lets anyone else change it, not even the owner's.
  const changed = await ann.call<Problem>('PATCH', `${at}/${note.id}`, { text: 'Mine' })
  expect([changed.status, changed.body.code, changed.body['required']]).toEqual([403, 'author_required', undefined])
  const fay = await join(ann, 'Fay', 'EDITOR')
  expect((await fay.call<Problem>('DELETE', `${at}/${note.id}`)).body).toMatchObject({
    code: 'role_required',
    required: 'ADMIN',
    actual: 'EDITOR',
  })
  const shown = await cleo.must<OpenThread>('GET', `/conversations/${thread.id}`)
  expect(shown.messages.map(({ kind }) => kind)).toEqual(['COMMENT'])
  expect((await cleo.must<{ data: Message[] }>('GET', `/conversations/${thread.id}/messages`)).data).toHaveLength(1)
  expect(await threadsOf(cleo, '?q=friend')).toEqual([])
  await ann.must('DELETE', `${at}/${note.id}`)
  expect((await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)).messages).toHaveLength(1)
})

test('the list shows who wrote the newest message: colleagues see members by name, a client does not', async () => {
  const { id, messages } = await write('Lea')
  const cleo = await join(ann, 'Cleo', 'CLIENT')
  const last = async (person = ann) =>
    (await threadsOf(person, '?limit=100')).find((thread) => thread.id === id)?.lastMessage
  expect(await last()).toMatchObject({ source: 'CUSTOMER', author: null })
  await ann.must('POST', `/conversations/${id}/messages`, { text: 'We are', seen: messages[0]!.id })
  const said = { source: 'AGENT_MANUAL', text: 'We are' }
  expect(await last()).toMatchObject({ ...said, author: { id: ann.session.user.id, name: 'Ann' } })
  expect(await last(cleo)).toMatchObject({ ...said, author: null })
})

test('an answer is refused if a message came after what its author has seen, even if that is a note', async () => {
  const thread = await write('Max')
  const at = `/conversations/${thread.id}`
  const note = await ann.must<Message>('POST', `${at}/notes`, { text: 'I will answer' })
  expect((await read(thread.id)).messages.at(-1)!.id).toBe(note.id)
  const sent = await ann.must<Message>('POST', `${at}/messages`, { text: 'Hello', seen: note.id })
  const refused = await ann.call<Problem & { message: Message }>('POST', `${at}/messages`, {
    text: 'Hello',
    seen: note.id,
  })
  expect([refused.status, refused.body]).toMatchObject([409, { code: 'newer_message', message: { id: sent.id } }])
  const elsewhere = (await write('Ned')).messages[0]!.id
  expect((await ann.call<Problem>('POST', `${at}/messages`, { text: 'Hello', seen: elsewhere })).status).toBe(409)
})

test('a private reply to a comment that is too old for it is refused, also when it is retried', async () => {
  const thread = await write('Olaf')
  const at = `/conversations/${thread.id}/messages`
  const sent = await ann.must<Message>('POST', at, { text: '[sim:fail 100] Sorry', privately: true })
  await eventually(async () => (await read(thread.id)).messages.at(-1)?.delivery?.state === 'FAILED')
  await sql.query(`update message set at = at - interval '7 days' where thread_id = $1`, [thread.id])
  await sql.query('update thread set bot_paused_at = null where id = $1', [thread.id])
  const refused = await ann.call<Problem>('POST', at, { text: 'Sorry', privately: true })
  expect([refused.status, refused.body.code]).toEqual([409, 'window_closed'])
  const again = await ann.call<Problem>('POST', `${at}/${sent.id}/retry`)
  expect([again.status, again.body.code]).toEqual([409, 'window_closed'])
  expect(await read(thread.id)).toMatchObject({ botPausedAt: null, messages: [{}, {}] })
})

test('a thread is unread until the caller has seen its newest message', async () => {
  const thread = await write('Mia')
  const isUnread = async () => (await ann.must<Thread>('GET', `/conversations/${thread.id}`)).unread
  expect(await isUnread()).toBe(true)
  await ann.must('PUT', `/conversations/${thread.id}/seen`, { messageId: thread.messages[0]!.id })
  expect(await isUnread()).toBe(false)
  expect((await threadsOf(ann, '?unread=true&limit=100')).some(({ id }) => id === thread.id)).toBe(false)
  expect((await threadsOf(ann, '?unread=false&limit=100')).some(({ id }) => id === thread.id)).toBe(true)
})

describe('the list', () => {
  test('searches words and names in this workspace only, and pages completely in both orders', async () => {
    await write('Nora Quill', 'Is the zanzibar roast back?')
    expect((await threadsOf(ann, '?q=ZANZIBAR')).map(({ customer }) => customer?.name)).toEqual(['Nora Quill'])
    expect((await threadsOf(ann, '?q=quill')).map(({ customer }) => customer?.name)).toEqual(['Nora Quill'])
    // A name is found as it is typed, a message only by whole words.
    expect((await threadsOf(ann, '?q=nora%20qui')).map(({ customer }) => customer?.name)).toEqual(['Nora Quill'])
    expect(await threadsOf(ann, '?q=zanzi')).toEqual([])
    for (const nothing of ['%3F!', '%F0%9F%99%82', "'%26", ':*']) {
      expect(await threadsOf(ann, `?q=${nothing}`), nothing).toEqual([])
    }
    const bob = await newPerson(product.url, 'Bob')
    expect(await threadsOf(bob, '?q=zanzibar')).toEqual([])
    expect(await threadsOf(bob, '?q=quill')).toEqual([])
    const all = new Set((await threadsOf(ann, '?limit=100')).map(({ id }) => id))
    for (const sort of ['priority', 'newest']) {
      const seen: string[] = []
      let cursor = ''
      do {
        const found = await ann.must<{ data: Thread[]; nextCursor: string | null }>(
          'GET',
          `/conversations?limit=2&sort=${sort}${cursor}`,
        )
        seen.push(...found.data.map(({ id }) => id))
        cursor = found.nextCursor === null ? '' : `&cursor=${found.nextCursor}`
      } while (cursor !== '')
      expect(seen).toHaveLength(all.size)
      expect(new Set(seen)).toEqual(all)
    }
  })

  test('counts as many threads in each view as it lists', async () => {
    await act(await write('Ole'), 'close')
    const counts = await ann.must<Record<ThreadView, number>>('GET', '/conversations/counts')
    for (const view of ['mine', 'unassigned', 'escalated', 'unanswered', 'snoozed', 'all'] as const) {
      expect(await threadsOf(ann, `?view=${view}&limit=100`), view).toHaveLength(counts[view])
    }
    expect(counts.review).toBe(0)
    expect(counts.unassigned).toBeGreaterThan(3)
  })

  test('filters by account, kind, status and urgency', async () => {
    const thread = await write('Olga')
    const has = async (query: string) =>
      (await threadsOf(ann, `?limit=100&${query}`)).some(({ id }) => id === thread.id)
    for (const query of [`accountId=${page.account.id}`, 'kind=COMMENT', 'status=OPEN', 'urgency=MEDIUM'])
      expect(await has(query), query).toBe(true)
    for (const query of [
      `accountId=${thread.id}`,
      'kind=DM',
      'status=CLOSED',
      'urgency=LOW',
      'tag=x',
      'sentiment=negative',
    ]) {
      expect(await has(query), query).toBe(false)
    }
  })
})

test('many threads are closed in one request, each with its own result, and reopened', async () => {
  const [one, two] = [await write('Pia'), await write('Quin')]
  await act(two, 'close')
  const ids = [one.id, two.id, page.account.id]
  const closed = await ann.must<{ data: { id: string; code: string }[] }>('POST', '/conversations/bulk', {
    ids,
    close: true,
  })
  expect(closed.data.map(({ code }) => code)).toEqual(['ok', 'invalid_state', 'not_found'])
  await ann.must('POST', '/conversations/bulk', { ids: [one.id], reopen: true })
  expect(await ann.must('GET', `/conversations/${one.id}`)).toMatchObject({ status: 'OPEN' })
  expect((await ann.call<Problem>('POST', '/conversations/bulk', { ids, close: true, reopen: true })).body.code).toBe(
    'validation_failed',
  )
})

test('many threads get and lose labels, are snoozed and reopened in one request', async () => {
  const [one, two] = [await write('Una'), await write('Vera')]
  const [kept, added] = await Promise.all(
    ['Kept', 'Added'].map((name) => ann.must<{ id: string }>('POST', '/labels', { name, color: 'teal' })),
  )
  const bulk = async (act: object, ids = [one.id, two.id]) =>
    (await ann.must<{ data: { code: string }[] }>('POST', '/conversations/bulk', { ids, ...act })).data.map(
      ({ code }) => code,
    )
  const now = (thread: Pick<Thread, 'id'>) => ann.must<Thread>('GET', `/conversations/${thread.id}`)
  const labels = async (thread: Pick<Thread, 'id'>) => (await now(thread)).labels.map(({ name }) => name).toSorted()
  await ann.must('PATCH', `/conversations/${one.id}`, { labels: [kept!.id] })
  expect(await bulk({ labels: { add: [added!.id] } })).toEqual(['ok', 'ok'])
  expect([await labels(one), await labels(two)]).toEqual([['Added', 'Kept'], ['Added']])
  expect(await bulk({ labels: { remove: [added!.id] } }, [one.id])).toEqual(['ok'])
  expect([await labels(one), await labels(two)]).toEqual([['Kept'], ['Added']])
  expect(await bulk({ labels: { add: [page.account.id] } }, [one.id])).toEqual(['validation_failed'])
  const { version } = await now(one)
  expect(await bulk({ labels: { add: [kept!.id], remove: [added!.id] } }, [one.id])).toEqual(['ok'])
  expect((await now(one)).version).toBe(version)
  const more = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      ann.must<{ id: string }>('POST', '/labels', { name: `More ${n}`, color: 'teal' }),
    ),
  )
  expect(await bulk({ labels: { add: more.map(({ id }) => id) } }, [one.id])).toEqual(['validation_failed'])
  expect(await bulk({ labels: { add: more.map(({ id }) => id), remove: [kept!.id] } }, [one.id])).toEqual(['ok'])
  expect(await labels(one)).toHaveLength(20)
  await ann.must('PATCH', `/conversations/${one.id}`, { labels: [kept!.id] })
  await act(two, 'close')
  expect(await bulk({ snooze: { until: '2099-01-01T00:00:00Z' } })).toEqual(['ok', 'invalid_state'])
  expect(await now(one)).toMatchObject({ status: 'SNOOZED', snoozedUntil: '2099-01-01T00:00:00.000Z' })
  expect(await now(two)).toMatchObject({ status: 'CLOSED', snoozedUntil: null })
  expect(await bulk({ snooze: { until: '2001-01-01T00:00:00Z' } }, [one.id])).toEqual(['validation_failed'])
  expect(await bulk({ reopen: true }, [one.id])).toEqual(['ok'])
  expect(await now(one)).toMatchObject({ status: 'OPEN', snoozedUntil: null })
})

test('a failed answer can be retried, but one with an unknown outcome only after a person has looked', async () => {
  const thread = await write('Rik')
  const sent = await ann.must<Message>('POST', `/conversations/${thread.id}/messages`, { text: '[sim:fail 100] Sorry' })
  const at = `/conversations/${thread.id}/messages/${sent.id}`
  const state = async () =>
    (await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)).messages.at(-1)?.delivery?.state
  await eventually(async () => (await state()) === 'FAILED')
  expect((await ann.call<Problem>('POST', `${at}/resolve`, { outcome: 'live' })).body).toMatchObject({
    code: 'invalid_state',
  })
  await ann.must('POST', `${at}/retry`)
  await eventually(async () => (await state()) === 'FAILED')
  await sql.query(`update delivery set state = 'UNCONFIRMED', unproven = true where message_id = $1`, [sent.id])
  expect((await ann.call<Problem>('POST', `${at}/retry`)).body).toMatchObject({ status: 409, code: 'outcome_unknown' })
  await ann.must('POST', `${at}/resolve`, { outcome: 'live' })
  expect(await state()).toBe('PUBLISHED')
  expect((await commentsBelow(sandbox.url, page.postId)).filter(({ text }) => text.includes('Sorry'))).toEqual([])
})

test('an answer is limited to the length that the network accepts', async () => {
  const thread = await write('Sue')
  const at = `/conversations/${thread.id}/messages`
  const refused = await ann.call<Problem>('POST', at, { text: 'x'.repeat(2001), privately: true })
  expect(refused.body.errors).toMatchObject([{ path: '/text', code: 'too_long', limit: 2000 }])
})

test("a person’s answer in the network’s own inbox is shown as a person's", async () => {
  await page.play({ kind: 'dm', from: { name: 'Tim' }, text: 'Anybody?' })
  const thread = await eventually(async () => (await threadsOf(ann, '?kind=DM'))[0])
  await page.play({ kind: 'echo', from: { name: 'Tim' }, text: 'From the other app' })
  const { messages } = await eventually(async () => {
    const found = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
    // The thread may have been read a moment before its messages.
    return found.messages.length === 2 && found.botPausedAt !== null && found
  })
  expect(messages[1]).toMatchObject({
    source: 'AGENT_MANUAL',
    author: null,
    direction: 'OUT',
    text: 'From the other app',
  })
})
