import { parseArgs } from 'node:util'
import { readConfig } from '../../src/core/config.ts'
import { createModel, PROVIDERS } from '../../src/core/platform/model/provider.ts'
import type { Model } from '../../src/core/platform/model/model.ts'
import { startSandbox } from '../../sandbox/testing.ts'
import { evaluate, rowsOf } from './eval.ts'
import { golden, goldenOfStandIn } from './golden.ts'

// npm run eval [-- --provider sandbox|openai-compatible|anthropic] [--some 20] [--show]: how well a model keeps to the golden set.
// A real one is asked by AI_BASE_URL, AI_API_KEY and AI_MODEL, and paid for: some 160 calls.

const { values } = parseArgs({
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
const briefs = sandbox ? goldenOfStandIn : golden
const report = await evaluate(model, briefs.slice(0, values.some === undefined ? undefined : Number(values.some)))
console.log(`${name}, ${report.briefs} briefs`)
console.table(rowsOf(report))
if (values.show) console.log(report.unexpected)
await sandbox?.close()
