import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../test/fixtures.ts'
import { long } from '../../test/tier.ts'
import {
  addFault,
  eventually,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
  uploadPicture,
  skipAnswerWaits,
  graphError,
} from '../../test/world.ts'
import type { Post } from '../publishing/posts/api.ts'
import type { AuditEntry } from '../team/audit/api.ts'
import type { Message, OpenThread } from './threads/api.ts'
import {
  commentsBelow,
  type OpenedInbox,
  messagesAt,
  openInbox,
  threadOf,
  threadsOf,
  untilEventsApplied,
} from '../../test/inbox.ts'

const { product, sandbox, sql } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url)
  page = await openInbox(ann, sandbox.url, 'u3101')
})

const answer = (thread: Pick<OpenThread, 'id'>, body: object, person = ann) =>
  person.must<Message>('POST', `/conversations/${thread.id}/messages`, body)

const untilDelivered = (thread: Pick<OpenThread, 'id'>, id: string, states = ['PUBLISHED']) =>
  eventually(async () => {
    const { messages } = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
    const message = messages.find((each) => each.id === id)
    return states.includes(message?.delivery?.state ?? '') && message
  })

test('a comment becomes a thread in the inbox, and a person’s answer is posted below it once', async () => {
  const comment = await page.play({
    kind: 'comment',
    postId: page.postId,
    from: { name: 'Cara' },
    text: 'Is it decaf? ☕',
  })
  const thread = await threadOf(ann, 'Cara')
  expect(thread).toMatchObject({ kind: 'COMMENT', status: 'OPEN', unread: true, post: { externalId: page.postId } })
  expect(thread.messages).toMatchObject([{ source: 'CUSTOMER', text: 'Is it decaf? ☕', externalId: comment.id }])
  const sent = await answer(thread, { text: 'Yes, it is.', seen: thread.messages[0]!.id })
  expect(sent).toMatchObject({
    source: 'AGENT_MANUAL',
    direction: 'OUT',
    author: { name: 'Ann' },
    delivery: { kind: 'reply' },
  })
  const done = await untilDelivered(thread, sent.id)
  expect(done.externalId).not.toBeNull()
  const below = await commentsBelow(sandbox.url, page.postId)
  expect(below.filter(({ text }) => text === 'Yes, it is.')).toMatchObject([
    { id: done.externalId, from: { id: page.account.externalId } },
  ])
  // The network reports our own answer too, which adds no second message.
  await untilEventsApplied(sandbox.url, sql, ann)
  const { messages, unansweredAt } = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
  expect(messages.map(({ text }) => text)).toEqual(['Is it decaf? ☕', 'Yes, it is.'])
  expect(unansweredAt).toBeNull()
})

test('an answer whose response was lost is found by reading, and not sent again', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Dora' }, text: 'Open on Sunday?' })
  const thread = await threadOf(ann, 'Dora')
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'POST', path: '/comments' },
    do: { drop: 'after' },
    times: 1,
  })
  const sent = await answer(thread, { text: 'From ten to four.' })
  await untilDelivered(thread, sent.id)
  const below = await commentsBelow(sandbox.url, page.postId)
  expect(below.filter(({ text }) => text === 'From ten to four.')).toHaveLength(1)
})

test('an answer that provably never arrived fails and is not resent automatically', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Abe' }, text: 'Still there?' })
  const thread = await threadOf(ann, 'Abe')
  const match = { network: 'NET_PAGE', method: 'POST', path: '/comments' }
  await addFault(sandbox.url, { match, do: { drop: 'before' }, times: 1 })
  const sent = await answer(thread, { text: 'We are.' })
  const failed = await eventually(async () => {
    await skipAnswerWaits(sql, page.account.id)
    const last = (await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)).messages.at(-1)
    return ['FAILED', 'PUBLISHED'].includes(last?.delivery?.state ?? '') && last
  })
  expect(failed.delivery).toMatchObject({ state: 'FAILED', error: { retryable: true } })
  const unansweredAt = async () => (await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)).unansweredAt
  expect(await unansweredAt()).toBe(thread.unansweredAt)
  expect((await commentsBelow(sandbox.url, page.postId)).filter(({ text }) => text === 'We are.')).toEqual([])
  await ann.must('POST', `/conversations/${thread.id}/messages/${sent.id}/retry`)
  expect(await unansweredAt()).toBeNull()
  await untilDelivered(thread, sent.id)
  expect((await commentsBelow(sandbox.url, page.postId)).filter(({ text }) => text === 'We are.')).toHaveLength(1)
})

