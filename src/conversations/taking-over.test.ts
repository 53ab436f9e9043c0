import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../test/fixtures.ts'
import { messagesAt, openInbox, type OpenedInbox, tellOfPage, threadOf, threadsOf } from '../../test/inbox.ts'
import { addJob } from '../../test/jobs.ts'
import {
  addFault,
  confirmEmail,
  eventually,
  graphError,
  newPerson,
  type Person,
  type Problem,
  skipAnswerWaits,
} from '../../test/world.ts'
import type { Message, OpenThread, Thread } from './threads/api.ts'
import type { Decision, DraftReply } from './decisions/api.ts'
import type { ReplyExperiment } from './experiments/api.ts'
import type { Memory } from './memory/api.ts'

// A thread that the bot and people answer in turn: retries, closing with undo, and drafts that a person sends.

const { product, sandbox, sql } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox

const ANSWER = 'Yes, we deliver everywhere in Berlin.'
const ASKED = 'Do you deliver to Berlin?'
const set = (config: object) =>
  ann.must('PUT', '/ice/bot-config', {
    isEnabled: true,
    faqEntries: [
      { question: ASKED, answer: ANSWER },
      { question: 'When are you open?', answer: 'We are open daily from 9 to 18.' },
    ],
    maxConfidenceForAuto: 0.7,
    replyDelaySeconds: 0,
    abTestingEnabled: false,
    ...config,
  })

beforeAll(async () => {
  ann = await newPerson(product.url)
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u4051')
})
beforeEach(() => set({ isEnabled: false }))

const at = ({ id }: Pick<Thread, 'id'>) => `/conversations/${id}`
const read = (thread: Pick<Thread, 'id'>) => ann.must<OpenThread>('GET', at(thread))
const until = (thread: Pick<Thread, 'id'>, holds: (found: OpenThread) => unknown) =>
  eventually(async () => {
    const found = await read(thread)
    return holds(found) ? found : undefined
  })
const write = (name: string, text = ASKED) => page.play({ kind: 'dm', from: { name }, text })
const asks = async (name: string, text = ASKED) => {
  await write(name, text)
  return threadOf(ann, name)
}
const act = (thread: Pick<Thread, 'id'>, name: string, body: object = {}) =>
  ann.must<Thread>('POST', `${at(thread)}/${name}`, body)
const suggest = (thread: Pick<Thread, 'id'>) => ann.must<DraftReply>('POST', `${at(thread)}/suggest`)
const approve = ({ id }: Pick<DraftReply, 'id'>) => ann.call<Problem>('POST', `/ice/replies/${id}/approve`, {})
const isLast = (state: string) => (thread: OpenThread) => thread.messages.at(-1)?.delivery?.state === state
const reviewed = async () => (await threadsOf(ann, '?view=review&limit=100')).map(({ id }) => id)
const refuseNext = () =>
  addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'POST', path: '/messages' },
    do: { status: 400, body: graphError({ message: 'Not now', code: 100 }) },
    times: 1,
  })
const failedAnswer = async (thread: Pick<Thread, 'id'>, text: string) => {
  await refuseNext()
  const sent = await ann.must<Message>('POST', `${at(thread)}/messages`, { text })
  await until(thread, isLast('FAILED'))
  return sent
}

