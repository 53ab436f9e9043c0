import { beforeAll, beforeEach, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { type OpenedInbox, openInbox, threadOf, threadsOf } from '../../../test/inbox.ts'
import { confirmEmail, eventually, join, newPerson, type Person } from '../../../test/world.ts'
import type { OpenThread } from '../threads/api.ts'

// What a thread asks of people: how urgent it is, whether it needs their review, and who is told.

const { product, sandbox, sql } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url, 'Ann')
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u5961')
})
beforeEach(() =>
  ann.must('PUT', '/ice/bot-config', {
    isEnabled: true,
    faqEntries: [{ question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' }],
    maxConfidenceForAuto: 1,
    blockedTopics: [],
  }),
)

const write = (name: string, text: string, more: object = {}) =>
  page.play({ kind: 'dm', from: { name }, text, ...more })
/** Waits until the newest message of a thread is decided. */
const decided = (name: string, holds: (thread: OpenThread) => boolean = () => true) =>
  eventually(async () => {
    const before = await threadOf(ann, name)
    if (!holds(before)) return false
    const { rows } = await sql.query(
      `select from thread t where t.id = $1 and exists (select from decision d where d.thread_id = t.id
        and d.message_id = (select id from message m where m.thread_id = t.id and m.direction = 'IN' order by at desc, id desc limit 1))
        and not exists (select from decision d where d.thread_id = t.id and d.state <> 'DONE')`,
      [before.id],
    )
    return rows.length > 0 && threadOf(ann, name)
  })
const hear = async (name: string, text: string) => {
  const before = (await threadsOf(ann, '?limit=100')).find(({ customer }) => customer?.name === name)
  const count = before ? (await threadOf(ann, name)).messages.length : 0
  await write(name, text)
  return decided(name, ({ messages }) => messages.length > count)
}
const reply = (thread: OpenThread) =>
  ann.must('POST', `/conversations/${thread.id}/messages`, { text: 'We see to it.' })
const isInReview = async (name: string) =>
  (await threadsOf(ann, '?view=review&limit=100')).some(({ customer }) => customer?.name === name)

test('while a customer waits, a thread is as urgent as the most urgent of the messages', async () => {
  // The bot holds what is about this topic, and escalates nothing.
  await ann.must('PUT', '/ice/bot-config', { blockedTopics: ['cups'] })
  expect(await hear('Wes', 'Thanks for the cups!')).toMatchObject({ status: 'OPEN', urgency: 'LOW' })
  const broken = await hear('Wes', 'The cups arrived broken, this is terrible')
  expect(broken).toMatchObject({ status: 'OPEN', urgency: 'HIGH' })
  expect(await hear('Wes', 'Thanks for the cups!')).toMatchObject({ status: 'OPEN', urgency: 'HIGH' })
})

test('after an answer only the newest message counts, also after an escalation', async () => {
  const broken = await hear('Una', 'It arrived broken, this is terrible')
  expect(broken).toMatchObject({ status: 'ESCALATED', urgency: 'HIGH' })
  await reply(broken)
  expect(await hear('Una', 'Thanks!')).toMatchObject({ urgency: 'LOW' })
})

test('what a person set stays until the thread is closed and opens again', async () => {
  const { id } = await hear('Pia', 'Do you deliver to Berlin?')
  await ann.must('PATCH', `/conversations/${id}`, { urgency: 'CRITICAL' })
  expect(await hear('Pia', 'Thanks!')).toMatchObject({ urgency: 'CRITICAL' })
  await reply(await threadOf(ann, 'Pia'))
  expect(await hear('Pia', 'Thanks again!')).toMatchObject({ urgency: 'CRITICAL' })
  await ann.must('POST', `/conversations/${id}/close`)
  expect(await hear('Pia', 'Thanks for all!')).toMatchObject({ urgency: 'LOW' })
})

test('a rule judges the urgency of the message itself, not of those before it', async () => {
  const rule = await ann.must<{ id: string }>('POST', '/ice/escalation-rules', { urgency: 'HIGH' })
  const broken = await hear('Rue', 'It arrived broken, this is terrible')
  expect(broken).toMatchObject({ status: 'ESCALATED', urgency: 'HIGH' })
  await reply(broken)
  await ann.must('POST', `/conversations/${broken.id}/close`)
  expect(await hear('Rue', 'Thanks!')).toMatchObject({ status: 'OPEN', urgency: 'LOW' })
  await ann.must('DELETE', `/ice/escalation-rules/${rule.id}`)
})

test('a thread leaves the review when it is answered in the network’s own inbox', async () => {
  const held = await hear('Eco', 'Do you deliver to Berlin?')
  expect(held.held).not.toBeNull()
  await eventually(() => isInReview('Eco'))
  await page.play({ kind: 'echo', from: { name: 'Eco' }, text: 'From the other app' })
  await eventually(async () => (await threadOf(ann, 'Eco')).unansweredAt === null)
  expect(await threadOf(ann, 'Eco')).toMatchObject({ held: null })
  expect(await isInReview('Eco')).toBe(false)
})

test('a thread leaves the review when the customer removes the only message', async () => {
  const { id } = await write('Rem', 'Do you deliver to Berlin?')
  await decided('Rem')
  await eventually(() => isInReview('Rem'))
  await page.play({ kind: 'remove', id, from: { name: 'Rem' } })
  await eventually(async () => (await threadOf(ann, 'Rem')).unansweredAt === null)
  expect(await threadOf(ann, 'Rem')).toMatchObject({ held: null })
  expect(await isInReview('Rem')).toBe(false)
})

test('each assignee is told of a held message, and a person at most once in 15 minutes', async () => {
  const [eve, eli] = [await join(ann, 'Eve', 'EDITOR'), await join(ann, 'Eli', 'EDITOR')]
  await ann.must('PUT', '/ice/bot-config', { isEnabled: false })
  for (const [name, person] of [
    ['One', eve],
    ['Two', eli],
    ['Three', eve],
  ] as const) {
    await write(name, 'Hello')
    const { id } = await threadOf(ann, name)
    await ann.must('POST', `/conversations/${id}/assign`, { userId: person.session.user.id })
  }
  await ann.must('PUT', '/ice/bot-config', { isEnabled: true })
  for (const name of ['One', 'Two', 'Three'])
    expect((await hear(name, 'Do you deliver to Berlin?')).held).not.toBeNull()
  expect([await toldOfHeld(eve), await toldOfHeld(eli)]).toEqual([1, 1])
})

test('everyone who answers is told of a held message whose assignee may only read now', async () => {
  const [ida, ira] = [await join(ann, 'Ida', 'EDITOR'), await join(ann, 'Ira', 'EDITOR')]
  await ann.must('PUT', '/ice/bot-config', { isEnabled: false })
  await write('Four', 'Hello')
  const { id } = await threadOf(ann, 'Four')
  await ann.must('POST', `/conversations/${id}/assign`, { userId: ida.session.user.id })
  const member = [ann.workspaceId, ida.session.user.id]
  await sql.query(`update member set role = 'VIEWER' where workspace_id = $1 and user_id = $2`, member)
  await ann.must('PUT', '/ice/bot-config', { isEnabled: true })
  expect((await hear('Four', 'Do you deliver to Berlin?')).held).not.toBeNull()
  expect([await toldOfHeld(ida), await toldOfHeld(ira)]).toEqual([0, 1])
})

async function toldOfHeld(person: Person): Promise<number> {
  const { rows } = await sql.query(
    `select from notification where user_id = $1 and workspace_id = $2 and kind = 'reply_held'`,
    [person.session.user.id, ann.workspaceId],
  )
  return rows.length
}
