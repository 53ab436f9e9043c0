import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Pause, Plus, TriangleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'

interface Props {
  accounts: SocialAccount[]
  chosen: readonly string[]
  onChange: (targets: string[]) => void
}

/** The accounts of the post, one chip each. On a phone they scroll in one row. */
export function Targets({ accounts, chosen, onChange }: Props) {
  const t = useTranslations('composer')
  const { ws } = usePlace()
  const connect = useMay('startConnection')
  const shown = accounts.filter((one) => one.status !== 'DISCONNECTED' || chosen.includes(one.id))
  return (
    <fieldset id="field-targets" tabIndex={-1} className="min-w-0 outline-none">
      <legend className="mb-2 text-13 text-muted">{t('postTo')}</legend>
      <div className="strip flex flex-wrap gap-2 max-sm:-mx-3 max-sm:px-3 max-sm:py-1">
        {shown.map((account) => {
          const on = chosen.includes(account.id)
          const state =
            account.status !== 'CONNECTED' ? t('needsReconnect') : account.paused ? t('accountPaused') : undefined
          return (
            <label
              key={account.id}
              className={clsx(
                'relative flex min-h-9 max-w-full items-center gap-2.5 rounded-full border py-1 ps-1 pe-3 text-13 font-medium max-sm:max-w-60 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-text max-sm:min-h-11',
                on ? 'border-accent bg-accent-soft text-fg' : 'border-line text-muted hover:bg-hover',
              )}
            >
              <input
                type="checkbox"
                className="absolute inset-0 size-full cursor-pointer rounded-full opacity-0"
                checked={on}
                aria-label={[account.name, NETWORKS[account.platform].name, state].filter(Boolean).join(', ')}
                onChange={() => onChange(on ? chosen.filter((id) => id !== account.id) : [...chosen, account.id])}
              />
              <span className={clsx('relative shrink-0', !on && 'grayscale')}>
                <Avatar name={account.name} url={account.avatarUrl} />
                <span className="absolute -end-1.5 -bottom-0.5 flex rounded-full ring-2 ring-surface">
                  <NetworkMark platform={account.platform} small />
                </span>
              </span>
              <bdi dir="auto" className="clip">
                {account.name}
              </bdi>
              {state &&
                (account.paused ? (
                  <Pause className="size-3.5 shrink-0 text-warn" aria-hidden />
                ) : (
                  <TriangleAlert className="size-3.5 shrink-0 text-warn" aria-hidden />
                ))}
            </label>
          )
        })}
        {shown.length > 0 && !connect.hidden && (
          <Link
            to="/w/$ws/accounts"
            params={{ ws }}
            aria-label={t('connectMore')}
            title={t('connectMore')}
            className="grid size-9 place-items-center rounded-full text-muted hover:bg-hover hover:text-fg max-sm:size-11"
          >
            <Plus className="size-4" aria-hidden />
          </Link>
        )}
        {shown.length === 0 &&
          (connect.hidden ? (
            <p className="text-13 text-muted">{t('askToConnect')}</p>
          ) : (
            <Link
              to="/w/$ws/accounts"
              params={{ ws }}
              className="flex min-h-9 items-center gap-2 rounded-full border border-dashed border-control px-3 text-13 font-medium hover:bg-hover max-sm:min-h-11"
            >
              <Plus className="size-4" aria-hidden />
              {t('connectFirst')}
            </Link>
          ))}
      </div>
    </fieldset>
  )
}
