import { beforeAll, expect, test } from 'vitest'
import type { BotConfig } from '../src/conversations/bot/config/api.ts'
import type { ReplyExperiment } from '../src/conversations/experiments/api.ts'
import { useProduct } from './fixtures.ts'
import { newPerson, type Person } from './world.ts'

// Two promises of the contract about all resources: where a new one is, and what sending it back unchanged does.

const { product } = useProduct({ env: { DEFAULT_PLAN: 'business' } })
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

const variant = (name: string) => ({ name, style: 'WARM', brandVoiceId: null, instructions: `Answer as ${name}.` })

test.each([
  ['/labels', { name: 'Autumn', color: 'blue' }],
  ['/saved-replies', { name: 'Hours', text: 'We open at nine.' }],
  ['/ice/escalation-rules', { keywords: ['refund'] }],
  ['/ice/experiments', { name: 'Warmth', variantA: variant('A'), variantB: variant('B') }],
  ['/views', { name: 'Mine', screen: 'posts', filters: {} }],
  ['/hashtag-sets', { name: 'Coffee', hashtags: ['coffee'] }],
  ['/templates', { name: 'Morning', caption: 'Good morning' }],
])('creating in %s answers with the address of what was made', async (path, body) => {
  const made = await ann.call<{ id: string }>('POST', path, body)
  expect([made.status, made.body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })])
  expect(made.headers.get('location')).toBe(`/api/v1${path}/${made.body.id}`)
})

test('settings of the bot that are sent back unchanged keep their version', async () => {
  const faqEntries = [{ question: 'Do you deliver?', answer: 'Yes.', tags: ['delivery'] }]
  const first = await ann.must<BotConfig>('PUT', '/ice/bot-config', { faqEntries })
  expect(await ann.must<BotConfig>('PUT', '/ice/bot-config', { faqEntries })).toEqual(first)
  expect(await ann.must<BotConfig>('PUT', '/ice/bot-config', { faqEntries: first.faqEntries })).toEqual(first)
})

test('a running experiment takes its own variants back with a new name', async () => {
  const body = { name: 'Tone', variantA: variant('Calm'), variantB: variant('Lively') }
  const { id } = await ann.must<ReplyExperiment>('POST', '/ice/experiments', body)
  await ann.must('PATCH', `/ice/experiments/${id}`, { state: 'RUNNING' })
  const { variantA, variantB } = await ann.must<ReplyExperiment>('GET', `/ice/experiments/${id}`)
  expect(
    await ann.must<ReplyExperiment>('PATCH', `/ice/experiments/${id}`, { name: 'Tone of voice', variantA, variantB }),
  ).toMatchObject({ name: 'Tone of voice', state: 'RUNNING' })
})