describe('an answer that failed and is sent after all', () => {
  test('supersedes a draft once it is retried, so that nobody sends both', async () => {
    const thread = await asks('Retried')
    const sent = await failedAnswer(thread, 'Yes')
    const draft = await suggest(thread)
    await ann.must('POST', `${at(thread)}/messages/${sent.id}/retry`)
    expect(await read(thread)).toMatchObject({ held: null, drafts: [] })
    const refused = await approve(draft)
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'invalid_state', current: 'SUPERSEDED' }])
  })

  test('supersedes a reply of the bot that waits, once it is retried', async () => {
    const thread = await asks('Draft retried')
    const draft = await suggest(thread)
    await refuseNext()
    expect((await approve(draft)).status).toBe(200)
    const failed = await until(thread, isLast('FAILED'))
    await set({ replyDelaySeconds: 60 })
    await write('Draft retried', 'When are you open?')
    const waiting = await until(thread, ({ decisionLog }) => decisionLog?.some(({ step }) => step === 'delay'))
    await ann.must('POST', `${at(thread)}/messages/${failed.messages.at(-1)!.id}/retry`)
    const decision = await eventually(async () => {
      const found = await ann.must<Decision>('GET', `/ice/decisions/${waiting.decisionId}`)
      return found.verdict !== null && found
    })
    expect(decision.verdict).toBe('SUPERSEDED')
    const { messages } = await until(thread, (found) =>
      found.messages.some(({ delivery }) => delivery?.state === 'PUBLISHED'),
    )
    expect(messages.filter(({ direction }) => direction === 'OUT').map(({ source }) => source)).toEqual([
      'BOT_SUGGESTED',
    ])
  })

  test('supersedes a draft once a late echo proves it', async () => {
    const { threadKey } = await write('Late')
    const thread = await threadOf(ann, 'Late')
    const match = { network: 'NET_PAGE', method: 'POST', path: '/messages' }
    await addFault(sandbox.url, { match, do: { drop: 'before' }, times: 1 })
    const sent = await ann.must<Message>('POST', `${at(thread)}/messages`, { text: 'Here it is' })
    await eventually(async () => {
      await skipAnswerWaits(sql, page.account.id)
      return isLast('FAILED')(await read(thread))
    })
    const draft = await suggest(thread)
    await tellOfPage(product.url, page.account.externalId, {
      sender: { id: page.account.externalId },
      recipient: { id: threadKey.slice('dm:'.length) },
      timestamp: Date.now(),
      message: { mid: 'm_late_2', text: 'Here it is', is_echo: true, app_id: 1, metadata: sent.id },
    })
    await until(thread, isLast('PUBLISHED'))
    expect(await read(thread)).toMatchObject({ held: null, drafts: [] })
    expect((await approve(draft)).status).toBe(409)
  })
})

describe('a closed thread', () => {
  test('is not in review, and a person who reopens it finds its draft there again', async () => {
    const thread = await asks('Undone')
    const draft = await suggest(thread)
    expect(await reviewed()).toContain(thread.id)
    expect(await act(thread, 'close')).toMatchObject({ status: 'CLOSED', held: null })
    expect(await reviewed()).not.toContain(thread.id)
    expect(await act(thread, 'reopen')).toMatchObject({ held: { reason: 'suggested', draftId: draft.id } })
    expect(await reviewed()).toContain(thread.id)
    await act(thread, 'close')
    expect((await approve(draft)).status).toBe(200)
    expect(await act(thread, 'reopen')).toMatchObject({ held: null })
  })

  test('has no pause of the bot; one that a person reopens has it again, one that its customer opens has not', async () => {
    const thread = await asks('Paused')
    await ann.must('POST', `${at(thread)}/messages`, { text: 'Yes' })
    const { botPausedAt } = await read(thread)
    expect(botPausedAt).not.toBeNull()
    expect(await act(thread, 'close')).toMatchObject({ botPausedAt: null })
    expect(await act(thread, 'reopen')).toMatchObject({ botPausedAt })
    await act(thread, 'close')
    await write('Paused', 'One more thing')
    expect(await until(thread, ({ status }) => status === 'OPEN')).toMatchObject({ botPausedAt: null })
    // Nothing is left of a pause that has ended.
    await act(thread, 'close')
    expect(await act(thread, 'reopen')).toMatchObject({ botPausedAt: null })
  })

  test('keeps a pause that began after it was closed: the bot does not answer over a person', async () => {
    const thread = await asks('Answered after')
    await act(thread, 'close')
    await ann.must('POST', `${at(thread)}/messages`, { text: 'Yes' })
    await write('Answered after', 'Thanks')
    expect((await until(thread, ({ status }) => status === 'OPEN')).botPausedAt).not.toBeNull()
  })

  test('which the bot answered is closed after a day with a notice of the system, and its pause ends too', async () => {
    await set({})
    const thread = await asks('Silent')
    await until(thread, (found) => found.messages.length === 2 && isLast('PUBLISHED')(found))
    await act(thread, 'bot', { paused: true })
    await sql.query(`update thread set last_out_at = last_out_at - interval '25 hours' where id = $1`, [thread.id])
    await addJob(sql, 'inbox-watch', {})
    const closed = await until(thread, ({ status }) => status === 'CLOSED')
    expect(closed.botPausedAt).toBeNull()
    expect(closed.messages.at(-1)).toMatchObject({ kind: 'NOTE', source: 'SYSTEM', author: null })
    expect(closed.messages.at(-1)!.text).toMatch(/^Closed: /)
    await write('Silent', 'Thanks')
    expect(await until(thread, ({ status }) => status === 'OPEN')).toMatchObject({ botPausedAt: null })
  })

  test('a thread that cannot be closed does not keep people from hearing of customers who wait', async () => {
    await set({})
    const thread = await asks('Stuck')
    await until(thread, (found) => found.messages.length === 2 && isLast('PUBLISHED')(found))
    await sql.query(`update thread set last_out_at = last_out_at - interval '25 hours' where id = $1`, [thread.id])
    await set({ isEnabled: false })
    const waiting = await asks('Waiting')
    await sql.query(`update thread set unanswered_at = unanswered_at - interval '25 hours' where id = $1`, [waiting.id])
    // A change that was parked although its message is there is applied too.
    await sql.query(
      `update inbound_event e set waits = true, about = m.external_id from message m
      where m.thread_id = $1 and e.account_id = m.account_id and e.event ->> 'id' = m.external_id`,
      [waiting.id],
    )
    const parked = `select from inbound_event e join message m on m.external_id = e.about where m.thread_id = $1 and e.waits`
    expect((await sql.query(parked, [waiting.id])).rowCount).toBe(1)
    await sql.query(`create function break_off() returns trigger language plpgsql as
      $$begin raise exception 'broken off' using errcode = '58000'; end$$;
      create trigger broken before update on thread for each row when (new.status = 'CLOSED') execute function break_off()`)
    try {
      await addJob(sql, 'inbox-watch', {})
      await eventually(async () => {
        const told = await sql.query('select from thread where id = $1 and told_wait is not null', [waiting.id])
        return told.rowCount === 1
      })
      await eventually(async () => (await sql.query(parked, [waiting.id])).rowCount === 0)
      expect((await read(thread)).status).toBe('OPEN')
    } finally {
      await sql.query('drop trigger broken on thread; drop function break_off')
    }
    await until(thread, ({ status }) => status === 'CLOSED')
  })
})

