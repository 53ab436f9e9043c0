import { type ReactNode, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { isProblem } from '../../../client.ts'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import type { Editing } from './use-editing.ts'
import type { Sending } from './use-sending.ts'

// Few posts need these.
const QuotaNote = lazy(async () => ({ default: (await import('./quota-note.tsx')).QuotaNote }))
const TimePassed = lazy(() => import('../post/time-passed.tsx'))
const Conflict = lazy(async () => ({ default: (await import('./conflict.tsx')).Conflict }))

interface Props {
  editing: Editing
  sending: Sending
  banner: ReactNode
}

/** What the person must know before writing on: an exhausted quota, a passed time, another person's change. */
export function ComposerNotices({ editing: { handle, draft, text }, sending, banner }: Props) {
  const t = useTranslations('schedule')
  const { acts, late, reason, askTime } = sending
  return (
    <>
      {isProblem(acts.error, 'quota_exceeded') && (
        <Suspense>
          <QuotaNote {...acts.error.problem} />
        </Suspense>
      )}
      {banner}
      {late && (
        <Suspense>
          <div className="border-b px-4 py-2 lg:px-6">
            <TimePassed check={late}>
              <Button size="sm" reason={reason} onClick={askTime}>
                {t('newTime')}
              </Button>
            </TimePassed>
          </div>
        </Suspense>
      )}
      {handle.theirs && (
        <Suspense>
          <Conflict
            mine={draft}
            theirs={handle.theirs}
            onKeepMine={() => {
              handle.keepMine()
              text.current?.focus()
            }}
            onTakeTheirs={() => {
              handle.takeTheirs()
              text.current?.focus()
            }}
          />
        </Suspense>
      )}
    </>
  )
}
