import { useTranslations } from 'use-intl'
import { Confirm } from '../../../ui/dialog.tsx'

/** Confirms leaving a screen with unsaved changes. */
export default function Leave({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const t = useTranslations('composer')
  return (
    <Confirm
      open
      onOpenChange={onStay}
      title={t('leaveTitle')}
      description={t('leaveBody')}
      action={t('leave')}
      onConfirm={onLeave}
    />
  )
}
