import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { postTexts } from '../../../i18n.tsx'
import { lazy } from '../../../ui/part.tsx'
import { useLoss } from '../approvals/use-loss.ts'
import { isUnscheduled } from './entry.ts'
import type { Rescheduling } from './use-rescheduling.ts'

const PublishNow = lazy(async () => {
  await postTexts()
  return import('./publish-now.tsx')
})
const ScheduleDialog = lazy(async () => ({ default: (await import('../composer/schedule-dialog.tsx')).ScheduleDialog }))
// Needed only around clock changes.
const WhichDialog = lazy(() => import('../time/which-dialog.tsx'))

/** The questions before a post moves: which of two times is meant, and a new time. Also whether to publish it now. */
export function CalendarQuestions({ rescheduling }: { rescheduling: Rescheduling }) {
  const t = useTranslations('calendar')
  const { moves, chosen, choose, publishing, closePublishing } = rescheduling
  const lossOf = useLoss()
  const loss = chosen && lossOf(chosen)
  return (
    <>
      {moves.question && (
        <Suspense>
          <WhichDialog wall={moves.question.wall} onClose={() => moves.answer(null)} onChoose={moves.answer} />
        </Suspense>
      )}
      {chosen && (
        <Suspense>
          <ScheduleDialog
            key={chosen.id}
            onClose={() => choose(null)}
            action={t('move')}
            initial={isUnscheduled(chosen) ? null : new Date(chosen.happensAt)}
            busy={false}
            error={null}
            onSchedule={choose}
          >
            {loss && <p className="rounded-md bg-warn-soft px-3 py-2.5 text-13">{t(`loses.${loss}`)}</p>}
          </ScheduleDialog>
        </Suspense>
      )}
      {publishing && (
        <Suspense>
          <PublishNow entry={publishing} onClose={closePublishing} />
        </Suspense>
      )}
    </>
  )
}
