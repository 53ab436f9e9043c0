import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { behave, modelCalls } from '../../../test/ai.ts'
import { commentsBelow, messagesAt, type OpenedInbox, openInbox, threadOf } from '../../../test/inbox.ts'
import { confirmEmail, eventually, join, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { OpenThread, Thread } from '../threads/api.ts'
import type { SimulationRun } from './api.ts'
import type { BotConfig } from './config/api.ts'
import type { ChargedDecision, Decision, DraftReply } from '../decisions/api.ts'

// The bot as customers and colleagues see it: the sandbox plays the network, the customers and the model.

const { product, sandbox, sql } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox
let count = 0

const FAQ = [
  { question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' },
  { question: 'When are you open?', answer: 'We are open from 9:00 to 18:00.' },
  { question: 'هل توصلون إلى برلين؟', answer: 'نعم، نوصل إلى كل مكان في برلين.' },
]
const set = (config: object) => ann.must<BotConfig>('PUT', '/ice/bot-config', config)

beforeAll(async () => {
  ann = await newPerson(product.url, 'Ann')
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u5901')
})
beforeEach(() =>
  set({
    isEnabled: true,
    faqEntries: FAQ,
    maxConfidenceForAuto: 0.7,
    blockedTopics: [],
    escalateKeywords: [],
    handoffText: null,
    disclosureText: null,
    maxAutoRepliesPerThread: 3,
    commentToDmEnabled: false,
    draftsOnlyUntil: null,
  }),
)

/** Sends a direct message, by default from a new customer. */
async function write(text: string, who = `Customer ${(count += 1)}`) {
  await page.play({ kind: 'dm', from: { name: who }, text })
  return { who, thread: () => threadOf(ann, who) }
}
const until = (thread: () => Promise<OpenThread>, holds: (thread: OpenThread) => unknown) =>
  eventually(async () => {
    const found = await thread()
    return holds(found) ? found : undefined
  })
const sentBy = (thread: OpenThread, source: string) => thread.messages.filter((message) => message.source === source)
const isAnswered = (thread: OpenThread) => sentBy(thread, 'BOT_AUTO')[0]?.delivery?.state === 'PUBLISHED'

test('a question that the FAQ answers is answered automatically, once, and the thread shows why', async () => {
  const { thread } = await write('Do you deliver to Berlin?')
  const answered = await until(thread, isAnswered)
  const [reply] = sentBy(answered, 'BOT_AUTO')
  expect(reply).toMatchObject({ text: FAQ[0]!.answer, author: null, direction: 'OUT' })
  expect(answered).toMatchObject({ unansweredAt: null, botStreak: 1, held: null, language: 'en', tags: ['question'] })
  const at = (await messagesAt(sandbox.url, page.account.externalId)).filter(({ text }) => text === FAQ[0]!.answer)
  expect(at).toHaveLength(1)
  const decision = await eventually(async () => {
    const found = await ann.must<Decision>('GET', `/ice/decisions/${reply!.decisionId}`)
    return found.state === 'DONE' && found
  })
  expect(decision).toMatchObject({ verdict: 'SENT', hold: null, reply: FAQ[0]!.answer, credits: 1, vetoes: [] })
  expect(decision.sources.map(({ id }) => id)).toEqual(['faq:1'])
  expect(decision.decisionLog.map(({ step }) => step).slice(-3)).toEqual(['delay', 'again', 'send'])
  expect(answered.decisionLog?.map(({ step }) => step)).toContain('confidence')
  expect(answered.contextSnapshot).toMatchObject({ kind: 'bot', message: { text: 'Do you deliver to Berlin?' } })
})

test('an unsure reply is held until a person approves it, and is sent once with the name of that person', async () => {
  await set({ maxConfidenceForAuto: 0.99 })
  const { thread } = await write('When are you open on Monday?')
  const held = await until(thread, ({ drafts }) => drafts.length > 0)
  expect(held.held).toMatchObject({ reason: 'confidence', draftId: held.drafts[0]!.id })
  expect(sentBy(held, 'BOT_AUTO')).toEqual([])
  const [draft] = held.drafts
  expect(draft).toMatchObject({ state: 'PENDING_REVIEW', text: FAQ[1]!.answer, reason: 'confidence', threshold: 0.99 })
  const used = await ann.must<{ data: DraftReply[] }>('GET', '/ice/replies')
  expect(used.data.map(({ id }) => id)).toContain(draft!.id)
  expect(held.unread).toBe(true)
  const approved = await ann.must<DraftReply>('POST', `/ice/replies/${draft!.id}/approve`)
  // The person who decides has read the thread.
  expect((await thread()).unread).toBe(false)
  expect(approved).toMatchObject({ state: 'APPROVED', sentText: null, decidedBy: { name: 'Ann' } })
  const sent = await until(thread, (found) => sentBy(found, 'BOT_SUGGESTED')[0]?.delivery?.state === 'PUBLISHED')
  expect(sentBy(sent, 'BOT_SUGGESTED')).toMatchObject([{ text: FAQ[1]!.answer, author: { name: 'Ann' } }])
  expect(sent).toMatchObject({ held: null, botStreak: 0, botPausedAt: null, drafts: [] })
  const listed = (query = '') =>
    ann
      .must<{ data: DraftReply[] }>('GET', `/ice/replies${query}`)
      .then(({ data }) => data.map(({ id, state }) => [id, state]))
  expect(await listed()).toContainEqual([draft!.id, 'APPROVED'])
  expect(await listed('?state=PENDING_REVIEW')).not.toContainEqual([draft!.id, 'APPROVED'])
  const again = await ann.call<Problem>('POST', `/ice/replies/${draft!.id}/approve`)
  expect([again.status, again.body.code]).toEqual([409, 'invalid_state'])
  expect((await ann.must<Decision>('GET', `/ice/decisions/${draft!.decisionId}`)).credits).toBe(1)
})

test('a held reply can be edited or flagged', async () => {
  await set({ maxConfidenceForAuto: 1 })
  const first = await write('Do you deliver to Berlin today?')
  const edited = await until(first.thread, ({ drafts }) => drafts.length > 0)
  await ann.must('POST', `/ice/replies/${edited.drafts[0]!.id}/approve`, { text: 'Yes, we do.' })
  const sent = await until(first.thread, (found) => sentBy(found, 'BOT_SUGGESTED').length > 0)
  expect(sentBy(sent, 'BOT_SUGGESTED')[0]!.text).toBe('Yes, we do.')
  const second = await write('Do you deliver to all of Berlin?')
  const flagged = await until(second.thread, ({ drafts }) => drafts.length > 0)
  const body = { reason: 'off-brand', note: 'Too short' }
  const answer = await ann.must<DraftReply>('POST', `/ice/replies/${flagged.drafts[0]!.id}/flag`, body)
  expect(answer).toMatchObject({ state: 'FLAGGED', flag: body })
  const after = await second.thread()
  expect([after.drafts, sentBy(after, 'BOT_SUGGESTED')]).toEqual([[], []])
  expect([flagged.unread, after.unread]).toEqual([true, false])
  // It is reviewed, and waits for an answer.
  expect(after.held).toBeNull()
  expect(after.unansweredAt).not.toBeNull()
})

test('drafts are listed newest first or oldest first, page by page', async () => {
  const list = async (query: string) => {
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { data: DraftReply[]; nextCursor: string | null } = await ann.must(
        'GET',
        `/ice/replies?limit=1${query}${cursor && `&cursor=${cursor}`}`,
      )
      ids.push(...page.data.map(({ id }) => id))
      cursor = page.nextCursor
    }
    return ids
  }
  const newest = await list('')
  expect(newest.length).toBeGreaterThan(2)
  expect(newest).toEqual(newest.toSorted().toReversed())
  expect(await list('&sort=newest')).toEqual(newest)
  expect(await list('&sort=oldest')).toEqual(newest.toReversed())
  expect((await ann.call('GET', '/ice/replies?sort=other')).status).toBe(422)
})

test('the knowledge base is measured in bytes', async () => {
  // An Arabic letter has two bytes.
  const texts = (letters: number) => ({ knowledgeBase: { about: 'ب'.repeat(letters) } })
  expect(await ann.call<Problem>('PUT', '/ice/bot-config', texts(60_000))).toMatchObject({
    status: 422,
    body: { errors: [{ path: '/knowledgeBase', code: 'too_long', limit: 100_000 }] },
  })
  await set(texts(49_000))
  await set({ knowledgeBase: {} })
})

test('the questions and answers are limited together', async () => {
  const { faqEntries } = await ann.must<BotConfig>('GET', '/ice/bot-config')
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ question: `${n}`.padStart(10, 'q'), answer: 'a'.repeat(3_990) }))
  await set({ faqEntries: many(125) })
  expect(await ann.call<Problem>('PUT', '/ice/bot-config', { faqEntries: many(126) })).toMatchObject({
    status: 422,
    body: { errors: [{ path: '/faqEntries', code: 'faq_too_long', limit: 500_000 }] },
  })
  const file = { format: 'csv', content: 'question,answer\nAre you open?,Yes' }
  expect(await ann.call<Problem>('POST', '/ice/knowledge/import', file)).toMatchObject({
    status: 422,
    body: { errors: [{ path: '/content', code: 'faq_too_long' }] },
  })
  const config = { faqEntries: many(126), knowledgeBase: { about: 'a'.repeat(100_000) } }
  expect(await ann.call<Problem>('POST', '/ice/simulate', { text: 'Open?', kind: 'DM', config })).toMatchObject({
    status: 422,
    body: {
      errors: [
        { path: '/config/knowledgeBase', code: 'too_long' },
        { path: '/config/faqEntries', code: 'faq_too_long' },
      ],
    },
  })
  await set({ faqEntries })
})

