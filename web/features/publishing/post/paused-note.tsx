import { Link } from '@tanstack/react-router'
import { CirclePause } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { useMay, usePlace } from '../../shell/workspace.tsx'

/** Says that a due post waits for publishing to resume, and who can resume it. */
export default function PausedNote() {
  const t = useTranslations('post.paused')
  const { ws } = usePlace()
  const may = useMay('updateWorkspace')
  return (
    <div role="status" className="flex items-start gap-2 rounded-lg bg-warn-soft px-3 py-2.5 text-13">
      <CirclePause className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
      <p className="grow">
        {t('waits')}{' '}
        {may.hidden ? (
          t('others')
        ) : (
          <Link to="/w/$ws/settings" params={{ ws }} className="font-medium text-accent-text underline">
            {t('resume')}
          </Link>
        )}
      </p>
    </div>
  )
}
