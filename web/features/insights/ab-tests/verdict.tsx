import { useFormatter, useTranslations } from 'use-intl'
import type { ABTest } from '../../../../src/insights/ab-tests/api.ts'
import { timesOf } from './words.ts'

/** One sentence: the result of a test, or what it waits for. */
export function Verdict({ test: { state, blocks, result, a, b } }: { test: ABTest }) {
  const t = useTranslations('abTests')
  const format = useFormatter()
  const filled = blocks.filter(({ first, second }) => first.postId !== null && second.postId !== null).length
  if (!result) return t(`waits.${state === 'done' ? 'stopped' : state}`, { filled, blocks: blocks.length })
  const { verdict, n } = result
  if (verdict === 'too_few_blocks') return t('verdicts.too_few_blocks', { n })
  const times = (value: number) => format.number(timesOf(value), { maximumFractionDigits: 2 })
  if (verdict === 'no_difference') return t('verdicts.no_difference', { a, b, n })
  return t('verdicts.better', {
    better: verdict === 'A' ? a : b,
    worse: verdict === 'A' ? b : a,
    times: times(result.ratio ?? 1),
    low: times((verdict === 'A' ? result.low : result.high) ?? 1),
    high: times((verdict === 'A' ? result.high : result.low) ?? 1),
    n,
  })
}
