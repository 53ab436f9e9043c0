import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { Risks } from './checks.tsx'

interface Props {
  /** Findings that will probably make publishing fail. */
  risks: Check[]
  accounts: SocialAccount[]
  busy: boolean
  onClose: () => void
  onPublish: () => void
}

/** Confirms publishing immediately, and shows what may make it fail. */
export default function PublishDialog({ risks, accounts, busy, onClose, onPublish }: Props) {
  const t = useTranslations('composer')
  const risky = risks.length > 0
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t(risky ? 'riskTitle' : 'publishTitle')}
      description={
        risky ? (
          <Risks risks={risks} accounts={accounts} />
        ) : (
          <>
            {t('publishBody')}
            <ul className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-1.5">
              {accounts.map(({ id, name, platform }) => (
                <li key={id} className="flex flex-wrap items-center gap-x-2">
                  <NetworkMark platform={platform} />
                  <bdi className="min-w-0 clip font-medium text-fg">{name}</bdi>
                  <bdi>{NETWORKS[platform].name}</bdi>
                </li>
              ))}
            </ul>
          </>
        )
      }
      action={t(risky ? 'publishAnyway' : 'publishNow')}
      busy={busy}
      onConfirm={onPublish}
    />
  )
}
