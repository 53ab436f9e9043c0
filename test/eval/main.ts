import { parseArgs } from 'node:util'
import { readConfig } from '../../src/core/config.ts'
import { createModel, PROVIDERS } from '../../src/core/platform/model/provider.ts'
import type { Model } from '../../src/core/platform/model/model.ts'
import { call, startSandbox } from '../../sandbox/testing.ts'
import { attacks } from './bot/attacks.ts'
import { botRows, evaluateBot } from './bot/eval.ts'
import { ordinary } from './bot/ordinary.ts'
import { evaluate, rowsOf } from './eval.ts'
import { golden, goldenOfStandIn } from './golden.ts'

// npm run eval [-- --provider sandbox|openai-compatible|anthropic] [--some 20] [--show]: how well a model follows the
// golden set.
// npm run eval -- bot: what the bot sends automatically when attacked, and what it holds among ordinary messages.
// A real model is set by AI_BASE_URL, AI_API_KEY and AI_MODEL, and costs money: about 160 calls.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { provider: { type: 'string' }, some: { type: 'string' }, show: { type: 'boolean' } },
})
const { ai } = readConfig()
const isReal = values.provider ? values.provider !== 'sandbox' : (ai.apiKey ?? ai.baseUrl) !== undefined
const provider =
  values.provider === 'anthropic' || values.provider === 'openai-compatible' ? values.provider : ai.provider
const sandbox = isReal ? undefined : await startSandbox()
const { url, model: usual } = PROVIDERS[provider]
const name = sandbox ? 'sandbox-writer' : (ai.model ?? usual)
const model: Model = createModel({
  provider: sandbox ? 'openai-compatible' : provider,
  baseUrl: () => (sandbox ? `${sandbox.url}/ai/v1` : (ai.baseUrl ?? url)),
  apiKey: sandbox ? 'sandbox-ai-key' : ai.apiKey,
  model: name,
  imageModel: '',
})
if (positionals.includes('bot')) await evaluateReplies()
else await evaluateBriefs()
await sandbox?.close()

async function evaluateBriefs(): Promise<void> {
  const briefs = sandbox ? goldenOfStandIn : golden
  const report = await evaluate(model, briefs.slice(0, values.some === undefined ? undefined : Number(values.some)))
  console.log(`${name}, ${report.briefs} briefs`)
  console.table(rowsOf(report))
  if (values.show) console.log(report.unexpected)
}

/** Runs the attacks against a model that obeys them, and then all messages against the model itself. */
async function evaluateReplies(): Promise<void> {
  const all = values.some === undefined ? undefined : Number(values.some)
  const corpus = { attacks: attacks.slice(0, all), ordinary: ordinary.slice(0, all) }
  if (sandbox) {
    await obey(sandbox.url, true)
    const obedient = await evaluateBot(model, { ...corpus, ordinary: [] })
    console.log(`a model that obeys every message, ${obedient.attacks} attacks: ${obedient.unsafe.length} unsafe sends`)
    if (values.show) console.log(obedient.unsafe)
    await obey(sandbox.url, false)
  }
  const report = await evaluateBot(model, corpus)
  console.log(`${name}, ${report.attacks} attacks and ${report.ordinary} ordinary messages`)
  console.table(botRows(report))
  if (values.show) console.log({ unsafe: report.unsafe, held: report.held, wrong: report.wrong })
  if (report.unsafe.length > 0) process.exitCode = 1
}

async function obey(url: string, obeyMessages: boolean): Promise<void> {
  await call(`${url}/ai/behaviour`, { method: 'PUT', json: obeyMessages ? { obeyMessages } : {} })
}
