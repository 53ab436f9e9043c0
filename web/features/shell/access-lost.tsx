import { Link } from '@tanstack/react-router'
import { DoorOpen } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'

/** Shown to a person who was removed from a workspace, or whose workspace was deleted, while it was open. */
export default function AccessLost({ name }: { name: string }) {
  const t = useTranslations('shell')
  return (
    <Empty
      whole
      role="alert"
      icon={DoorOpen}
      title={t('leftTitle', { name })}
      actions={
        <Link to="/" className={buttonClass('primary')}>
          {t('leftAction')}
        </Link>
      }
    >
      {t('leftBody')}
    </Empty>
  )
}
