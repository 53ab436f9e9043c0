import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { refusal, usePlace } from '../shell/workspace.tsx'

/** That the plan refused a new post, until when, and where one sees the plan. */
export function QuotaNote({ limit, used, resetsAt }: { limit?: unknown; used?: unknown; resetsAt?: unknown }) {
  const t = useTranslations('composer.quota')
  const states = useTranslations('states')
  const format = useFormatter()
  const { ws, membership, workspace } = usePlace()
  return (
    <div role="alert" className="grid gap-1 border-b bg-bad-soft px-4 py-2.5 text-13 lg:px-6">
      <p>
        <strong className="font-semibold">
          {t('full', { used: format.number(Number(used)), limit: format.number(Number(limit)) })}
        </strong>{' '}
        {t('kept')}
      </p>
      <p>
        {typeof resetsAt === 'string' &&
          t('resets', {
            date: format.dateTime(new Date(resetsAt), { dateStyle: 'long', timeZone: workspace.timezone }),
          })}{' '}
        {refusal(membership, 'listUsage') ? (
          states('askOwner')
        ) : (
          <Link to="/w/$ws/settings/plan" params={{ ws }} className="font-medium underline">
            {t('plan')}
          </Link>
        )}
      </p>
    </div>
  )
}
