import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../../src/networks/api.ts'
import { NETWORKS } from '../../../../labels.ts'
import { NetworkMark } from '../../../../ui/network.tsx'

interface Props {
  platforms: readonly Platform[]
  shown: Platform
  onShow: (platform: Platform) => void
}

/** Selects the network to preview. Only the selected one shows its name. */
export function NetworkSwitch({ platforms, shown, onShow }: Props) {
  const t = useTranslations('composer')
  if (platforms.length < 2) return null
  return (
    <div
      role="group"
      aria-label={t('previewed')}
      className="inline-flex gap-0.5 rounded-[7px] border bg-sunken p-0.5 text-13 font-medium"
    >
      {platforms.map((platform) => (
        <button
          key={platform}
          type="button"
          aria-pressed={platform === shown}
          title={NETWORKS[platform].short}
          onClick={() => onShow(platform)}
          className="flex min-h-7 min-w-9 items-center justify-center gap-1.5 rounded-[5px] px-2 text-muted hover:text-fg aria-pressed:bg-surface aria-pressed:text-fg aria-pressed:shadow-card max-sm:min-h-11 max-sm:min-w-11 dark:aria-pressed:bg-hover"
        >
          <NetworkMark platform={platform} />
          {platform === shown && <span aria-hidden>{NETWORKS[platform].short}</span>}
          <span className="sr-only">{t('showPreview', { network: NETWORKS[platform].short })}</span>
        </button>
      ))}
    </div>
  )
}