test('questions and answers from before their limit stay, and everything else can be changed', async () => {
  const { faqEntries, isEnabled } = await ann.must<BotConfig>('GET', '/ice/bot-config')
  await sql.query(
    `with long as (
       insert into bot_knowledge (workspace_id, hash, faq_entries, knowledge_base)
       select $1, 'long', jsonb_agg(jsonb_build_object('question', 'q' || n, 'answer', repeat('a', 3990))), '{}'
       from generate_series(1, 127) n returning hash)
     update bot_config set knowledge_hash = long.hash from long where workspace_id = $1`,
    [ann.workspaceId],
  )
  const { faqEntries: long, ...off } = await ann.must<BotConfig>('PUT', '/ice/bot-config', { isEnabled: false })
  expect([long.length, off.isEnabled]).toEqual([127, false])
  // The same entries in the body are no change.
  await set({ faqEntries: long, isEnabled })
  expect((await ann.call('PUT', '/ice/bot-config', { faqEntries: long.slice(1) })).status).toBe(422)
  await set({ faqEntries })
})

test('a draft whose reservation has expired costs the same when it is approved; without credits, approval is refused and the draft stays', async () => {
  await set({ maxConfidenceForAuto: 1 })
  const { thread } = await write('Do you deliver to Berlin on Sunday?')
  const { drafts } = await until(thread, (found) => found.drafts.length > 0)
  const [{ id, decisionId }] = drafts as [DraftReply]
  await sql.query(`update usage_hold set expires_at = app_now() - interval '1 second' where workspace_id = $1`, [
    ann.workspaceId,
  ])
  const ledger = async () => {
    const { rows } = await sql.query<{ credits: number; generations: number; entries: number }>(
      `select sum(used) filter (where quota_id = 'ai_credits')::int as credits,
        sum(used) filter (where quota_id = 'ai_generations')::int as generations,
        (select count(*)::int from credit_entry where workspace_id = $1) as entries
      from workspace_usage where workspace_id = $1`,
      [ann.workspaceId],
    )
    return rows[0]!
  }
  const use = (used: string) =>
    sql.query(`update workspace_usage set used = ${used} where workspace_id = $1 and quota_id = 'ai_credits'`, [
      ann.workspaceId,
    ])
  const before = await ledger()
  await use('used + 1000000')
  const refused = await ann.call<Problem>('POST', `/ice/replies/${id}/approve`)
  await use('used - 1000000')
  expect([refused.status, refused.body]).toMatchObject([402, { code: 'quota_exceeded', quota: 'ai_credits' }])
  expect(await ledger()).toEqual(before)
  expect((await ann.must<DraftReply>('GET', `/ice/replies/${id}`)).state).toBe('PENDING_REVIEW')
  expect(sentBy(await thread(), 'BOT_SUGGESTED')).toEqual([])
  await ann.must('POST', `/ice/replies/${id}/approve`)
  const { credits, generations, entries } = before
  expect(await ledger()).toEqual({ credits: credits + 1, generations: generations + 1, entries: entries + 1 })
  expect((await ann.must<Decision>('GET', `/ice/decisions/${decisionId}`)).credits).toBe(1)
})

