import { useFormatter, useTranslations } from 'use-intl'
import { PlanLink } from '../../team/plan/plan-link.tsx'
import { usePlace } from '../../shell/workspace.tsx'

/** Says that the plan allows no more posts, and until when, with a link to the plan. */
export function QuotaNote({ limit, used, resetsAt }: { limit?: unknown; used?: unknown; resetsAt?: unknown }) {
  const t = useTranslations('composer.quota')
  const format = useFormatter()
  const { workspace } = usePlace()
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
        <PlanLink quota="posts" />
      </p>
    </div>
  )
}
