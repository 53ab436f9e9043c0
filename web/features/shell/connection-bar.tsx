import { WifiOff } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { useLiveState } from '../../live.ts'
import { useOnline } from '../../online.ts'

/** A thin bar while live updates are interrupted. It overlays the page, so that nothing moves. */
export function ConnectionBar() {
  const t = useTranslations('states')
  const online = useOnline()
  const live = useLiveState()
  const text = online ? (live === 'lost' ? t('reconnecting') : null) : t('offlineBar')
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-0 z-30 flex justify-center">
      {text && (
        <span className="fade-in flex items-center gap-2 rounded-b-lg bg-warn-soft px-3 py-1 text-xs font-medium text-warn shadow-pop">
          <WifiOff className="size-3.5" aria-hidden />
          {text}
        </span>
      )}
    </div>
  )
}
