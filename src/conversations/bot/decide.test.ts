import { describe, expect, test } from 'vitest'
import { decide, type Next, RULES_VERSION } from './decide.ts'
import type { DecisionFacts } from './decision-facts.ts'
import { cutToFit } from './written.ts'

const NOW = '2026-01-12T10:00:00.000Z'

const sure: DecisionFacts = {
  kind: 'bot',
  now: NOW,
  at: { taken: NOW, classified: NOW, reserved: NOW, generated: NOW, again: NOW },
  message: { kind: 'DM', text: 'Do you deliver in Berlin?', platform: 'NET_PAGE', foreign: null, isLate: false },
  config: {
    isEnabled: true,
    autoReplyComments: true,
    autoReplyDMs: true,
    maxAutoRepliesPerThread: 3,
    replyDelaySeconds: 0,
    hours: null,
    maxConfidenceForAuto: 0.7,
    blockedTopics: ['politics', 'religion'],
    escalateKeywords: ['lawyer'],
    draftsOnlyUntil: null,
    disclosureText: null,
    brandVoiceId: null,
    faqEntries: [{ question: 'Do you deliver?', answer: 'Yes, within Berlin.' }],
    knowledgeBase: { address: 'Hauptstrasse 1' },
  },
  thread: {
    status: 'OPEN',
    botPaused: false,
    workspacePaused: false,
    streak: 0,
    revision: 4,
    windowUntil: '2026-01-13T09:00:00.000Z',
  },
  rules: [{ id: 'r1', keywords: ['broken'], intents: [], urgency: null, sentiment: null }],
  classification: {
    intent: 'question',
    sentiment: 'neutral',
    urgency: 'LOW',
    confidence: 0.9,
    language: 'en',
    blocked: [],
    asksHuman: false,
    injection: false,
    search: ['deliver', 'Berlin'],
  },
  reserved: 'held',
  told: {
    system: 'Answer customers from the knowledge.',
    forbidden: [],
    last: null,
    isFirst: true,
    knowledgeIsIn: 'en',
  },
  reply: { action: 'reply', text: 'Yes, we deliver within Berlin.', sources: ['faq:1'], confidence: 0.8 },
  again: {
    status: 'OPEN',
    botPaused: false,
    workspacePaused: false,
    streak: 0,
    revision: 4,
    windowUntil: '2026-01-13T09:00:00.000Z',
    isEnabled: true,
    maxAutoRepliesPerThread: 3,
  },
}

type Change = (facts: DecisionFacts) => DecisionFacts
const message =
  (change: Partial<DecisionFacts['message']>): Change =>
  (f) => ({ ...f, message: { ...f.message, ...change } })
const config =
  (change: Partial<DecisionFacts['config']>): Change =>
  (f) => ({ ...f, config: { ...f.config, ...change } })
const thread =
  (change: Partial<DecisionFacts['thread']>): Change =>
  (f) => ({ ...f, thread: { ...f.thread, ...change } })
const classified =
  (change: object): Change =>
  (f) => ({
    ...f,
    classification: { ...f.classification!, ...change },
  })
const replied =
  (change: object): Change =>
  (f) => ({ ...f, reply: { ...f.reply!, ...change } })
const again =
  (change: Partial<NonNullable<DecisionFacts['again']>>): Change =>
  (f) => ({ ...f, again: { ...f.again!, ...change } })
const without =
  (part: 'classification' | 'reserved' | 'reply' | 'again'): Change =>
  ({ [part]: _, ...rest }) =>
    rest
const said =
  (more: string): Change =>
  (f) => ({ ...f, message: { ...f.message, text: `${f.message.text} ${more}` } })
const held = (hold: string): Partial<Next> => ({ do: 'end', verdict: 'HELD', hold }) as Partial<Next>
const ended = (verdict: string): Partial<Next> => ({ do: 'end', verdict }) as Partial<Next>

/**
 * What stops a decision, in the order of the contract: the step that stops it, the change that causes this, and the
 * result.
 */
