import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { ProblemError } from '../../client.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorView } from '../../ui/states.tsx'
import type { Refusal } from '../../../src/core/http/rules.ts'
import { plansQuery } from '../team/plan/queries.ts'
import { refusal, usePlace } from './workspace.tsx'

/** Why a person cannot open a screen. If the plan lacks it and they may see the plan, there is a link to it. */
export function Refused({ refused, whole }: { refused: Refusal; whole?: boolean }) {
  const t = useTranslations('settings')
  const { ws, membership } = usePlace()
  const mayPlan = !refusal(membership, 'listUsage')
  const feature = refused.code === 'feature_not_in_plan' ? refused.feature : null
  const known = useQuery({ ...plansQuery(ws), enabled: mayPlan && feature !== null })
  const plans = known.data?.filter((one) => feature && one.features.includes(feature)).map(({ id }) => id)
  const plan = mayPlan && (
    <Link to="/w/$ws/settings/plan" params={{ ws }} className={buttonClass('secondary')}>
      {t('plan')}
    </Link>
  )
  return <ErrorView whole={whole} error={new ProblemError(403, { ...refused, ...(plans && { plans }) })} plan={plan} />
}
