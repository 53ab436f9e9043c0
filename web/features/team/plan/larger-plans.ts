import { useQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { useMaybe } from '../../../i18n.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { plansQuery } from './queries.ts'

/**
 * A sentence that names the plans with a higher limit for a quota. null if there is none, while loading, and for people
 * who may not see the plans.
 */
export function useLargerPlans(quota: string | undefined): string | null {
  const t = useTranslations('states')
  const maybe = useMaybe()
  const format = useFormatter()
  const { ws, membership } = usePlace()
  const { data: plans = [] } = useQuery({
    ...plansQuery(ws),
    enabled: quota !== undefined && !refusal(membership, 'listPlans'),
  })
  const limitIn = (plan: (typeof plans)[number] | undefined) => plan?.quotas.find((one) => one.quota === quota)?.limit
  const limit = limitIn(plans.find(({ id }) => id === membership.plan))
  if (limit === null || limit === undefined) return null
  const larger = plans.filter((plan) => {
    const its = limitIn(plan)
    return its === null || (its !== undefined && its > limit)
  })
  if (larger.length === 0) return null
  return t('largerPlans', { plans: format.list(larger.map(({ id }) => maybe(`states.plans.${id}`, id))) })
}
