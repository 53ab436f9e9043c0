import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { ProblemError } from '../../client.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorView } from '../../ui/states.tsx'
import type { Refusal } from '../../../src/http/rules.ts'
import { refusal, usePlace } from './workspace.tsx'

/** Why a screen is not for this person, with the way to the plan where that is what is lacking and they may see it. */
export function Refused({ refused, whole }: { refused: Refusal; whole?: boolean }) {
  const t = useTranslations('settings')
  const { ws, membership } = usePlace()
  const plan = !refusal(membership, 'listUsage') && (
    <Link to="/w/$ws/settings/plan" params={{ ws }} className={buttonClass('secondary')}>
      {t('plan')}
    </Link>
  )
  return <ErrorView whole={whole} error={new ProblemError(403, { ...refused })} plan={plan} />
}
