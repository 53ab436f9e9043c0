import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { askTopics } from '../../src/assistant/ai/ai-write.ts'
import { claimsResult } from '../../src/assistant/ai/claims.ts'
import { createModel } from '../../src/core/platform/model/provider.ts'
import { call, startSandbox } from '../../sandbox/testing.ts'
import { long } from '../tier.ts'
import { evaluate } from './eval.ts'
import { golden, goldenOfStandIn } from './golden.ts'

// The stand-in follows every brief of the golden set in its languages, and texts that do not follow a brief are
// detected.

let sandbox: Awaited<ReturnType<typeof startSandbox>>
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterEach(() => call(`${sandbox.url}/reset`, { json: {} }))
afterAll(() => sandbox.close())

const model = createModel({
  provider: 'openai-compatible',
  baseUrl: () => `${sandbox.url}/ai/v1`,
  apiKey: 'sandbox-ai-key',
  model: 'sandbox-writer',
  imageModel: 'sandbox-painter',
})

test('the golden set has at least sixty briefs in at least eight languages, including Arabic', () => {
  expect(golden.length).toBeGreaterThanOrEqual(60)
  const languages = new Set(golden.map(({ language }) => language))
  expect(languages.size).toBeGreaterThanOrEqual(8)
  expect(languages).toContain('ar')
})

test('every requested option arrives as expected and without findings', async () => {
  const { asked, written, passed, faults, unexpected, failed } = await evaluate(model, goldenOfStandIn)
  expect(unexpected).toEqual([])
  expect({ written, passed, failed }).toEqual({ written: asked, passed: asked, failed: {} })
  expect(Object.entries(faults).filter(([, count]) => count > 0)).toEqual([])
})

test.each(['en', 'ar', 'de'])('the reason for a proposed topic claims no result, in %s', async (code) => {
  const brief = {
    task: 'topics',
    count: 4,
    niche: 'Mokka',
    language: { code, name: code },
    hashtags: null,
    emoji: null,
    cta: null,
    network: null,
    voice: null,
    posts: [{ text: 'Mokka' }],
  } as const
  const { topics } = await askTopics({ model }, { ...brief, posts: [...brief.posts] }, AbortSignal.timeout(10_000))
  expect(topics).toHaveLength(4)
  expect(new Set(topics.map(({ reason }) => reason)).size).toBe(2)
  for (const { reason } of topics) expect([reason, claimsResult(reason)]).toEqual([reason, false])
})

const rules = [
  ['count', 'missing'],
  ['length', 'wrong_length'],
  ['language', 'wrong_language'],
  ['emoji', 'emoji_policy'],
  ['forbidden', 'forbidden_word'],
  ['limit', 'wrong_length'],
  ['leak', 'leaked_instruction'],
  ['link', 'foreign_link'],
  ['same', 'same_as_another'],
  ['lost', 'lost_part'],
  ['hashtags', 'wrong_hashtags'],
  ['cta', 'missing_cta'],
] as const

// A usual run tries four of them, since checks.test.ts tests the checks without a model.
const USUAL = ['limit', 'leak', 'link', 'same']
test.each(long ? rules : rules.filter(([rule]) => USUAL.includes(rule)))(
  'options that break the rule of %s are detected, and none of them is passed on',
  async (rule, finding) => {
    await call(`${sandbox.url}/ai/behaviour`, { method: 'PUT', json: { disobey: [rule] } })
    const some = goldenOfStandIn.slice(0, 8)
    const { faults, asked, passed, unexpected } = await evaluate(model, some)
    expect(faults[finding]).toBeGreaterThan(0)
    expect(passed).toBeLessThan(asked)
    expect(unexpected).toEqual([])
  },
)