const stops: readonly [step: string, change: Change, next: Partial<Next>][] = [
  ['own_or_duplicate', message({ foreign: 'own' }), ended('IGNORED')],
  ['bot_enabled', config({ isEnabled: false }), ended('IGNORED')],
  ['channel_enabled', config({ autoReplyDMs: false }), ended('IGNORED')],
  ['escalation_keyword', said('My lawyer asks.'), ended('ESCALATED')],
  ['classify', thread({ botPaused: true }), ended('QUIET')],
  ['blocked_topic', classified({ blocked: [1] }), held('blocked_topic')],
  ['escalation_rules', said('It is broken.'), ended('ESCALATED')],
  ['cap', thread({ streak: 3 }), held('cap')],
  ['window', thread({ windowUntil: '2026-01-12T10:01:00.000Z' }), held('window')],
  ['credits', (f) => ({ ...f, reserved: 'no_credits' }), held('no_credits')],
  ['generate', replied({ action: 'handoff' }), ended('ESCALATED')],
  ['checks', replied({ text: 'I will check that for you.' }), held('checks')],
  ['confidence', config({ maxConfidenceForAuto: 0.81 }), held('confidence')],
  ['delay', config({ replyDelaySeconds: 60 }), { do: 'wait', until: '2026-01-12T10:01:00.000Z', why: 'delay' }],
  ['again', again({ revision: 5 }), ended('SUPERSEDED')],
]

test('a confident answer is sent', () => {
  const { log, next } = decide(sure)
  expect(next).toEqual({ do: 'send', text: 'Yes, we deliver within Berlin.' })
  expect(log.map(({ step }) => step)).toEqual([
    'own_or_duplicate',
    'bot_enabled',
    'channel_enabled',
    'escalation_keyword',
    'thread_state',
    'blocked_words',
    'classify',
    'blocked_topic',
    'escalation_rules',
    'cap',
    'window',
    'working_hours',
    'credits',
    'context',
    'generate',
    'checks',
    'confidence',
    'delay',
    'again',
  ])
})

describe('each step stops the decision', () => {
  for (const [step, change, next] of stops)
    test(step, () => {
      const decided = decide(change(sure))
      expect(decided.next).toEqual(next)
      expect(decided.log.at(-1)?.step).toBe(step)
    })
})

test('of two reasons to stop, the earlier step wins', () => {
  for (const [at, [step, change, next]] of stops.entries()) {
    for (const [, later] of stops.slice(at + 1)) {
      const decided = decide(change(later(sure)))
      expect([step, decided.log.at(-1)?.step, decided.next]).toEqual([step, step, next])
    }
  }
})

describe('asks for each missing fact, and only at its step', () => {
  test.each([
    ['classification', 'classify'],
    ['reserved', 'reserve'],
    ['reply', 'generate'],
    ['again', 'read_again'],
  ] as const)('%s', (part, what) => {
    expect(decide(without(part)(sure)).next).toEqual({ do: what })
  })
  test('a message that is ignored or escalates by a keyword is not classified', () => {
    const bare = without('classification')(sure)
    expect(decide(config({ isEnabled: false })(bare)).next).toEqual(ended('IGNORED'))
    expect(decide(said('lawyer')(bare)).next).toEqual(ended('ESCALATED'))
  })
  test('a message in a paused thread is classified, and then not answered', () => {
    const paused = thread({ botPaused: true })
    expect(decide(paused(without('classification')(sure))).next).toEqual({ do: 'classify' })
    expect(decide(paused(sure)).next).toEqual(ended('QUIET'))
  })
})

test('messages that are our own, from a page, below a broadcast or already decided are ignored', () => {
  for (const foreign of ['own', 'page', 'live', 'duplicate'] as const)
    expect(decide(message({ foreign })(sure)).next).toEqual(ended('IGNORED'))
})

test('a keyword escalates even while the bot is paused or outside working hours', () => {
  const night = config({ hours: { start: '18:00', end: '19:00', zone: 'UTC' } })
  expect(decide(thread({ botPaused: true })(said('lawyer')(night(sure)))).next).toEqual(ended('ESCALATED'))
})

test('every kind of pause keeps the bot silent', () => {
  for (const change of [
    thread({ status: 'ESCALATED' }),
    thread({ botPaused: true }),
    thread({ workspacePaused: true }),
  ])
    expect(decide(change(sure)).next).toEqual(ended('QUIET'))
})

test('a blocked topic is held by its words even if the model failed or missed it', () => {
  expect(decide(said('What of politics?')(sure)).next).toEqual(held('blocked_topic'))
  const failed: DecisionFacts = { ...sure, classification: { failed: 'timeout' } }
  expect(decide(said('What of pоlitics?')(failed)).next).toEqual(held('blocked_topic'))
})

test('a customer gets a person on request', () => {
  expect(decide(classified({ asksHuman: true })(sure)).next).toEqual(ended('ESCALATED'))
})

test('a message that the model fails on is held with a reason', () => {
  expect(decide({ ...sure, classification: { failed: 'timeout' } }).next).toEqual(held('ai_failed'))
  expect(decide({ ...sure, reply: { failed: 'refused' } }).next).toEqual(held('ai_failed'))
  expect(decide({ ...sure, reply: { failed: 'interrupted' } }).next).toEqual(held('interrupted'))
})

