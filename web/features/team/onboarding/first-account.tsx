import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { NetworkMark } from '../../../ui/network.tsx'

interface Props {
  networks: readonly Platform[]
  onConnect: (platform: Platform) => void
}

/** Sends the answers and connects an account of a network right after. */
export function FirstAccount({ networks, onConnect }: Props) {
  const t = useTranslations('onboarding')
  return (
    <div role="group" aria-labelledby="first-account" className="grid gap-1.5">
      <p id="first-account" className="text-13 font-medium">
        {t('firstAccount')}
      </p>
      <div className="flex flex-wrap gap-2">
        {networks.map((platform) => (
          <Button key={platform} className="min-h-10 grow" onClick={() => onConnect(platform)}>
            <NetworkMark platform={platform} />
            {NETWORKS[platform].name}
          </Button>
        ))}
      </div>
    </div>
  )
}
