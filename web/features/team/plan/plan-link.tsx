import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { useLargerPlans } from './larger-plans.ts'

/**
 * Where one sees the plan, for a person who may, after the plans that have more of `quota`; else who can change it. Beside a refusal
 * because a quota is used up.
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