test('a customer who writes in Arabic is answered in Arabic, below the post', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'ليلى' }, text: 'هل توصلون إلى برلين؟' })
  const answered = await until(() => threadOf(ann, 'ليلى'), isAnswered)
  expect(answered.language).toBe('ar')
  expect((await commentsBelow(sandbox.url, page.postId)).map(({ text }) => text)).toContain(FAQ[2]!.answer)
})

test('while the bot is off, nothing is decided and the model is not asked', async () => {
  await set({ isEnabled: false })
  const { thread } = await write('Do you deliver to Berlin, too?')
  const found = await until(thread, ({ messages }) => messages.length === 1)
  expect([found.decisionId, found.held]).toEqual([null, null])
  expect((await modelCalls(product.url)).filter(({ prompt }) => prompt.includes('Berlin, too'))).toEqual([])
})

test('an import changes the FAQ unless it is a dry run', async () => {
  const file = { format: 'markdown', content: '# Is there parking?\n\nBehind the shop.' }
  const known = async () =>
    (await ann.must<BotConfig>('GET', '/ice/bot-config')).faqEntries.map(({ question }) => question)
  expect(await ann.must('POST', '/ice/knowledge/import', { ...file, dryRun: true })).toMatchObject({ imported: 0 })
  expect(await known()).not.toContain('Is there parking?')
  expect(await ann.must('POST', '/ice/knowledge/import', file)).toMatchObject({ imported: 1 })
  expect(await known()).toContain('Is there parking?')
})

