import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { OpenThread } from '../../../../src/conversations/threads/api.ts'
import { isOpenComment } from '../../../../src/conversations/threads/rules.ts'
import { networks } from '../../../../src/networks/rules.ts'
import { NETWORKS } from '../../../labels.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useCustomerName } from './customer-avatar.tsx'
import { useWindow } from './times.ts'

/** Why this customer cannot be answered from here now, and how to fix it; null if they can. */
export function useClosedNote(thread: OpenThread, account: SocialAccount | undefined): ReactNode {
  const t = useTranslations('inbox.off')
  const { ws } = usePlace()
  const network = NETWORKS[thread.platform].short
  const name = useCustomerName()(thread)
  const isClosed = useWindow()(thread)?.state === 'closed'
  const toAccounts = (words: string) => (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <p>{words}</p>
      <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass('secondary', 'sm')}>
        {t('accounts')}
      </Link>
    </div>
  )
  if (thread.customer?.erased) return <p>{t('erased')}</p>
  if (account?.status === 'DISCONNECTED') return toAccounts(t('disconnected', { account: account.name }))
  if (!networks[thread.platform].answers) return <p>{t('network', { network })}</p>
  if (isClosed) return <p>{t('window', { network, name })}</p>
  if (thread.kind === 'COMMENT' && !thread.messages.some(isOpenComment)) return <p>{t('removed')}</p>
  return null
}
