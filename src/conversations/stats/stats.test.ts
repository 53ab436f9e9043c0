import { beforeAll, describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { type OpenedInbox, openInbox, threadOf } from '../../../test/inbox.ts'
import { confirmEmail, eventually, newPerson, type Person } from '../../../test/world.ts'
import type { OpenThread } from '../threads/api.ts'
import type { DraftReply } from '../decisions/api.ts'
import type { Simulation } from '../bot/api.ts'
import type { ReplyStats } from './api.ts'

// Who answered customers, and which knowledge entries replies have cited.

const FAQ = [
  { question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' },
  { question: 'When are you open?', answer: 'We are open from 9:00 to 18:00.' },
]
const KNOWLEDGE = {
  Vouchers: 'Vouchers are sold at the counter.\n\nVouchers never expire.',
  Parking: 'Behind the shop.',
}

interface Found {
  data: { id: string; text: string; score: number; words: string[]; replies: number }[]
  whole: boolean
  passages: number
}

describe('the figures of a workspace', () => {
  const { product, sandbox, sql } = useProduct({ env: FAST })
  let ann: Person
  let page: OpenedInbox

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    page = await openInbox(ann, sandbox.url, 'u5941')
  })

  const set = (change: object) =>
    ann.must('PUT', '/ice/bot-config', {
      isEnabled: true,
      faqEntries: FAQ,
      knowledgeBase: KNOWLEDGE,
      escalateKeywords: ['lawyer'],
      handoffText: 'A colleague will answer you.',
      maxConfidenceForAuto: 0.7,
      ...change,
    })
  const stats = () => ann.must<ReplyStats>('GET', '/ice/stats')
  const find = (text: string) => ann.must<Found>('POST', '/ice/knowledge/search', { text })
  async function write(who: string, text: string, until: (thread: OpenThread) => unknown) {
    await page.play({ kind: 'dm', from: { name: who }, text })
    return eventually(async () => {
      const thread = await threadOf(ann, who)
      return until(thread) ? thread : undefined
    })
  }
  const isSent = (source: string) => (thread: OpenThread) =>
    thread.messages.some((message) => message.source === source && message.delivery?.state === 'PUBLISHED')

  test('each message counts once, by its first answer, and the hand-off text is not an answer', async () => {
    expect(await stats()).toMatchObject({ answeredBy: { bot: 0, approved: 0, people: 0, nobody: 0 }, cited: [] })
    await set({})
    await write('Bo', 'Do you deliver to Berlin?', isSent('BOT_AUTO'))
    await write('Cy', 'I will call my lawyer.', isSent('BOT_AUTO'))
    await set({ maxConfidenceForAuto: 0.99 })
    const held = await write('Di', 'When are you open on Monday?', ({ drafts }) => drafts.length > 0)
    await ann.must<DraftReply>('POST', `/ice/replies/${held.drafts[0]!.id}/approve`, {})
    const waits = await write('Ed', 'Do you deliver to Berlin on Monday?', ({ drafts }) => drafts.length > 0)
    await ann.must('POST', `/conversations/${waits.id}/messages`, { text: 'Yes, on Monday too.' })
    const counted = await eventually(async () => {
      const found = await stats()
      return found.answeredBy.approved + found.answeredBy.people === 2 && found
    })
    expect(counted).toMatchObject({
      received: 4,
      answeredBy: { bot: 1, approved: 1, people: 1, nobody: 1 },
      automatedShare: 0.333,
    })
    // The colleague announced by the bot answers.
    const cy = await threadOf(ann, 'Cy')
    await sql.query(`update message set at = at - interval '2 hours' where thread_id = $1`, [cy.id])
    await ann.must('POST', `/conversations/${cy.id}/messages`, { text: 'We are sorry.' })
    await eventually(async () => (await stats()).answeredBy.people === 2)
    expect(await stats()).toMatchObject({ answeredBy: { bot: 1, approved: 1, people: 2, nobody: 0 } })
    expect((await stats()).firstResponseSeconds.p90).toBeGreaterThan(3_600)
  })

  test('a conversation is resolved after a day of silence if no person answered; a note is no answer', async () => {
    const { id } = await threadOf(ann, 'Bo')
    await ann.must('POST', `/conversations/${id}/notes`, { text: 'The bot did well here.' })
    // The others were answered just now, so nobody knows yet how they end.
    expect((await stats()).resolutionRate).toBeNull()
    expect((await stats()).satisfaction.value).toBeNull()
    const age = (name: string) => {
      const day = `update thread set last_in_at = last_in_at - interval '25 hours' where id = $1`
      return threadOf(ann, name).then((thread) => sql.query(day, [thread.id]))
    }
    await age('Bo')
    expect((await stats()).resolutionRate).toBe(1)
    await age('Di')
    expect((await stats()).resolutionRate).toBe(0.5)
    // What customers of open conversations feel may still change.
    await sql.query(
      `update thread set sentiment = 'negative' where workspace_id = $1 and status <> 'CLOSED'
      and unanswered_at is not null`,
      [ann.workspaceId],
    )
    expect((await stats()).satisfaction.value).toBe(1)
  })

  test('an entry counts the replies that cite it, sent or held, even after its answer was edited; a simulation does not count', async () => {
    await write('Flo', 'Are vouchers sold at the counter?', ({ drafts }) => drafts.length > 0)
    const trial: Simulation = { text: 'When are you open?', kind: 'DM' }
    await ann.must('POST', '/ice/simulate', trial)
    const cited = (await stats()).cited
    expect(cited).toContainEqual({ kind: 'answer', title: 'Do you deliver to Berlin?', replies: 2 })
    expect(cited).toContainEqual({ kind: 'answer', title: 'When are you open?', replies: 1 })
    expect(cited).toContainEqual({ kind: 'text', title: 'Vouchers', replies: 1 })
    expect(cited.map(({ title }) => title)).not.toContain('Parking')
    expect(cited.map(({ replies }) => replies)).toEqual(cited.map(({ replies }) => replies).toSorted((a, b) => b - a))
    await set({ faqEntries: [{ ...FAQ[0], answer: 'Yes, we do.' }, FAQ[1]] })
    expect((await stats()).cited).toContainEqual({ kind: 'answer', title: 'Do you deliver to Berlin?', replies: 2 })
    const before = new Date(Date.now() - 40 * 86_400_000).toISOString()
    await sql.query(`update decision set ended_at = $2 where workspace_id = $1 and sources @> '[{"id": "faq:2"}]'`, [
      ann.workspaceId,
      before,
    ])
    expect((await stats()).cited.map(({ title }) => title)).not.toContain('When are you open?')
  })

  test("a search shows the passages in the bot's order, with falling scores and the number of citations", async () => {
    await set({})
    const found = await find('Do you sell vouchers, and when are you open?')
    expect(found).toMatchObject({ whole: true, passages: 5 })
    expect(found.data.map(({ text }) => text)).toContain('Vouchers: Vouchers never expire.')
    const scores = found.data.map(({ score }) => score)
    expect(scores.every((score) => score > 0)).toBe(true)
    expect(scores).toEqual([...scores].toSorted((a, b) => b - a))
    expect(found.data.find(({ id }) => id === 'faq:2')?.words).toEqual(['open'])
    // Of the two paragraphs with this name, only the first was cited.
    const replies = Object.fromEntries(found.data.map((one) => [one.text, one.replies]))
    expect(replies['Vouchers: Vouchers are sold at the counter.']).toBe(1)
    expect(replies['Vouchers: Vouchers never expire.']).toBe(0)
    expect(await find('zebra')).toMatchObject({ data: [], whole: true })
    await set({
      faqEntries: Array.from({ length: 300 }, (_, at) => ({ question: `Bean ${at}?`, answer: 'A bean.'.repeat(9) })),
    })
    const long = await find('Which bean?')
    expect(long).toMatchObject({ whole: false, passages: 303 })
    expect(long.data).toHaveLength(12)
  })

  test('each message counts on its day in the zone of the workspace, and a year of 20,000 messages is counted in time', async () => {
    await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { timezone: 'Europe/Berlin' })
    // The clocks go forward on 30 March 2025 and back on 26 October.
    await sql.query(
      `with made as (insert into thread (workspace_id, id, account_id, identity_id, kind, key, opened_at, last_in_at)
          select $1, gen_random_uuid(), $2, (select identity_id from thread where account_id = $2 and identity_id is not null limit 1), 'DM', 'many:' || n, '2025-01-01', '2025-01-01' from generate_series(0, 3999) n returning id),
        numbered as (select id, row_number() over (order by id) - 1 as n from made)
        insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at)
        select $1, gen_random_uuid(), id, $2, 'DM', case when k = 4 then 'OUT' else 'IN' end, case when k = 4 then 'AGENT_MANUAL' else 'CUSTOMER' end,
          'Hello', case when n < 2 and k = 0 then (array['2025-03-29T22:59:59Z', '2025-03-30T21:59:59Z']::timestamptz[])[n + 1]
            when n < 2 then '2025-10-26T22:59:59Z'::timestamptz + k * interval '1 second'
            else '2025-05-01T00:00:00Z'::timestamptz + n * interval '1 minute' + k * interval '10 seconds' end
        from numbered, generate_series(0, 4) k`,
      [ann.workspaceId, page.account.id],
    )
    const { days, received } = await ann.must<ReplyStats>(
      'GET',
      '/ice/stats?from=2025-01-01T00:00:00Z&to=2025-12-31T00:00:00Z',
    )
    const on = (day: string) => days.find((each) => each.day === day)
    expect(days).toHaveLength(365)
    expect(received).toBe(16_000)
    expect(on('2025-03-29')).toMatchObject({ received: 1 })
    expect(on('2025-03-30')).toMatchObject({ received: 1 })
    expect(on('2025-03-31')).toMatchObject({ received: 0, botSent: 0, held: 0, firstResponseSeconds: { median: null } })
    expect(on('2025-10-26')).toMatchObject({ received: 0 })
    expect(on('2025-10-27')).toMatchObject({ received: 6 })
    expect(on('2025-05-02')).toMatchObject({ received: 5_760, firstResponseSeconds: { median: 40, p90: 40 } })
  })

  test('a draft that is sent with other case and spaces is unchanged, by day and in the calibration', async () => {
    await set({ maxConfidenceForAuto: 0.99 })
    const before = await stats()
    const held = await write('Una', 'When are you open on Tuesday?', ({ drafts }) => drafts.length > 0)
    const [draft] = held.drafts
    const text = `  ${draft!.text.toUpperCase().replaceAll(' ', '  ')}`
    await ann.must<DraftReply>('POST', `/ice/replies/${draft!.id}/approve`, { text })
    const { approvedUnchanged, edited, calibration } = await stats()
    expect([approvedUnchanged, edited]).toEqual([before.approvedUnchanged + 1, before.edited])
    const unchanged = ({ bins }: ReplyStats['calibration']) => bins.reduce((sum, bin) => sum + bin.unchanged, 0)
    expect(unchanged(calibration)).toBe(unchanged(before.calibration) + 1)
  })
})
