import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { useLargerPlans } from './larger-plans.ts'

/**
 * Shown next to the refusal when a quota is used up: the plans with more of `quota` and a link to the plan, or for
 * people without access, who can change it.
 */
export function PlanLink({ quota }: { quota?: string | undefined }) {
  const t = useTranslations('states')
  const { ws, membership } = usePlace()
  const larger = useLargerPlans(quota)
  return refusal(membership, 'listUsage') ? (
    t('askOwner')
  ) : (
    <>
      {larger && `${larger} `}
      <Link to="/w/$ws/settings/plan" params={{ ws }} className="font-medium underline">
        {t('seePlan')}
      </Link>
    </>
  )
}
