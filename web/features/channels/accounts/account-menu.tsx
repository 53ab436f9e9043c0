import { Ellipsis, ExternalLink, Pause, Play, RefreshCw, Stethoscope, Unlink } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuAnchor, MenuItem, MenuLine } from '../../../ui/menu.tsx'

interface Props {
  account: SocialAccount
  busy: boolean
  onPause: (paused: boolean) => void
  onExamine: () => void
  onReconnect: () => void
  onDisconnect: () => void
}

/** The actions on an account. */
export function AccountMenu({ account, busy, onPause, onExamine, onReconnect, onDisconnect }: Props) {
  const t = useTranslations('accounts')
  const label = t('more', { name: account.name })
  return (
    <Menu
      label={label}
      align="end"
      trigger={(props) => (
        <Button variant="ghost" size="icon" aria-label={label} busy={busy} {...props}>
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
      <MenuItem onSelect={() => onPause(!account.paused)}>
        {account.paused ? <Play className="size-4" aria-hidden /> : <Pause className="size-4" aria-hidden />}
        {account.paused ? t('resume') : t('pause')}
      </MenuItem>
      <MenuItem onSelect={onExamine}>
        <Stethoscope className="size-4" aria-hidden />
        {t('examine')}
      </MenuItem>
      <MenuItem onSelect={onReconnect}>
        <RefreshCw className="size-4" aria-hidden />
        {t('reconnect')}
      </MenuItem>
      <MenuLine />
      <MenuItem danger onSelect={onDisconnect}>
        <Unlink className="size-4" aria-hidden />
        {t('disconnect')}
      </MenuItem>
    </Menu>
  )
}
