import { Link } from '@tanstack/react-router'
import { CirclePause } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useMay, usePlace } from './workspace.tsx'
import { lazy } from '../../ui/part.tsx'

const ResumeDialog = lazy(() => import('../team/settings/resume-dialog.tsx'))

const act =
  'inline-flex min-h-6 items-center font-medium underline max-sm:min-h-11 max-sm:min-w-11 pointer-coarse:min-h-11 pointer-coarse:min-w-11'

/** Shown on every screen while the workspace publishes nothing. People with permission can resume from here. */
export default function PausedBar() {
  const t = useTranslations('shell')
  const { ws } = usePlace()
  const may = useMay('updateWorkspace')
  const [asking, setAsking] = useState(false)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b bg-warn-soft px-4 py-1.5 text-13 lg:px-6">
      <CirclePause className="size-4 shrink-0 text-warn" aria-hidden />
      <p className="min-w-0 grow" role="status">
        {t('publishingPaused')}
      </p>
      {!may.hidden && (
        <>
          <Link to="/w/$ws/settings" params={{ ws }} className={act}>
            {t('publishingPausedWhy')}
          </Link>
          <button type="button" className={act} onClick={() => setAsking(true)}>
            {t('resume')}
          </button>
          <Suspense>{asking && <ResumeDialog onClose={() => setAsking(false)} />}</Suspense>
        </>
      )}
    </div>
  )
}