test('an import fills the FAQ up to its 500 entries, and is refused as a whole beyond them', async () => {
  const { faqEntries } = await ann.must<BotConfig>('GET', '/ice/bot-config')
  await set({ faqEntries: Array.from({ length: 499 }, (_, n) => ({ question: `Question ${n}?`, answer: 'Yes.' })) })
  const entries = (...names: string[]) => ({
    format: 'markdown',
    content: names.map((name) => `# Is there ${name}?\n\nYes.`).join('\n\n'),
  })
  const count = async () => (await ann.must<BotConfig>('GET', '/ice/bot-config')).faqEntries.length
  expect(await ann.call<Problem>('POST', '/ice/knowledge/import', entries('parking', 'a garden'))).toMatchObject({
    status: 422,
    body: { errors: [{ path: '/content', code: 'faq_full', limit: 500 }] },
  })
  expect(await count()).toBe(499)
  expect(await ann.must('POST', '/ice/knowledge/import', entries('parking'))).toMatchObject({ imported: 1 })
  // A known question takes no room.
  expect(await ann.must('POST', '/ice/knowledge/import', entries('parking'))).toMatchObject({ imported: 0 })
  expect(await count()).toBe(500)
  await set({ faqEntries })
})

describe('people come first', () => {
  test('an escalation word escalates the thread immediately, and the hand-off text is sent once', async () => {
    await set({ escalateKeywords: ['allergic'], handoffText: 'A colleague will answer you.' })
    const { thread, who } = await write('I am allergic to nuts. What is in the cake?')
    const escalated = await until(thread, ({ status, messages }) => status === 'ESCALATED' && messages.length === 2)
    expect(sentBy(escalated, 'BOT_AUTO').map(({ text }) => text)).toEqual(['A colleague will answer you.'])
    // The customer still waits for that colleague.
    expect(escalated.unansweredAt).not.toBeNull()
    await write('I am allergic to milk, too', who)
    const again = await until(thread, ({ messages }) => messages.length === 3)
    expect(sentBy(again, 'BOT_AUTO')).toHaveLength(1)
    expect(again.unansweredAt).toBe(escalated.unansweredAt)
  })

  test('a hand-off text that is the first message of the bot begins with the disclosure', async () => {
    const handoffText = 'A colleague will answer you.'
    await set({ escalateKeywords: ['allergic'], handoffText, disclosureText: 'A bot reads this first.' })
    const first = await write('I am allergic to eggs.')
    const escalated = await until(first.thread, (found) => sentBy(found, 'BOT_AUTO').length === 1)
    expect(sentBy(escalated, 'BOT_AUTO')[0]!.text).toBe(`A bot reads this first.\n\n${handoffText}`)
    const second = await write('Do you deliver to Berlin?')
    await until(second.thread, isAnswered)
    await write('I am allergic to fish.', second.who)
    const later = await until(second.thread, (found) => sentBy(found, 'BOT_AUTO').length === 2)
    expect(sentBy(later, 'BOT_AUTO')[1]!.text).toBe(handoffText)
  })

  test('a request for a refund goes to a person, and nothing is sent', async () => {
    const { thread } = await write('I want a refund for my order')
    const found = await until(thread, ({ held, status }) => held !== null || status === 'ESCALATED')
    expect(sentBy(found, 'BOT_AUTO')).toEqual([])
  })

  test('a person who answers pauses the bot in the thread, and supersedes its draft', async () => {
    await set({ maxConfidenceForAuto: 1 })
    const { thread, who } = await write('When do you open, please?')
    const held = await until(thread, ({ drafts }) => drafts.length > 0)
    await ann.must('POST', `/conversations/${held.id}/messages`, { text: 'At nine.' })
    expect((await ann.must<DraftReply>('GET', `/ice/replies/${held.drafts[0]!.id}`)).state).toBe('SUPERSEDED')
    await set({ maxConfidenceForAuto: 0.5 })
    await write('Do you deliver to Berlin?', who)
    const quiet = await until(thread, (found) => found.decisionId !== held.decisionId && found.decisionLog?.length)
    const decision = await eventually(async () => {
      const found = await ann.must<Decision>('GET', `/ice/decisions/${quiet.decisionId}`)
      return found.state === 'DONE' && found
    })
    expect(decision).toMatchObject({ verdict: 'QUIET', credits: 0 })
    expect(decision.decisionLog.at(-1)).toMatchObject({ step: 'classify', outcome: 'question' })
    const resumed = await ann.must<Thread>('POST', `/conversations/${held.id}/bot`, { paused: false })
    expect(resumed).toMatchObject({ botPausedAt: null, botStreak: 0 })
    await write('And when are you open?', who)
    await until(thread, (found) => sentBy(found, 'BOT_AUTO').length === 1)
  })

  test('after the maximum number of replies in a row, the next message is held', async () => {
    await set({ maxAutoRepliesPerThread: 1 })
    const { thread, who } = await write('Do you deliver to Berlin?')
    await until(thread, isAnswered)
    await write('When are you open?', who)
    const held = await until(thread, (found) => found.held?.reason === 'cap')
    expect([sentBy(held, 'BOT_AUTO').length, held.drafts]).toEqual([1, []])
  })

  test('a message that the model fails on is left to people, who are notified, and costs nothing', async () => {
    await behave(product.url, { answer: 'refusal' })
    const { thread } = await write('Do you deliver to Berlin by bike?')
    const held = await until(thread, (found) => found.held?.reason === 'ai_failed')
    await behave(product.url, {})
    expect((await ann.must<Decision>('GET', `/ice/decisions/${held.decisionId}`)).credits).toBe(0)
    const notices = await ann.must<{ data: { kind: string }[] }>('GET', '/notifications?limit=100')
    expect(notices.data.map(({ kind }) => kind)).toContain('reply_held')
  })
})

