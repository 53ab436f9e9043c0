import { useFormatter, useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../src/accounts/api.ts'
import type { Check } from '../../../src/posts/api.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { apart } from '../approvals/people.ts'
import { Risks } from './checks.tsx'

interface Props {
  /** What will most likely make it fail. */
  risks: Check[]
  accounts: SocialAccount[]
  onClose: () => void
  onPublish: () => void
}

/** Asks before a post goes live at once, and says what may make it fail. */
export default function PublishDialog({ risks, accounts, onClose, onPublish }: Props) {
  const t = useTranslations('composer')
  const format = useFormatter()
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
          t('publishBody', { accounts: format.list(accounts.map(({ name }) => apart(name))) })
        )
      }
      action={t(risky ? 'publishAnyway' : 'publishNow')}
      onConfirm={onPublish}
    />
  )
}
