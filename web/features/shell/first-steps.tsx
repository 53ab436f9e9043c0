import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { accountsQuery } from '../../queries.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { refusal, usePlace } from './workspace.tsx'

/** The next steps in an empty workspace. As a `strip`, it leaves room for the content below. */
export function FirstSteps({ icon, title, strip }: { icon: LucideIcon; title: string; strip?: boolean }) {
  const t = useTranslations('shell')
  const { ws, membership } = usePlace()
  const connects = !refusal(membership, 'startConnection')
  const writes = !refusal(membership, 'createPost')
  const accounts = useQuery({ ...accountsQuery(ws), enabled: writes })
  const none = accounts.data?.length === 0
  const actions = writes && (
    <>
      {connects && none && (
        <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass('primary')}>
          {t('connectAccount')}
        </Link>
      )}
      <Link to="/w/$ws/compose" params={{ ws }} className={buttonClass(connects && none ? 'secondary' : 'primary')}>
        {t('writeFirst')}
      </Link>
    </>
  )
  const words = writes ? (none ? t('firstStepConnect') : t('firstStepWrite')) : t('nothingYet')
  if (!strip)
    return (
      <Empty icon={icon} title={title} actions={actions}>
        {words}
      </Empty>
    )
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b bg-bg px-4 py-2.5 lg:px-6">
      <p className="min-w-0 grow text-13 text-muted">
        <strong className="font-semibold text-fg">{title}.</strong> {words}
      </p>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  )
}