describe('on request', () => {
  test('a draft is written even while the bot is off, and the next request replaces it', async () => {
    await set({ isEnabled: false })
    const { thread } = await write('When are you open tomorrow?')
    const found = await until(thread, ({ messages }) => messages.length === 1)
    const first = await ann.call<DraftReply>('POST', `/conversations/${found.id}/suggest`)
    expect([first.status, first.body]).toMatchObject([201, { text: FAQ[1]!.answer, reason: 'suggested' }])
    const second = await ann.must<DraftReply>('POST', `/conversations/${found.id}/suggest`)
    expect((await ann.must<DraftReply>('GET', `/ice/replies/${first.body.id}`)).state).toBe('SUPERSEDED')
    const open = await thread()
    expect(open.drafts.map(({ id }) => id)).toEqual([second.id])
    // The bot itself has decided nothing. The draft names the decision that wrote it.
    expect([open.decisionId, open.decisionLog, open.contextSnapshot]).toEqual([null, null, null])
    const costs = await ann.must<Decision>('GET', `/ice/decisions/${first.body.decisionId}`)
    expect(costs).toMatchObject({ credits: 0, verdict: 'HELD', hold: 'suggested' })
  })

  test('a request that was committed but not answered gives the same draft when it is repeated with its key', async () => {
    const { thread } = await write('When are you open on Sunday?')
    const found = await until(thread, ({ messages }) => messages.length === 1)
    const key = { 'idempotency-key': 'one-draft' }
    const suggested = () => ann.call<DraftReply>('POST', `/conversations/${found.id}/suggest`, undefined, key)
    const first = await suggested()
    expect(first.status).toBe(201)
    // As if the process had ended right after its commit.
    const unanswered = await sql.query(
      `update idempotency_key set status = null, headers = null, body = to_json($1::text)::text
       where body like '%' || $2 || '%'`,
      [first.body.decisionId, first.body.id],
    )
    expect(unanswered.rowCount).toBe(1)
    const repeated = await suggested()
    expect([repeated.status, repeated.body.id]).toEqual([201, first.body.id])
    expect((await thread()).drafts).toHaveLength(1)
  })

  test('no draft is written if the knowledge has no answer, and the decision says so', async () => {
    const { thread } = await write('Which horse won the race in Leipzig?')
    const found = await until(thread, ({ messages }) => messages.length === 1)
    const answer = await ann.call<Decision>('POST', `/conversations/${found.id}/suggest`)
    expect([answer.status, answer.body]).toMatchObject([200, { kind: 'suggest', draftId: null, credits: 0 }])
  })

  test('a simulation shows each step, sends nothing and creates no thread', async () => {
    const before = (await ann.must<{ all: number }>('GET', '/conversations/counts')).all
    const decision = await ann.must<Decision>('POST', '/ice/simulate', {
      text: 'Do you deliver to Berlin?',
      kind: 'COMMENT',
    })
    expect(decision).toMatchObject({
      kind: 'simulate',
      verdict: 'SENT',
      reply: FAQ[0]!.answer,
      credits: 1,
      conversationId: null,
    })
    expect(decision.usage?.model).toBe('sandbox-writer')
    expect((await ann.must<{ all: number }>('GET', '/conversations/counts')).all).toBe(before)
    const config = { escalateKeywords: ['berlin'] }
    const tried = await ann.must<Decision>('POST', '/ice/simulate', { text: 'Do you deliver to Berlin?', config })
    expect(tried).toMatchObject({ verdict: 'ESCALATED', credits: 0 })
    const text = 'Do you deliver to Berlin?'
    const whole = { ...(await set({})), autoReplyDMs: false, handoffText: 'A colleague will answer you.' }
    const off = await ann.must<Decision>('POST', '/ice/simulate', { text, config: whole })
    expect(off.verdict).toBe('IGNORED')
    expect(off.decisionLog.at(-1)).toMatchObject({ step: 'channel_enabled', outcome: 'off' })
    expect(off.contextSnapshot).not.toHaveProperty('config.handoffText')
    const unknown = await ann.must<Decision>('POST', '/ice/simulate', { text: 'Which horse won the race in Leipzig?' })
    expect([unknown.verdict, unknown.reply, unknown.credits]).toEqual(['ESCALATED', null, 0])
    expect((await ann.must<BotConfig>('GET', '/ice/bot-config')).escalateKeywords).toEqual([])
  })

  test('a batch of texts is decided with other knowledge, in the given order', async () => {
    const texts = ['Do you sell tea?', 'When are you open?', 'I want a refund']
    const config = { faqEntries: [{ question: 'Do you sell tea?', answer: 'Yes, we sell tea.' }] }
    const run = await ann.must<SimulationRun>('POST', '/ice/simulate', { texts, config })
    expect(run).toMatchObject({ done: true })
    expect(run.data.map(({ verdict, reply }) => [verdict, reply])).toEqual([
      ['SENT', 'Yes, we sell tea.'],
      ['ESCALATED', null],
      ['ESCALATED', null],
    ])
    expect(await ann.must<SimulationRun>('GET', `/ice/simulations/${run.id}`)).toEqual(run)
  })

  test.each([
    [{ text: 'One', texts: ['Two'] }, ''],
    [{}, ''],
    [{ text: 'One', accountId: '00000000-0000-7000-8000-000000000000' }, '/accountId'],
  ])('a simulation of %j is refused', async (body, path) => {
    const { status, body: problem } = await ann.call<Problem>('POST', '/ice/simulate', body)
    expect([status, problem.errors?.[0]?.path]).toEqual([422, path])
  })
})