test('an answer fails with the message of its network, without what the database refuses in a text', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Nora' }, text: 'Any cake left?' })
  const thread = await threadOf(ann, 'Nora')
  const message = `Wrong \u0000here ${'x'.repeat(1_987)}\u{1f382} and more`
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'POST', path: '/comments' },
    do: { status: 400, body: graphError({ message, code: 100 }) },
    times: 1,
  })
  const sent = await answer(thread, { text: 'Yes, two.' })
  const failed = await untilDelivered(thread, sent.id, ['FAILED'])
  expect(failed.delivery?.error?.message).toBe(`Wrong here ${'x'.repeat(1_987)}`)
})

test('a direct message is answered once, and refused once the window for people has ended', async () => {
  await page.play({ kind: 'dm', from: { name: 'Eve' }, text: 'Do you deliver?' })
  const thread = await eventually(async () =>
    (await threadsOf(ann, '?kind=DM')).find(({ lastMessage }) => lastMessage?.text === 'Do you deliver?'),
  )
  expect(thread.windowUntil).not.toBeNull()
  const sent = await answer(thread, { text: 'We do.' })
  await untilDelivered(thread, sent.id)
  expect((await messagesAt(sandbox.url, page.account.externalId)).map(({ text }) => text)).toEqual([
    'Do you deliver?',
    'We do.',
  ])
  await sql.query(`update thread set human_until = app_now() - interval '1 minute' where id = $1`, [thread.id])
  const refused = await ann.call<Problem>('POST', `/conversations/${thread.id}/messages`, { text: 'Still there?' })
  expect(refused.body).toMatchObject({ code: 'window_closed' })
  expect(await messagesAt(sandbox.url, page.account.externalId)).toHaveLength(2)
})

test('an answer to an older message is refused, and the refusal shows the newer one', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Fay' }, text: 'Hello?' })
  const thread = await threadOf(ann, 'Fay')
  await answer(thread, { text: 'Hello!' })
  const refused = await ann.call<Problem & { message: Message }>('POST', `/conversations/${thread.id}/messages`, {
    text: 'Hi!',
    seen: thread.messages[0]!.id,
  })
  expect(refused.body).toMatchObject({
    status: 409,
    code: 'newer_message',
    message: { text: 'Hello!', source: 'AGENT_MANUAL' },
  })
})

test('a comment is hidden at the network, and shown again', async () => {
  const { id } = await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Gus' }, text: 'Buy pills' })
  const thread = await threadOf(ann, 'Gus')
  const comment = thread.messages[0]!
  const at = `/conversations/${thread.id}/messages/${comment.id}`
  const hiddenThere = async () => (await commentsBelow(sandbox.url, page.postId)).find((each) => each.id === id)?.hidden
  await ann.must('POST', `${at}/hide`)
  expect((await untilDelivered(thread, comment.id)).hiddenAt).not.toBeNull()
  expect(await hiddenThere()).toBe(true)
  await ann.must('POST', `${at}/unhide`)
  await eventually(async () => (await hiddenThere()) === false)
  await eventually(
    async () => (await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)).messages[0]!.hiddenAt === null,
  )
  const { data } = await ann.must<{ data: AuditEntry[] }>('GET', '/audit?action=message')
  const recorded = data.filter(({ object }) => object['threadId'] === thread.id)
  expect(recorded.map(({ action }) => action)).toEqual(['message.shown', 'message.hidden', 'message.received'])
})

test('a comment that is edited and hidden at the same time does not deadlock', async () => {
  const comment = { kind: 'comment', postId: page.postId, from: { name: 'Edda' }, text: 'Bad wrods' }
  const { id } = await page.play(comment)
  const thread = await threadOf(ann, 'Edda')
  // Locks in the order of a person who hides the comment.
  const hiding = await sql.connect()
  try {
    await hiding.query('begin')
    await hiding.query('select from thread where id = $1 for update', [thread.id])
    const { rows } = await hiding.query<{ pid: number }>('select pg_backend_pid() as pid')
    await page.play({ kind: 'edit', id, from: { name: 'Edda' }, text: 'Bad words' })
    await eventually(async () => {
      const waiting = await sql.query('select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))', [
        rows[0]!.pid,
      ])
      return waiting.rowCount === 1
    })
    await hiding.query('select from message where id = $1 for update nowait', [thread.messages[0]!.id])
    await hiding.query('commit')
  } finally {
    hiding.release()
  }
  await eventually(async () => (await threadOf(ann, 'Edda')).messages[0]?.text === 'Bad words')
})

