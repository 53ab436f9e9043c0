import { useTranslations } from 'use-intl'
import { isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'

/** An error as one sentence, with the inbox's own texts. */
export function useInboxProblem() {
  const t = useTranslations('inbox.problems')
  const text = useProblemText()
  return (error: unknown): string => {
    if (isProblem(error, 'invalid_state')) return t('changed')
    if (isProblem(error, 'outcome_unknown')) return t('unknown')
    if (isProblem(error, 'window_closed')) return t('window')
    return text(error)
  }
}
