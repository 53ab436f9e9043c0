import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { messagesAt, type OpenedInbox, openInbox, threadOf, untilSubscribed } from '../../../test/inbox.ts'
import { addJob } from '../../../test/jobs.ts'
import { confirmEmail, connect, eventually, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { BotConfig } from './config/api.ts'

// A plan without the bot: it stays silent and gives its pages to others, and goes on as configured once a plan has it.

const { product, sandbox, sql } = useProduct({ env: FAST })
const ANSWER = 'Yes, we deliver everywhere in Berlin.'
const CONFIG = { isEnabled: true, faqEntries: [{ question: 'Do you deliver to Berlin?', answer: ANSWER }] }
let ann: Person
let bob: Person
let page: OpenedInbox
let bobsPage: SocialAccount

beforeAll(async () => {
  ann = await newPerson(product.url, 'Ann')
  bob = await newPerson(product.url, 'Bob')
  await confirmEmail(ann)
  await confirmEmail(bob)
  page = await openInbox(ann, sandbox.url, 'u5951')
  ;[bobsPage] = (await connect(bob, 'NET_PAGE', 'u5951')) as [SocialAccount]
  await untilSubscribed(bob, bobsPage.id)
  await ann.must('PUT', '/ice/bot-config', CONFIG)
  await bob.must('PUT', '/ice/bot-config', CONFIG)
})

const give = (plan: string) => ann.must('PUT', '/billing/subscription', { plan })
const ask = (name: string, text = 'Do you deliver to Berlin?') => page.play({ kind: 'dm', from: { name }, text })
const answered = (person: Person, name: string) =>
  eventually(async () => {
    const thread = await threadOf(person, name)
    return thread.messages.some(({ source, delivery }) => source === 'BOT_AUTO' && delivery?.state === 'PUBLISHED')
  })
const received = (workspaceId: string, name: string) =>
  eventually(async () => {
    const { rows } = await sql.query<{ id: string; decisions: number }>(
      `select t.id, (select count(*)::int from decision d where d.thread_id = t.id) as decisions from thread t
        join audience_identity i on i.id = t.identity_id join audience_node n on n.id = i.node_id
        where t.workspace_id = $1 and n.name = $2`,
      [workspaceId, name],
    )
    return rows[0]
  })
const claims = async (person: Person) =>
  (
    await sql.query('select from bot_claim where workspace_id = $1 and external_id = $2', [
      person.workspaceId,
      page.account.externalId,
    ])
  ).rows.length
const watch = () => addJob(sql, 'inbox-watch', {}, { key: 'inbox-watch' })
const repliesTo = async () =>
  (await messagesAt(sandbox.url, page.account.externalId)).filter(({ text }) => text === ANSWER).length

test('on a plan without the bot nothing is classified, answered or escalated, and another workspace may answer', async () => {
  await ann.must('POST', '/ice/escalation-rules', { keywords: ['refund'] })
  await ask('Before')
  await answered(ann, 'Before')
  await give('free')
  expect((await ann.call<Problem>('PUT', '/ice/bot-config', { isEnabled: false })).status).toBe(402)
  const before = await repliesTo()
  await ask('Without', 'Do you deliver to Berlin? Else I want a refund')
  expect((await received(ann.workspaceId, 'Without')).decisions).toBe(0)
  expect(
    (await sql.query(`select from thread where workspace_id = $1 and status = 'ESCALATED'`, [ann.workspaceId])).rows,
  ).toEqual([])
  await watch()
  await eventually(async () => (await claims(ann)) === 0 && (await claims(bob)) === 1)
  expect((await bob.must<BotConfig>('GET', '/ice/bot-config')).answeredElsewhere).toEqual([])
  await ask('Theirs')
  await answered(bob, 'Theirs')
  expect((await received(ann.workspaceId, 'Theirs')).decisions).toBe(0)
  expect(await repliesTo()).toBe(before + 1)
})

test('a reply that waits is not sent after the plan changed, and is left to people', async () => {
  await give('pro')
  await bob.must('PUT', '/ice/bot-config', { isEnabled: false })
  await watch()
  await eventually(async () => (await claims(ann)) === 1)
  await ann.must('PUT', '/ice/bot-config', { replyDelaySeconds: 86_400 })
  await ask('Waits')
  const thread = await threadOf(ann, 'Waits')
  await eventually(async () => {
    const { rows } = await sql.query(`select from decision where thread_id = $1 and state = 'WAITING'`, [thread.id])
    return rows.length === 1
  })
  await give('free')
  const before = await repliesTo()
  const { rows } = await sql.query<{ id: string }>(
    `update decision set facts = jsonb_set(facts, '{config,replyDelaySeconds}', '0'), due_at = now() where thread_id = $1 returning id`,
    [thread.id],
  )
  await addJob(sql, 'ice-process', { decisionId: rows[0]!.id }, { workspaceId: ann.workspaceId })
  await eventually(async () => {
    const found = await sql.query(`select from thread where id = $1 and held = 'paused'`, [thread.id])
    return found.rows.length === 1
  })
  expect(await repliesTo()).toBe(before)
})

test('a decided reply that waits for its account is not sent after the plan changed', async () => {
  await give('pro')
  await ann.must('PUT', '/ice/bot-config', { replyDelaySeconds: 0 })
  const pause = (paused: boolean) =>
    ann.must('PATCH', `/social-accounts/${page.account.id}`, { paused }, { 'if-match': '*' })
  await pause(true)
  await ask('Decided')
  const { id } = await threadOf(ann, 'Decided')
  const isIn = (state: string) => async () =>
    (await sql.query('select from decision where thread_id = $1 and state = $2', [id, state])).rows.length === 1
  await eventually(isIn('SENDING'))
  const before = await repliesTo()
  await give('free')
  await pause(false)
  await eventually(isIn('DONE'))
  expect((await sql.query(`select from thread where id = $1 and held = 'paused'`, [id])).rows).toHaveLength(1)
  expect(await repliesTo()).toBe(before)
})

test('a plan that includes the bot again goes on as configured', async () => {
  await give('pro')
  expect(await ann.must<BotConfig>('GET', '/ice/bot-config')).toMatchObject({ isEnabled: true })
  await ann.must('PUT', '/ice/bot-config', { replyDelaySeconds: 0 })
  await ask('After')
  await answered(ann, 'After')
})

test('a deleted workspace releases its pages, and claims them again once it is restored', async () => {
  await ann.must(
    'DELETE',
    `/workspaces/${ann.workspaceId}?confirmName=${encodeURIComponent((await ann.must<{ name: string }>('GET', `/workspaces/${ann.workspaceId}`)).name)}`,
  )
  await watch()
  await eventually(async () => (await claims(ann)) === 0)
  await ann.must('POST', `/workspaces/${ann.workspaceId}/restore`)
  await watch()
  await eventually(async () => (await claims(ann)) === 1)
})