test('a message that waited too long for its turn is left to people', () => {
  expect(decide(message({ isLate: true })(sure)).next).toEqual(held('late'))
})

test('outside working hours a message waits for them, or is held if its window ends first', () => {
  const night = config({ hours: { start: '18:00', end: '19:00', zone: 'UTC' } })
  const asked = without('reserved')(without('reply')(sure))
  expect(decide(night(asked)).next).toEqual({ do: 'wait', until: '2026-01-12T18:00:00.000Z', why: 'hours' })
  const short = thread({ windowUntil: '2026-01-12T18:00:59.000Z' })
  expect(decide(short(night(asked))).next).toEqual(held('outside_hours'))
  expect(decide(thread({ windowUntil: '2026-01-12T18:01:01.000Z' })(night(asked))).next).toMatchObject({ do: 'wait' })
})

test('a reply that is ready outside working hours waits for them, or is held with its draft if the window ends first', () => {
  const day = config({ hours: { start: '09:00', end: '17:00', zone: 'UTC' }, replyDelaySeconds: 3_600 })
  const written: DecisionFacts = { ...without('again')(day(sure)), now: '2026-01-12T16:30:00.000Z' }
  const late = { ...written, at: { ...written.at, generated: written.now } }
  const until = '2026-01-13T09:00:00.000Z'
  const long = thread({ windowUntil: null })(late)
  expect(decide(long).next).toEqual({ do: 'wait', until, why: 'hours' })
  expect(decide({ ...long, now: '2026-01-12T17:30:00.000Z' }).next).toEqual({ do: 'wait', until, why: 'hours' })
  expect(decide({ ...long, now: until }).next).toEqual({ do: 'read_again' })
  expect(decide(late).next).toEqual(held('outside_hours'))
  // Within the hours the delay counts alone.
  const early = { ...long, at: { ...long.at, generated: '2026-01-12T15:30:00.000Z' } }
  expect(decide({ ...early, now: '2026-01-12T16:00:00.000Z' }).next).toMatchObject({ why: 'delay' })
  expect(decide({ ...early, now: '2026-01-12T16:30:00.000Z' }).next).toEqual({ do: 'read_again' })
  expect(decide({ ...sure, sent: 'outside_hours' }).next).toEqual(held('outside_hours'))
})

test('an escalation rule judges the urgency and sentiment of the message itself', () => {
  const rule = { id: 'r2', keywords: [], intents: [], urgency: 'HIGH' as const, sentiment: null }
  const ruled = { ...sure, rules: [rule] }
  expect(decide(ruled).next).toMatchObject({ do: 'send' })
  expect(decide(classified({ urgency: 'HIGH' })(ruled)).next).toEqual(ended('ESCALATED'))
  expect(decide({ ...ruled, classification: { failed: 'timeout' } }).next).toEqual(held('ai_failed'))
})

test('the words of messages that nobody decided about escalate, too', () => {
  expect(decide(message({ earlier: ['My lawyer writes to you.'] })(sure)).next).toEqual(ended('ESCALATED'))
  expect(decide(message({ earlier: ['It is broken.'] })(sure)).next).toEqual(ended('ESCALATED'))
  expect(decide(message({ earlier: ['Hello'] })(sure)).next).toMatchObject({ do: 'send' })
})

test('a topic that is blocked is blocked in a message that nobody decided about, too', () => {
  const blocked = config({ blockedTopics: ['politics'] })(sure)
  expect(decide(message({ earlier: ['What are your politics?'] })(blocked)).next).toEqual(held('blocked_topic'))
  expect(decide(message({ earlier: ['Hello'] })(blocked)).next).toMatchObject({ do: 'send' })
})

test('a confidence equal to the threshold is enough', () => {
  expect(decide(config({ maxConfidenceForAuto: 0.8 })(sure)).next).toMatchObject({ do: 'send' })
  expect(decide(config({ maxConfidenceForAuto: 0.800_1 })(sure)).next).toEqual(held('confidence'))
})

test('the lowest of the confidences of model, classification and evidence counts', () => {
  expect(decide(replied({ confidence: 0.69 })(sure)).next).toEqual(held('confidence'))
  expect(decide(classified({ confidence: 0.69 })(sure)).next).toEqual(held('confidence'))
  const other = { text: 'Do you deliver oysters and wine to Paris?' }
  const asked = message(other)(classified({ search: ['oysters', 'wine', 'Paris'] })(sure))
  expect(decide(asked).next).toEqual(held('confidence'))
})

