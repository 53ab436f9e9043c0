import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { accountsQuery } from '../../queries.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { refusal, usePlace } from './workspace.tsx'

/** What stands in an empty workspace: the next step, and the one after it. */
export function FirstSteps({ icon, title }: { icon: LucideIcon; title: string }) {
  const t = useTranslations('shell')
  const { ws, membership } = usePlace()
  const connects = !refusal(membership, 'startConnection')
  const writes = !refusal(membership, 'createPost')
  const accounts = useQuery({ ...accountsQuery(ws), enabled: writes })
  const none = accounts.data?.length === 0
  return (
    <Empty
      icon={icon}
      title={title}
      actions={
        writes && (
          <>
            {connects && none && (
              <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass('primary')}>
                {t('connectAccount')}
              </Link>
            )}
            <Link
              to="/w/$ws/compose"
              params={{ ws }}
              className={buttonClass(connects && none ? 'secondary' : 'primary')}
            >
              {t('writeFirst')}
            </Link>
          </>
        )
      }
    >
      {writes ? (none ? t('firstStepConnect') : t('firstStepWrite')) : t('nothingYet')}
    </Empty>
  )
}