test('an experiment that is decided is accepted as it was read, and nothing else decides one', async () => {
  const variants = { variantA: { name: 'A' }, variantB: { name: 'B' } }
  const { id } = await ann.must<ReplyExperiment>('POST', '/ice/experiments', { name: 'Decided', ...variants })
  const at = `/ice/experiments/${id}`
  expect(await ann.call<Problem>('PATCH', at, { state: 'DECIDED' })).toMatchObject({
    status: 422,
    body: { code: 'validation_failed', errors: [{ path: '/state', code: 'not_allowed' }] },
  })
  await sql.query(
    `update reply_experiment set state = 'DECIDED', winner = 'A', started_at = now(), ended_at = now() where id = $1`,
    [id],
  )
  const decided = await ann.must<ReplyExperiment>('GET', at)
  expect(await ann.must<ReplyExperiment>('PATCH', at, decided)).toEqual(decided)
  const renamed = await ann.must<ReplyExperiment>('PATCH', at, { ...decided, name: 'Renamed' })
  expect(renamed).toMatchObject({ name: 'Renamed', state: 'DECIDED', endedAt: decided.endedAt })
  expect(await ann.call<Problem>('PATCH', at, { state: 'STOPPED' })).toMatchObject({ status: 409 })
})

test('a variant without a name is called by its letter', async () => {
  const variants = { variantA: { style: 'short' }, variantB: { style: 'warm' } }
  const made = await ann.must<ReplyExperiment>('POST', '/ice/experiments', { name: 'Unnamed', ...variants })
  expect(made).toMatchObject({ variantA: { name: 'A', style: 'short' }, variantB: { name: 'B', style: 'warm' } })
  expect(await ann.must('PATCH', `/ice/experiments/${made.id}`, variants)).toEqual(made)
})