test.runIf(long)('the history shows that a comment could not be hidden', async () => {
  const from = { name: 'Ivo' }
  const { id } = await page.play({ kind: 'comment', postId: page.postId, from, text: 'Buy more pills' })
  const thread = await threadOf(ann, 'Ivo')
  const comment = thread.messages[0]!
  await addFault(sandbox.url, {
    match: { method: 'POST', path: `/${id}` },
    do: { status: 400, body: graphError({ message: 'Not now', code: 100 }) },
    times: 1,
  })
  await ann.must('POST', `/conversations/${thread.id}/messages/${comment.id}/hide`)
  const actions = await eventually(async () => {
    const { data } = await ann.must<{ data: AuditEntry[] }>('GET', '/audit?action=message')
    const recorded = data.filter(({ object }) => object['threadId'] === thread.id).map(({ action }) => action)
    return recorded.includes('message.hide_failed') && recorded
  })
  expect(actions).toEqual(['message.hide_failed', 'message.hidden', 'message.received'])
})

test('a comment gets one private reply, however many are written at the same time', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Hal' }, text: 'My order is late' })
  const thread = await threadOf(ann, 'Hal')
  const tries = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      ann.call<Problem>('POST', `/conversations/${thread.id}/messages`, { text: `Sorry ${n}`, privately: true }),
    ),
  )
  expect(tries.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(tries.filter(({ body }) => body.code === 'invalid_state')).toHaveLength(49)
  await eventually(
    async () =>
      (await messagesAt(sandbox.url, page.account.externalId)).filter(({ text }) => text.startsWith('Sorry')).length ===
      1,
  )
})

test('a customer who wrote earlier has been waiting since then, and messages from the future are refused', async () => {
  const at = new Date(Date.now() - 3 * 3_600_000).toISOString()
  await page.play({ kind: 'dm', from: { name: 'Ida' }, text: 'This morning already', at })
  const { unansweredAt, windowUntil } = await threadOf(ann, 'Ida')
  expect(Date.parse(unansweredAt!)).toBe(Date.parse(at))
  expect(Date.parse(windowUntil!) - Date.parse(at)).toBe(24 * 3_600_000)
  const late = page.play({ kind: 'dm', from: { name: 'Ida' }, at: new Date(Date.now() + 60_000).toISOString() })
  await expect(late).rejects.toThrow('400')
})

test.each([
  { what: 'a direct message', path: '/messages', kind: 'dm', text: 'Which one?', key: 'e:%' },
  { what: 'an answer below a comment', path: '/comments', kind: 'comment', text: 'In what size?', key: 'c:%' },
])('the event of $what that arrives before the network responds is that message', async ({ path, kind, text, key }) => {
  const name = `Early ${kind}`
  await page.play({ kind, ...(kind === 'comment' && { postId: page.postId }), from: { name }, text })
  const thread = await eventually(async () =>
    (await threadsOf(ann, '?limit=100')).find(({ lastMessage }) => lastMessage?.text === text),
  )
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'POST', path },
    do: { after: true, delayMs: 60_000 },
    times: 1,
  })
  const sent = await answer(thread, { text: `The large one, ${kind}.` })
  // A comment waits for the response, because it may be the answer being sent. A message contains the metadata that
  // we sent.
  await eventually(async () => {
    const { rows } = await sql.query<{ waits: boolean }>(
      `select waits from inbound_event e where workspace_id = $1 and key like $2
          and (waits and about = $3 or done_at is not null and key = (select 'e:' || external_id from message where id = $4))`,
      [ann.workspaceId, key, `thread:${thread.id}`, sent.id],
    )
    return rows.length === 1 && rows[0]?.waits === (kind === 'comment')
  })
  const { externalId } = await untilDelivered(thread, sent.id)
  expect(externalId).not.toBeNull()
  await eventually(async () => {
    const { rows } = await sql.query(`select from inbound_event where workspace_id = $1 and done_at is null`, [
      ann.workspaceId,
    ])
    return rows.length === 0
  })
  const { messages } = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
  expect(messages.map(({ direction }) => direction)).toEqual(['IN', 'OUT'])
})

