import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { WhichTime } from './which.tsx'

interface Props {
  wall: string
  onClose: () => void
  onChoose: (at: Date) => void
}

/** Asks which time is meant, for a post moved without a form. */
export default function WhichDialog({ wall, onClose, onChoose }: Props) {
  const t = useTranslations('schedule')
  const common = useTranslations('common')
  const calendar = useTranslations('calendar')
  const [at, setAt] = useState<Date | null>(null)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('which')}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button variant="primary" reason={at ? null : t('whichFirst')} onClick={() => at && onChoose(at)}>
            {calendar('move')}
          </Button>
        </>
      }
    >
      <WhichTime wall={wall} chosen={at} onChoose={setAt} />
    </Dialog>
  )
}
