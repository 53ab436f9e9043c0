import { useTranslations } from 'use-intl'
import { Dialog } from '../../../../ui/dialog.tsx'
import { Why } from './why.tsx'

/** Shows why the bot wrote a message. */
export default function WhyDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTranslations('why')
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('title')}>
      <div className="@container">
        <Why id={id} />
      </div>
    </Dialog>
  )
}