test('the decisions that used credits are listed, newest first, with who asked for them', async () => {
  const listed: ChargedDecision[] = []
  let cursor = ''
  do {
    const page = await ann.must<{ data: ChargedDecision[]; nextCursor: string | null }>(
      'GET',
      `/ice/decisions?limit=3${cursor}`,
    )
    listed.push(...page.data)
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
  } while (cursor !== '')
  const { rows } = await sql.query<{ id: string; credits: number }>(
    `select decision_id as id, credits from credit_entry where workspace_id = $1 and decision_id is not null
      order by decision_id desc`,
    [ann.workspaceId],
  )
  expect(listed.map(({ id, credits }) => ({ id, credits }))).toEqual(rows)
  expect(new Set(listed.map(({ kind }) => kind))).toEqual(new Set(['bot', 'simulate']))
  for (const { kind, createdBy, conversationId, customer, text } of listed) {
    expect(createdBy?.name ?? null).toBe(kind === 'bot' ? null : 'Ann')
    expect([conversationId === null, customer === null]).toEqual([kind === 'simulate', kind === 'simulate'])
    expect(text).not.toBeNull()
  }
})

test('every decision of these tests replays byte for byte', async () => {
  const { rows } = await sql.query<{ id: string }>(
    `select id from decision where state = 'DONE' and workspace_id = $1`,
    [ann.workspaceId],
  )
  expect(rows.length).toBeGreaterThan(10)
  for (const { id } of rows) {
    const replayed = await ann.must<{ same: boolean; diff: object[] }>('GET', `/ice/decisions/${id}/replay`)
    expect(replayed).toMatchObject({ same: true, diff: [] })
  }
})

test('a viewer sees drafts but decides none; a client sees none', async () => {
  const [vic, cleo] = [await join(ann, 'Vic', 'VIEWER'), await join(ann, 'Cleo', 'CLIENT')]
  await set({ maxConfidenceForAuto: 1 })
  const { thread } = await write('Do you deliver outside of Berlin?')
  const held = await until(thread, ({ drafts }) => drafts.length > 0)
  const [draft] = held.drafts
  expect((await vic.must<OpenThread>('GET', `/conversations/${held.id}`)).drafts).toHaveLength(1)
  expect((await vic.call('POST', `/ice/replies/${draft!.id}/approve`)).status).toBe(403)
  const seen = await cleo.must<OpenThread>('GET', `/conversations/${held.id}`)
  expect(seen).toMatchObject({ drafts: [], contextSnapshot: null, decisionLog: null, decisionId: null, held: null })
  expect((await cleo.call('GET', '/ice/replies')).status).toBe(403)
  expect((await cleo.call('GET', `/ice/decisions/${draft!.decisionId}`)).status).toBe(403)
})
