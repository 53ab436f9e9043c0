import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { refusal, usePlace } from '../../shell/workspace.tsx'

/** Where one sees the plan, for a person who may; else who can change it. Beside a refusal because a quota is used up. */
export function PlanLink() {
  const t = useTranslations('states')
  const { ws, membership } = usePlace()
  return refusal(membership, 'listUsage') ? (
    t('askOwner')
  ) : (
    <Link to="/w/$ws/settings/plan" params={{ ws }} className="font-medium underline">
      {t('seePlan')}
    </Link>
  )
}