test('the event of an answer whose id is being stored at that moment is that answer, without an error', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Echo' }, text: 'Is it in stock?' })
  const thread = await threadOf(ann, 'Echo')
  const sent = await answer(thread, { text: 'Yes, in both sizes.' })
  const { externalId } = await untilDelivered(thread, sent.id)
  const echo = async () => {
    const { rows } = await sql.query<{ failures: number; done: boolean }>(
      `select failures, done_at is not null as done from inbound_event where workspace_id = $1 and key = $2`,
      [ann.workspaceId, `c:${externalId}`],
    )
    return rows[0]
  }
  await eventually(async () => (await echo())?.done)
  // The moment comes back: the network has answered, and the transaction that stores the id is not over.
  await sql.query('update message set external_id = null where id = $1', [sent.id])
  await sql.query('update inbound_event set done_at = null where workspace_id = $1 and key = $2', [
    ann.workspaceId,
    `c:${externalId}`,
  ])
  const storing = await sql.connect()
  try {
    await storing.query('begin')
    await storing.query('select from thread where id = $1 for update', [thread.id])
    await storing.query('update message set external_id = $2 where id = $1', [sent.id, externalId])
    await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Wake' }, text: 'And in red?' })
    await eventually(async () => {
      const { rows } = await sql.query(`select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%for update of t%'`)
      return rows.length > 0
    })
    await storing.query('commit')
  } finally {
    storing.release()
  }
  await threadOf(ann, 'Wake')
  expect(await echo()).toEqual({ failures: 0, done: true })
  const { messages } = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
  expect(messages.map(({ direction }) => direction)).toEqual(['IN', 'OUT'])
})

/** The network writes the next comment, but its answer comes too late. */
const loseAnswer = () =>
  addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'POST', path: '/comments' },
    do: { after: true, delayMs: 60_000 },
    times: 1,
  })

test('an answer to a person below the comment of another is one message in their thread, whenever its event arrives', async () => {
  const root = await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Root' }, text: 'Do you ship?' })
  const below = { kind: 'comment', postId: page.postId, parentId: root.id }
  await page.play({ ...below, from: { name: 'Branch' }, text: 'To Norway too?' })
  const thread = await threadOf(ann, 'Branch')
  expect(thread.parent).toMatchObject({ author: 'Root', text: 'Do you ship?' })
  expect((await threadOf(ann, 'Root')).parent).toBeNull()
  await loseAnswer()
  const sent = await answer(thread, { text: 'To Norway too.' })
  const { externalId } = await untilDelivered(thread, sent.id)
  await eventually(async () => {
    const { rows } = await sql.query(
      'select from inbound_event where workspace_id = $1 and key = $2 and done_at is not null',
      [ann.workspaceId, `c:${externalId}`],
    )
    return rows.length === 1
  })
  const texts = async ({ id }: Pick<OpenThread, 'id'>) =>
    (await ann.must<OpenThread>('GET', `/conversations/${id}`)).messages.map(({ text }) => text)
  expect(await texts(thread)).toEqual(['To Norway too?', 'To Norway too.'])
  expect(await texts(await threadOf(ann, 'Root'))).toEqual(['Do you ship?'])
})