test('however sure the model is, refunds, complaints, legal matters and injections are left to people', () => {
  for (const change of [
    { intent: 'refund request' },
    { intent: 'complaint' },
    { intent: 'legal' },
    { injection: true },
  ])
    expect(decide(classified({ ...change, confidence: 1 })(replied({ confidence: 1 })(sure))).next).toEqual(
      held('confidence'),
    )
})

test('a reply that cites nothing, or something other than what it says, is held', () => {
  expect(decide(replied({ sources: [] })(sure)).next).toEqual(held('checks'))
  expect(decide(replied({ sources: ['kb:1'], confidence: 1 })(sure)).next).toEqual(held('checks'))
})

test('praise needs no evidence', () => {
  const thanked = replied({ text: 'Thank you so much!', sources: [] })(sure)
  const praised = (text: string) => classified({ intent: 'praise' })({ ...thanked, message: { ...sure.message, text } })
  expect(decide(praised('The cake was divine!')).next).toMatchObject({ do: 'send' })
  // A question does, whatever the model says.
  expect(decide(praised('Is the cake vegan?')).next).toEqual(held('checks'))
})

test('while only drafts are allowed, nothing is sent', () => {
  expect(decide(config({ draftsOnlyUntil: '2026-01-12T10:00:00.001Z' })(sure)).next).toEqual(held('drafts_only'))
  expect(decide(config({ draftsOnlyUntil: NOW })(sure)).next).toMatchObject({ do: 'send' })
})

test('the disclosure comes before the first message of the bot only', () => {
  const disclosed = config({ disclosureText: 'A bot answers here.' })(sure)
  expect(decide(disclosed).next).toEqual({ do: 'send', text: 'A bot answers here.\n\nYes, we deliver within Berlin.' })
  expect(decide({ ...disclosed, told: { ...sure.told!, isFirst: false } }).next).toMatchObject({
    text: 'Yes, we deliver within Berlin.',
  })
})

test('a text that is too long for its network is cut between letters', () => {
  const bytes = (most: number) => (text: string) => new TextEncoder().encode(text).length <= most
  expect(cutToFit('سلام', bytes(8))).toBe('سلام')
  expect(cutToFit('سلام عليكم', bytes(11))).toBe('سلام…')
  expect(cutToFit('A 👩‍👩‍👧 family', bytes(12))).toBe('A…')
})

test('changes since the decision are judged at the end', () => {
  const cases: [Partial<NonNullable<DecisionFacts['again']>>, Partial<Next>][] = [
    [{ revision: 5 }, ended('SUPERSEDED')],
    [{ status: 'ESCALATED' }, ended('SUPERSEDED')],
    [{ status: 'CLOSED' }, ended('SUPERSEDED')],
    [{ status: 'SNOOZED' }, held('paused')],
    [{ isEnabled: false }, held('paused')],
    [{ botPaused: true }, held('paused')],
    [{ workspacePaused: true }, held('paused')],
    [{ streak: 3 }, held('cap')],
    [{ maxAutoRepliesPerThread: 0 }, held('cap')],
    [{ windowUntil: '2026-01-12T10:00:59.000Z' }, ended('EXPIRED')],
  ]
  for (const [change, next] of cases) expect([change, decide(again(change)(sure)).next]).toEqual([change, next])
})

test('the window is judged before a reply is sent, not by the time at which its delivery ended', () => {
  const late: DecisionFacts = { ...sure, now: '2026-01-13T08:59:30.000Z' }
  expect(decide(late).next).toEqual(held('window'))
  expect(decide({ ...late, sent: 'sent' }).next).toEqual(ended('SENT'))
  expect(decide({ ...late, sent: 'not_delivered' }).next).toEqual(held('not_delivered'))
  expect(decide({ ...late, sent: 'window' }).next).toEqual(ended('EXPIRED'))
})

test('a cap of zero holds everything, and a missing window never ends', () => {
  expect(decide(config({ maxAutoRepliesPerThread: 0 })(sure)).next).toEqual(held('cap'))
  const open = { ...thread({ windowUntil: null })(sure), again: { ...sure.again!, windowUntil: null } }
  expect(decide(open).next).toMatchObject({ do: 'send' })
})

test('the same facts give the same log, byte for byte, even after they were stored', () => {
  const stored = JSON.parse(JSON.stringify(sure)) as DecisionFacts
  expect(JSON.stringify(decide(stored).log)).toBe(JSON.stringify(decide(sure).log))
  expect(RULES_VERSION).toBe(10)
})
