import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, ExternalLink, Pause, Play, RefreshCw, Stethoscope, TriangleAlert, Unlink } from 'lucide-react'
import { Suspense, useState } from 'react'
import { toast } from '../../../toast.ts'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { call, isProblem } from '../../../client.ts'
import { useMaybe } from '../../../i18n.tsx'
import { NETWORKS } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { accountsQuery } from '../../../queries.ts'
import { AccountAvatar } from '../../../ui/account-avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { Menu, MenuAnchor, MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { lazy } from '../../../ui/part.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { AccountState } from './state.tsx'

const Doctor = lazy(() => import('./doctor.tsx'))

export function AccountCard({ account, onReconnect }: { account: SocialAccount; onReconnect: () => void }) {
  const t = useTranslations('accounts')
  const { ws } = usePlace()
  const client = useQueryClient()
  const text = useProblemText()
  const maybe = useMaybe()
  const may = useMay('updateSocialAccount')
  const [examined, setExamined] = useState(false)
  const [leaving, setLeaving] = useState<'ask' | number | null>(null)
  const key = accountsQuery(ws).queryKey

  const pause = useMutation({
    mutationFn: (paused: boolean) =>
      call('updateSocialAccount', {
        workspace: ws,
        params: { id: account.id },
        body: { paused },
        ifMatch: account.version,
      }),
    onSuccess: (answer) => {
      client.setQueryData(key, (all) => all?.map((one) => (one.id === answer.id ? answer : one)))
      toast.success(t(answer.paused ? 'pausedNow' : 'resumedNow', { name: answer.name }))
    },
    onError: (error) => {
      toast.error(text(error))
      void client.invalidateQueries({ queryKey: key })
    },
  })

  const disconnect = useMutation({
    mutationFn: (confirm: boolean) =>
      call('deleteSocialAccount', {
        workspace: ws,
        params: { id: account.id },
        query: confirm ? { confirm: 'true' } : {},
      }),
    onSuccess: () => {
      setLeaving(null)
      toast.success(t('disconnected', { name: account.name }))
      void client.invalidateQueries({ queryKey: key })
    },
    onError: (error) => {
      if (isProblem(error, 'account_in_use')) setLeaving(Number(error.problem['count'] ?? 0))
      else {
        setLeaving(null)
        toast.error(text(error))
      }
    },
  })

  const broken = account.status === 'RECONNECT_NEEDED'
  const inUse = typeof leaving === 'number' ? leaving : null
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
            <Menu
              label={t('more', { name: account.name })}
              align="end"
              trigger={(props) => (
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={t('more', { name: account.name })}
                  busy={pause.isPending}
                  {...props}
                >
                  <Ellipsis className="size-4" aria-hidden />
                </Button>
              )}
            >
              {account.profileUrl && (
                <MenuAnchor href={account.profileUrl}>
                  <ExternalLink className="size-4" aria-hidden />
                  {t('open', { network: NETWORKS[account.platform].name })}
                </MenuAnchor>
              )}
              <MenuItem onSelect={() => pause.mutate(!account.paused)}>
                {account.paused ? <Play className="size-4" aria-hidden /> : <Pause className="size-4" aria-hidden />}
                {account.paused ? t('resume') : t('pause')}
              </MenuItem>
              <MenuItem onSelect={() => setExamined(true)}>
                <Stethoscope className="size-4" aria-hidden />
                {t('examine')}
              </MenuItem>
              <MenuItem onSelect={onReconnect}>
                <RefreshCw className="size-4" aria-hidden />
                {t('reconnect')}
              </MenuItem>
              <MenuLine />
              <MenuItem danger onSelect={() => setLeaving('ask')}>
                <Unlink className="size-4" aria-hidden />
                {t('disconnect')}
              </MenuItem>
            </Menu>
          </>
        )}
      </div>
      {account.paused && <p className="text-13 text-muted">{t('pausedBody')}</p>}
      {broken && <p className="text-13 text-bad">{t('reconnectBody')}</p>}
      {account.missingScopes.length > 0 && (
        <div className="grid gap-1 rounded-lg bg-warn-soft px-3 py-2.5 text-13">
          <p className="flex items-center gap-2 font-medium text-warn">
            <TriangleAlert className="size-4 shrink-0" aria-hidden />
            {t('missing')}
          </p>
          <ul className="grid gap-0.5">
            {account.missingScopes.map(({ scope, neededFor }) => (
              <li key={scope}>
                {maybe(`accounts.needs.${neededFor}`, neededFor)}{' '}
                <code dir="ltr" className="text-xs break-all text-muted">
                  {scope}
                </code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {examined && (
        <Suspense>
          <Doctor
            account={account}
            onClose={() => setExamined(false)}
            onReconnect={onReconnect}
            onResume={() => {
              setExamined(false)
              pause.mutate(false)
            }}
          />
        </Suspense>
      )}
      <Confirm
        danger
        open={leaving !== null}
        onOpenChange={(open) => !open && setLeaving(null)}
        title={t('disconnectTitle', { name: account.name })}
        description={inUse === null ? t('disconnectBody') : t('inUse', { count: inUse })}
        action={inUse === null ? t('disconnect') : t('disconnectAnyway')}
        busy={disconnect.isPending}
        onConfirm={() => disconnect.mutate(inUse !== null)}
      />
    </li>
  )
}
