import { useTranslations } from 'use-intl'
import { isProblem } from '../../../client.ts'
import { NETWORKS } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import type { DemoStep } from './demo.ts'
import { NotConnected } from './not-connected.ts'

/** Returns a function that says what of the demo failed, and why. */
export function useStopWords() {
  const t = useTranslations('demo')
  const text = useProblemText()
  return (error: unknown, at: DemoStep | null): string => {
    if (error instanceof NotConnected) return t('notConnected', { network: NETWORKS[error.network].short })
    const first = t(`stopped.${at ?? 'start'}`)
    return isProblem(error) ? `${first} ${text(error)}` : first
  }
}
