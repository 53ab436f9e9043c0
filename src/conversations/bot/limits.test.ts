import { beforeAll, expect, test } from 'vitest'
import { modelCalls } from '../../../test/ai.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { type OpenedInbox, openInbox, threadOf } from '../../../test/inbox.ts'
import { confirmEmail, eventually, newPerson, type Person } from '../../../test/world.ts'
import type { OpenThread } from '../threads/api.ts'
import type { DraftReply } from '../decisions/api.ts'

const { product, sandbox, sql } = useProduct({ env: { ...FAST, CLASSIFICATIONS_PER_MINUTE: '2' } })
let ann: Person
let page: OpenedInbox

const ASKED = 'Do you deliver to Berlin?'

beforeAll(async () => {
  ann = await newPerson(product.url, 'Ann')
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u5971')
  await ann.must('PUT', '/ice/bot-config', {
    isEnabled: true,
    faqEntries: [{ question: ASKED, answer: 'Yes, we deliver everywhere in Berlin.' }],
    maxConfidenceForAuto: 0.7,
    blockedTopics: ['politics'],
  })
  await ann.must('POST', '/ice/escalation-rules', { keywords: ['lawyer'] })
})

async function write(name: string, text: string, holds: (thread: OpenThread) => unknown) {
  await page.play({ kind: 'dm', from: { name }, text })
  return eventually(async () => {
    const thread = await threadOf(ann, name)
    return holds(thread) ? thread : undefined
  })
}

test('beyond the classifications of a minute only words decide, and people answer; what people ask for is not counted', async () => {
  const isAnswered = ({ messages }: OpenThread) => messages.some(({ source }) => source === 'BOT_AUTO')
  await write('One', ASKED, isAnswered)
  await sql.query(`update try_count set ends_at = ends_at + interval '1 hour'`)
  await write('Two', ASKED, isAnswered)
  const held = await write('Three', `${ASKED} I am the third.`, ({ held: why }) => why !== null)
  expect(held).toMatchObject({ held: { reason: 'ai_failed' }, drafts: [] })
  expect(held.decisionLog).toContainEqual(expect.objectContaining({ step: 'classify', outcome: 'failed: limited' }))
  expect((await modelCalls(product.url)).filter(({ prompt }) => prompt.includes('I am the third.'))).toEqual([])
  await write('Four', 'I will call my lawyer.', ({ status }) => status === 'ESCALATED')
  const blocked = await write('Five', 'What are your politics?', ({ held: why }) => why !== null)
  expect(blocked.held?.reason).toBe('blocked_topic')
  expect(await ann.must('GET', `/ice/decisions/${held.decisionId}/replay`)).toMatchObject({ same: true, diff: [] })
  const draft = await ann.must<DraftReply>('POST', `/conversations/${held.id}/suggest`)
  expect(draft).toMatchObject({ reason: 'suggested' })
})
