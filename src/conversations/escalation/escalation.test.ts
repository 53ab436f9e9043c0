import { beforeAll, describe, expect, test } from 'vitest'
import { behave } from '../../../test/ai.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { type OpenedInbox, openInbox, threadOf } from '../../../test/inbox.ts'
import { confirmEmail, eventually, join, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Notification } from '../../team/notifications/api.ts'
import type { OpenThread, Thread } from '../threads/api.ts'
import type { EscalationRule } from './api.ts'

const { product, sandbox, sql } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url, 'Ann')
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u3801')
})

const write = (name: string, text: string) => page.play({ kind: 'comment', postId: page.postId, from: { name }, text })
const notices = async (person: Person, kind: string) =>
  (await person.must<{ data: Notification[] }>('GET', '/notifications?limit=100')).data.filter(
    (notice) => notice.kind === kind && notice.workspaceId === ann.workspaceId,
  )

test('the first matching rule escalates, assigns the least loaded member, and notifies the roles that it names', async () => {
  // Has the fewest threads, but may not answer.
  const gus = await join(ann, 'Gus', 'EDITOR')
  await sql.query('update app_user set disabled_at = app_now() where id = $1', [gus.session.user.id])
  const [eve, eli] = [await join(ann, 'Eve', 'EDITOR'), await join(ann, 'Eli', 'EDITOR')]
  const vic = await join(ann, 'Vic', 'VIEWER')
  await ann.must('POST', '/ice/escalation-rules', { keywords: ['refund'], assignToRole: 'OWNER', position: 5 })
  await ann.must('POST', '/ice/escalation-rules', {
    keywords: ['refund', 'lawyer'],
    assignToRole: 'EDITOR',
    notifyRoles: ['VIEWER'],
    position: 1,
  })
  await write('Busy', 'Nice shop')
  const busy = await threadOf(ann, 'Busy')
  expect(busy).toMatchObject({ status: 'OPEN', assignee: null, urgency: 'MEDIUM' })
  const [first, second] = [eve, eli].toSorted((a, b) => (a.session.user.id < b.session.user.id ? -1 : 1))
  await ann.must('POST', `/conversations/${busy.id}/assign`, { userId: first!.session.user.id })
  await write('Cross', 'I want a REFUND now')
  const cross = await eventually(async () => {
    const thread = await threadOf(ann, 'Cross')
    return thread.status === 'ESCALATED' && thread
  })
  expect(cross).toMatchObject({ urgency: 'HIGH', assignee: { id: second!.session.user.id } })
  expect(await notices(second!, 'thread_assigned')).toMatchObject([{ data: { threadId: cross.id, by: '' } }])
  expect(await notices(second!, 'thread_escalated')).toEqual([])
  expect(await notices(vic, 'thread_escalated')).toMatchObject([{ data: { threadId: cross.id, by: '' } }])
  expect(await notices(ann, 'thread_escalated')).toEqual([])
  const { rows } = await sql.query(
    `select detail ->> 'assignee' as assignee from audit_entry where object ->> 'threadId' = $1 and action = 'thread.assigned'`,
    [cross.id],
  )
  expect(rows).toEqual([{ assignee: second!.session.user.id }])
})

test('an assigned thread keeps its assignee, and a closed one is escalated again', async () => {
  await write('Own', 'Hello')
  const thread = await threadOf(ann, 'Own')
  await ann.must('POST', `/conversations/${thread.id}/assign`, { userId: ann.session.user.id })
  await ann.must('PATCH', `/conversations/${thread.id}`, { urgency: 'CRITICAL' })
  await ann.must('POST', `/conversations/${thread.id}/close`)
  await page.play({
    kind: 'comment',
    parentId: thread.messages[0]!.externalId!,
    from: { name: 'Own' },
    text: 'My lawyer writes to you',
  })
  const escalated = await eventually(async () => {
    const now = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
    return now.status === 'ESCALATED' && now
  })
  expect(escalated).toMatchObject({ urgency: 'HIGH', assignee: { name: 'Ann' } })
})

test('only an admin writes rules, and a rule without a condition is refused', async () => {
  const eve = await join(ann, 'Ena', 'EDITOR')
  expect((await eve.call<Problem>('POST', '/ice/escalation-rules', { keywords: ['x'] })).body.code).toBe(
    'role_required',
  )
  expect((await ann.call<Problem>('POST', '/ice/escalation-rules', { notifyRoles: ['OWNER'] })).body.code).toBe(
    'validation_failed',
  )
  const rule = await ann.must<EscalationRule>('POST', '/ice/escalation-rules', { keywords: ['angry'] })
  const at = `/ice/escalation-rules/${rule.id}`
  expect((await ann.call<Problem>('PATCH', at, { keywords: [] })).body.code).toBe('validation_failed')
  expect(await ann.must('PATCH', at, { urgency: 'HIGH', keywords: [] }, { 'if-match': '"1"' })).toMatchObject({
    version: 2,
    keywords: [],
    urgency: 'HIGH',
  })
  expect((await ann.call<Problem>('PATCH', at, { urgency: 'LOW' }, { 'if-match': '"1"' })).body.code).toBe(
    'stale_version',
  )
  await ann.must('DELETE', at)
  const { data } = await eve.must<{ data: EscalationRule[] }>('GET', '/ice/escalation-rules')
  expect(data.map(({ position }) => position)).toEqual([1, 5])
})

