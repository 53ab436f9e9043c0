import { useTranslations } from 'use-intl'
import { isProblem } from '../../../../client.ts'
import { useProblemText } from '../../../../problem.ts'
import { FormError } from '../../../../ui/field.tsx'
import { useNoAsk } from '../../../assistant/ai/cost.tsx'

/** Why a trial was refused. Omits used-up credits once the button shows them. */
export function RunError({ error, cost }: { error: Error | null; cost: number }) {
  const t = useTranslations('why.suggest')
  const problem = useProblemText()
  const { full } = useNoAsk('simulateReplies', cost)
  if (!error) return null
  if (!isProblem(error, 'quota_exceeded')) return <FormError>{problem(error)}</FormError>
  return full ? null : <FormError>{t('usedUp')}</FormError>
}