test('an answer that is already here as written at the network takes the place of that message', async () => {
  const root = await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Stem' }, text: 'Any news?' })
  const other = await threadOf(ann, 'Stem')
  await page.play({
    kind: 'comment',
    postId: page.postId,
    parentId: root.id,
    from: { name: 'Twig' },
    text: 'I wonder too',
  })
  const thread = await threadOf(ann, 'Twig')
  await loseAnswer()
  const sent = await answer(thread, { text: 'News on Friday.' })
  const there = await eventually(async () =>
    (await commentsBelow(sandbox.url, page.postId)).find(({ text }) => text === 'News on Friday.'),
  )
  // Its event was filed in the thread of the first person, and someone has answered it there.
  const foreign = randomUUID()
  await sql.query(
    `insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, parent_id, external_id, at)
      select workspace_id, $2, thread_id, account_id, 'COMMENT', 'OUT', 'AGENT_MANUAL', 'News on Friday.', id, $3, now()
      from message where id = $1`,
    [other.messages[0]!.id, foreign, there.id],
  )
  await sql.query(`update thread set unanswered_at = null, last_out_at = now() where id = $1`, [other.id])
  const reply = { parentId: there.id, from: { name: 'Twig' }, text: 'Great' }
  await page.play({ kind: 'comment', postId: page.postId, ...reply })
  const done = await untilDelivered(thread, sent.id)
  expect(done.externalId).toBe(there.id)
  const after = await ann.must<OpenThread>('GET', `/conversations/${other.id}`)
  expect(after.messages.map(({ text }) => text)).toEqual(['Any news?'])
  expect(after.unansweredAt).toBe(other.unansweredAt)
  await eventually(async () => {
    const { messages } = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
    // The network tells times in seconds, so the order within a second is open.
    const texts = messages.map(({ text }) => text ?? '').toSorted()
    return texts.join() === 'Great,I wonder too,News on Friday.'
  })
})

test('an answer that was sent despite error 1/1357046 is found, and not sent again', async () => {
  await page.play({ kind: 'dm', from: { name: 'Jon' }, text: 'Where is my parcel?' })
  const thread = await threadOf(ann, 'Jon')
  const text = 'On its way [sim:fail 1357046]'
  const sent = await answer(thread, { text })
  await untilDelivered(thread, sent.id)
  const there = await messagesAt(sandbox.url, page.account.externalId)
  expect(there.filter((each) => each.text === text)).toHaveLength(1)
})

test('a message outside the window is refused, with the error code of its network', async () => {
  for (const [network, person, code] of [
    ['NET_PAGE', 'u3102', '10/2018278'],
    ['NET_PHOTO', 'u3103', '10/2534022'],
  ] as const) {
    const inbox = await openInbox(ann, sandbox.url, person, network)
    const name = `Late ${person}`
    const at = new Date(Date.now() - 8 * 86_400_000).toISOString()
    await inbox.play({ kind: 'dm', from: { name }, text: 'Long ago', at })
    const thread = await eventually(async () => (await threadsOf(ann, `?accountId=${inbox.account.id}`))[0])
    // As if our clock were behind the network's.
    const ends = `app_now() + interval '1 hour'`
    await sql.query(`update thread set window_until = ${ends}, human_until = ${ends} where id = $1`, [thread.id])
    const sent = await answer(thread, { text: 'Sorry for the wait' })
    const failed = await untilDelivered(thread, sent.id, ['FAILED'])
    expect(failed.delivery?.error).toMatchObject({ code: 'window_closed', networkCode: code })
  }
})

test.runIf(long)(
  'an answer to a story is a direct message with its story, and a comment below a broadcast is marked as live',
  async () => {
    const photo = await openInbox(ann, sandbox.url, 'u3104', 'NET_PHOTO')
    const story = await ann.must<Post>('POST', '/posts', {
      caption: '',
      targets: [photo.account.id],
      media: [(await uploadPicture(ann)).id],
      platformOptions: { NET_PHOTO: { kind: 'story' } },
      action: 'publish',
    })
    const { publications } = await untilStatus(ann, story.id, ['PUBLISHED'], 60_000)
    await photo.play({ kind: 'story', postId: publications[0]!.externalId, from: { name: 'Sol' }, text: 'Wow' })
    await photo.play({ kind: 'live', from: { name: 'Liv' }, text: 'Hi from Oslo' })
    const threads = await eventually(async () => {
      const found = await threadsOf(ann, `?accountId=${photo.account.id}`)
      return found.length === 2 && found
    })
    const direct = threads.find(({ kind }) => kind === 'DM')!
    expect((await ann.must<OpenThread>('GET', `/conversations/${direct.id}`)).messages).toMatchObject([
      {
        text: 'Wow',
        attachments: [{ type: 'story', state: 'LINK', url: expect.stringContaining(publications[0]!.externalId!) }],
      },
    ])
    expect(direct.live).toBe(false)
    expect(threads.find(({ kind }) => kind === 'COMMENT')).toMatchObject({
      live: true,
      lastMessage: { text: 'Hi from Oslo' },
    })
  },
)