test('a deleted rule no longer escalates', async () => {
  const { data } = await ann.must<{ data: EscalationRule[] }>('GET', '/ice/escalation-rules')
  for (const { id } of data) await ann.must('DELETE', `/ice/escalation-rules/${id}`)
  await write('Late', 'refund please')
  const { status }: Thread = await threadOf(ann, 'Late')
  expect(status).toBe('OPEN')
})

describe('a rule of words beside the bot', () => {
  const handoffText = 'A colleague will answer you.'
  let rule: EscalationRule
  beforeAll(async () => {
    rule = await ann.must('POST', '/ice/escalation-rules', { keywords: ['lawyer'] })
  })
  const set = (config: object) => ann.must('PUT', '/ice/bot-config', { handoffText, autoReplyDMs: true, ...config })
  const tell = (name: string, text: string) => page.play({ kind: 'dm', from: { name }, text })
  const until = (name: string, holds: (thread: OpenThread) => unknown) =>
    eventually(async () => {
      const thread = await threadOf(ann, name)
      return holds(thread) ? thread : undefined
    })
  const isEscalated = ({ status }: Thread) => status === 'ESCALATED'
  const said = ({ messages }: OpenThread) =>
    messages.filter(({ source }) => source === 'BOT_AUTO').map(({ text }) => text)
  const isTold = (thread: OpenThread) => isEscalated(thread) && said(thread).length > 0

  test('is a step of the decision, which sends the hand-off text once', async () => {
    await set({ isEnabled: true })
    await tell('Told', 'I will call my lawyer.')
    const told = await until('Told', isTold)
    expect(said(told)).toEqual([handoffText])
    expect(told.decisionLog?.at(-1)).toMatchObject({ step: 'escalation_rules', outcome: `rule ${rule.id}` })
    await tell('Told', 'My lawyer is very good.')
    await until('Told', ({ messages }) => messages.length === 3)
    expect(said(await threadOf(ann, 'Told'))).toEqual([handoffText])
  })

  test('holds for a message whose decision the next one ended', async () => {
    await set({ isEnabled: true })
    await behave(product.url, { delayMs: 10_000 })
    await tell('Quick', 'I will call my lawyer.')
    await until('Quick', ({ messages }) => messages.length === 1)
    await tell('Quick', 'Is anybody there?')
    await until('Quick', ({ messages }) => messages.length === 2)
    await behave(product.url, {})
    expect(said(await until('Quick', isTold))).toEqual([handoffText])
  })

  test('is still told to a customer who writes again before it is sent, but not once a person has answered', async () => {
    await set({ isEnabled: true })
    await ann.must('PATCH', `/social-accounts/${page.account.id}`, { paused: true })
    for (const name of ['Eager', 'Answered']) {
      await tell(name, 'I will call my lawyer.')
      await until(name, isEscalated)
      await tell(name, 'Do you hear me?')
      await until(name, ({ messages }) => messages.filter(({ direction }) => direction === 'IN').length === 2)
    }
    const answered = await threadOf(ann, 'Answered')
    await ann.must('POST', `/conversations/${answered.id}/messages`, { text: 'Yes, this is Ann.' })
    await ann.must('PATCH', `/social-accounts/${page.account.id}`, { paused: false })
    expect(said(await until('Eager', isTold))).toEqual([handoffText])
    await until('Answered', ({ messages }) => messages.some(({ delivery }) => delivery?.state === 'PUBLISHED'))
    expect(said(await threadOf(ann, 'Answered'))).toEqual([])
  })

  test('escalates without a text where the bot is paused in the conversation, or off for it', async () => {
    await set({ isEnabled: true })
    await tell('Paused', 'Hello')
    const { id } = await until('Paused', ({ messages }) => messages.length > 0)
    await ann.must('POST', `/conversations/${id}/bot`, { paused: true })
    await tell('Paused', 'I will call my lawyer.')
    expect(said(await until('Paused', isEscalated))).not.toContain(handoffText)
    await set({ isEnabled: true, autoReplyDMs: false })
    await tell('Off for it', 'I will call my lawyer.')
    expect(said(await until('Off for it', isEscalated))).toEqual([])
  })

  test('escalates at once and without a text while the bot is off', async () => {
    await set({ isEnabled: false })
    await tell('Off', 'I will call my lawyer.')
    const off = await until('Off', isEscalated)
    expect([said(off), off.decisionLog]).toEqual([[], null])
  })
})
