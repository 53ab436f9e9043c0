import { RefreshCw } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { AccountAvatar } from '../../../ui/account-avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { useMay } from '../../shell/workspace.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Disconnect } from './disconnect.tsx'
import { MissingScopes } from './missing-scopes.tsx'
import { AccountState } from './state.tsx'
import { usePause } from './use-pause.ts'

const Doctor = lazy(() => import('./doctor.tsx'))

/** A connected account: its name, its state, and what is wrong with it. */
export function AccountCard({ account, onReconnect }: { account: SocialAccount; onReconnect: () => void }) {
  const t = useTranslations('accounts')
  const may = useMay('updateSocialAccount')
  const pause = usePause(account)
  const [open, setOpen] = useState<'doctor' | 'disconnect' | null>(null)
  const close = () => setOpen(null)
  const broken = account.status === 'RECONNECT_NEEDED'
  return (
    <li className="card grid gap-3 p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <AccountAvatar account={account} className="size-10" />
        <div className="min-w-0 grow basis-24">
          <h2 dir="auto" className="clip text-sm font-semibold">
            {account.name}
          </h2>
          <p className="flex min-w-0 flex-wrap gap-x-2 text-xs text-muted">
            {NETWORKS[account.platform].name}
            {account.username && (
              <bdi dir="ltr" className="max-w-full clip">
                @{account.username}
              </bdi>
            )}
          </p>
        </div>
        <AccountState account={account} />
        {!may.hidden && (
          <>
            {broken && (
              <Button variant="primary" size="sm" onClick={onReconnect}>
                <RefreshCw className="size-3.5" aria-hidden />
                {t('reconnect')}
              </Button>
            )}
            <AccountMenu
              account={account}
              busy={pause.isPending}
              onPause={(paused) => pause.mutate(paused)}
              onExamine={() => setOpen('doctor')}
              onReconnect={onReconnect}
              onDisconnect={() => setOpen('disconnect')}
            />
          </>
        )}
      </div>
      {account.paused && <p className="text-13 text-muted">{t('pausedBody')}</p>}
      {broken && <p className="text-13 text-bad">{t('reconnectBody')}</p>}
      {account.missingScopes.length > 0 && <MissingScopes scopes={account.missingScopes} />}
      {open === 'doctor' && (
        <Suspense>
          <Doctor
            account={account}
            onClose={close}
            onReconnect={onReconnect}
            onResume={() => {
              close()
              pause.mutate(false)
            }}
          />
        </Suspense>
      )}
      {open === 'disconnect' && <Disconnect account={account} onClose={close} />}
    </li>
  )
}
