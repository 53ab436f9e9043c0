import { briefOf, items, systemOf, tokensOf } from '../../src/assistant/ai/ai-brief.ts'
import { candidateOf, typedIn, write } from '../../src/assistant/ai/ai-write.ts'
import { type Finding, FINDINGS } from '../../src/assistant/ai/api.ts'
import { type Candidate, captionFindings, translationFindings, wantedOf } from '../../src/assistant/ai/checks.ts'
import { LENGTHS, weightOf } from '../../src/assistant/ai/rules.ts'
import { isInAnother } from '../../src/assistant/ai/text-language.ts'
import { termsIn } from '../../src/assistant/ai/words/rules.ts'
import { type Model, ModelError, type Use } from '../../src/core/platform/model/model.ts'
import type { Golden } from './golden.ts'

/**
 * How well a model follows briefs: its first output, before anything is refused or requested again, and what is passed
 * on.
 */
export interface Report {
  briefs: number
  /** The options that were requested, that the model wrote, and that were passed on in the end. */
  asked: number
  written: number
  passed: number
  /** The findings of the product's checks about the options as written. */
  faults: Record<Finding, number>
  /** Options that were passed on although they differ from what the golden set expects. */
  unexpected: { topic: string; text: string; why: string }[]
  /** Briefs without a result, by reason. */
  failed: Record<string, number>
  /** Milliseconds of each first call, until the first option and until the end. */
  firstItem: number[]
  whole: number[]
  inputTokens: number
  outputTokens: number
}

export async function evaluate(model: Model, briefs: readonly Golden[], atOnce = 4): Promise<Report> {
  const report: Report = {
    briefs: briefs.length,
    asked: 0,
    written: 0,
    passed: 0,
    faults: Object.fromEntries(FINDINGS.map((each) => [each, 0])) as Report['faults'],
    unexpected: [],
    failed: {},
    firstItem: [],
    whole: [],
    inputTokens: 0,
    outputTokens: 0,
  }
  const waiting = [...briefs]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) await judge(model, one, report)
    }),
  )
  return report
}

async function judge(model: Model, one: Golden, report: Report): Promise<void> {
  const { kind, input, voice } = one
  const around = { workspace: { language: 'en', niche: '' }, voice, media: [] }
  const brief = briefOf(kind, input, around)
  const wanted = wantedOf(brief, systemOf(kind), typedIn(brief))
  report.asked += brief.count
  const signal = AbortSignal.timeout(120_000)
  const began = performance.now()
  const raw: Candidate[] = []
  const take = (candidate: Candidate) => {
    if (raw.length === 0) report.firstItem.push(performance.now() - began)
    const wrong =
      kind === 'translate' ? translationFindings(candidate, wanted) : captionFindings(candidate, wanted, raw)
    for (const each of wrong) report.faults[each] += 1
    raw.push(candidate)
  }
  const ask = {
    system: wanted.system,
    prompt: JSON.stringify(brief),
    most: brief.count,
    maxTokens: tokensOf(brief),
    signal,
  }
  const counted = (used: Use) => {
    report.inputTokens += used.inputTokens ?? 0
    report.outputTokens += used.outputTokens ?? 0
  }
  try {
    counted(
      kind === 'translate'
        ? await model.items({ ...ask, item: items.translate }, (item) => take(candidateOf(item, brief)))
        : await model.items({ ...ask, item: items[kind] }, (item) => take(candidateOf(item, brief))),
    )
    report.whole.push(performance.now() - began)
    report.written += raw.length
    report.faults.missing += brief.count - raw.length
    const { options, use } = await write({ model }, kind, input, around, signal, () => {})
    if (use) counted(use)
    report.passed += options.length
    for (const { text, hashtags = [], cta = '' } of options) {
      const why = unlike(one, text, [text, cta, ...hashtags].join('\n'))
      if (why) report.unexpected.push({ topic: JSON.stringify(input), text, why })
    }
  } catch (error) {
    const why = error instanceof ModelError ? error.kind : (error as { code?: string }).code
    if (why === undefined) throw error
    report.failed[why] = (report.failed[why] ?? 0) + 1
  }
}

/** Returns how the text of an option differs from what the golden set expects, or undefined. */
function unlike({ language, length, forbidden }: Golden, text: string, all: string): string | undefined {
  if (isInAnother(text, language)) return `not ${language}`
  const [found] = termsIn(all, forbidden)
  if (found !== undefined) return `says ${found}`
  if (length === null) return undefined
  const { min, max } = LENGTHS[length]
  return weightOf(text) < min || weightOf(text) > max ? `not ${length}` : undefined
}

const percentile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN

/** Returns the report as rows to print. */
export function rowsOf(report: Report): Record<string, string> {
  const { briefs, asked, written, passed, faults, unexpected, failed, firstItem, whole } = report
  const share = (count: number, of: number) => `${count} of ${of} (${((100 * count) / Math.max(1, of)).toFixed(1)} %)`
  const times = (values: number[]) =>
    `${percentile(values, 0.5).toFixed(0)} ms, ${percentile(values, 0.99).toFixed(0)} ms`
  return {
    'briefs answered': share(briefs - Object.values(failed).reduce((sum, each) => sum + each, 0), briefs),
    'options written at first': share(written, asked),
    ...Object.fromEntries(
      FINDINGS.filter((each) => each !== 'missing').map((each) => [
        `  without ${each}`,
        share(written - faults[each], written),
      ]),
    ),
    'options passed on': share(passed, asked),
    '  as expected': share(passed - unexpected.length, passed),
    'first option, p50 and p99': times(firstItem),
    'whole answer, p50 and p99': times(whole),
    'tokens in and out': `${report.inputTokens}, ${report.outputTokens}`,
    ...Object.fromEntries(Object.entries(failed).map(([why, count]) => [`failed: ${why}`, String(count)])),
  }
}
