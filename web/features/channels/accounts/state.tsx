import { clsx } from 'clsx'
import { CircleCheck, CirclePause, TriangleAlert, Unplug } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'

export function AccountState({ account }: { account: SocialAccount }) {
  const t = useTranslations('accounts')
  const [Icon, key, look] =
    account.status === 'DISCONNECTED'
      ? ([Unplug, 'isDisconnected', 'bg-sunken text-muted'] as const)
      : account.status === 'RECONNECT_NEEDED'
        ? ([TriangleAlert, 'needsReconnect', 'bg-bad-soft text-bad'] as const)
        : account.paused
          ? ([CirclePause, 'isPaused', 'bg-warn-soft text-warn'] as const)
          : ([CircleCheck, 'isConnected', 'bg-ok-soft text-ok'] as const)
  return (
    <span className={clsx('inline-flex h-6 items-center gap-1.5 rounded-full px-2 text-xs font-medium', look)}>
      <Icon className="size-3.5" aria-hidden />
      {t(key)}
    </span>
  )
}