test('a draft that a person sends counts as a use of memory and as served, once', async () => {
  const variants = { variantA: { name: 'A', style: 'short' }, variantB: { name: 'B', style: 'warm' } }
  const { id } = await ann.must<ReplyExperiment>('POST', '/ice/experiments', { name: 'Tone', ...variants })
  await set({ maxConfidenceForAuto: 1, abTestingEnabled: true })
  await ann.must('PATCH', `/ice/experiments/${id}`, { state: 'RUNNING' })
  const thread = await asks('Known', `My size is XL. ${ASKED}`)
  const first = (await until(thread, ({ drafts }) => drafts.length > 0)).drafts[0]!
  await write('Known', `Hello? ${ASKED}`)
  const draft = (await until(thread, ({ drafts }) => drafts.length > 0 && drafts[0]!.id !== first.id)).drafts[0]!
  const counted = async () => {
    const { data } = await ann.must<{ data: Memory[] }>('GET', `/ice/memory?conversationId=${thread.id}`)
    const { variantACount, variantBCount } = await ann.must<ReplyExperiment>('GET', `/ice/experiments/${id}`)
    return { hits: data.map(({ hitCount }) => hitCount), served: variantACount + variantBCount }
  }
  expect(await counted()).toEqual({ hits: [0], served: 0 })
  expect((await approve(draft)).status).toBe(200)
  const sent = await until(thread, isLast('PUBLISHED'))
  expect(await counted()).toEqual({ hits: [1], served: 1 })
  // The event of the message gives it an id that it did not have, which settles it once more.
  const { externalId, id: messageId } = sent.messages.at(-1)!
  await sql.query('update delivery set external_id = null where message_id = $1', [messageId])
  await sql.query('update message set external_id = null where id = $1', [messageId])
  await sql.query('update inbound_event set done_at = null where workspace_id = $1 and key = $2', [
    ann.workspaceId,
    `e:${externalId}`,
  ])
  await write('Other', 'Hello')
  await until(thread, ({ messages }) => messages.at(-1)?.externalId === externalId)
  expect(await counted()).toEqual({ hits: [1], served: 1 })
  expect((await messagesAt(sandbox.url, page.account.externalId)).map(({ text }) => text)).toContain(ANSWER)
})

test('a reply that is sent names the winner of its experiment, without a further conversion', async () => {
  const variants = { variantA: { name: 'A', style: 'short' }, variantB: { name: 'B', style: 'warm' } }
  const { id } = await ann.must<ReplyExperiment>('POST', '/ice/experiments', { name: 'Hundredth', ...variants })
  const { data } = await ann.must<{ data: ReplyExperiment[] }>('GET', '/ice/experiments')
  for (const { id: other } of data.filter(({ state }) => state === 'RUNNING'))
    await ann.must('PATCH', `/ice/experiments/${other}`, { state: 'STOPPED' })
  await ann.must('PATCH', `/ice/experiments/${id}`, { state: 'RUNNING' })
  await set({ maxConfidenceForAuto: 1, abTestingEnabled: true })
  const thread = await asks('Hundredth')
  const [draft] = (await until(thread, ({ drafts }) => drafts.length > 0)).drafts
  const { rows } = await sql.query<{ variant: 'A' | 'B' }>(`select variant from exposure where experiment_id = $1`, [
    id,
  ])
  const [mine, other] = rows[0]!.variant === 'A' ? ['A', 'B'] : ['B', 'A']
  // The other variant has served its hundred, and 40 of them were content. Ours has served 99.
  await sql.query(
    `with made as (select gen_random_uuid() as id, n from generate_series(1, 199) n),
        node as (insert into audience_node (workspace_id, id, name) select $1, id, 'Served ' || n from made),
        identity as (insert into audience_identity (workspace_id, id, node_id, account_id, hash, value)
          select $1, id, id, $2, 'served ' || n, 'x' from made)
      insert into exposure (workspace_id, experiment_id, identity_id, variant, drafted_at, served_at, converted_at)
        select $1, $3, id, case when n <= 99 then $4 else $5 end, app_now(), app_now(), case when n > 159 then app_now() end
        from made`,
    [ann.workspaceId, page.account.id, id, mine, other],
  )
  const now = () => ann.must<ReplyExperiment>('GET', `/ice/experiments/${id}`)
  expect(await now()).toMatchObject({ state: 'RUNNING', winnerId: null })
  expect((await approve(draft!)).status).toBe(200)
  await until(thread, isLast('PUBLISHED'))
  expect(await now()).toMatchObject({ state: 'DECIDED', winnerId: other, variantACount: 100, variantBCount: 100 })
})
