import { useTranslations } from 'use-intl'
import { isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import PublishDialog from './publish-dialog.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import type { Editing } from './use-editing.ts'
import type { OpenQuestion, Sending } from './use-sending.ts'
import { lazy } from '../../../ui/part.tsx'

const SubmitDialog = lazy(() => import('../approvals/submit-dialog.tsx'))

interface Props {
  question: OpenQuestion
  editing: Editing
  sending: Sending
}

/** The dialogs before a post leaves the composer: its time, its approval, and the confirmation of publishing now. */
export default function Questions({ question, editing, sending }: Props) {
  const t = useTranslations('schedule')
  const problemText = useProblemText()
  const { asking, ask, risks, setRisks } = question
  const { acts, obstacles, initial, late } = sending
  const queued = { accountIds: editing.draft.targets, postId: editing.post?.id }
  const act = acts.isPending ? acts.variables.kind : null
  const error = acts.error ? problemText(acts.error) : null
  const closing = {
    onSuccess: () => ask(null),
    onError: (problem: unknown) => isProblem(problem, 'quota_exceeded', 'stale_version') && ask(null),
  }
  // With obstacles, the time is only saved with the draft.
  return (
    <>
      {asking === 'time' && (
        <ScheduleDialog
          onClose={() => {
            ask(null)
            acts.reset()
          }}
          title={late ? t('newTime') : undefined}
          initial={initial}
          action={obstacles > 0 ? t('keep') : undefined}
          busy={act === 'schedule' || act === 'time' || act === 'queue'}
          error={error}
          queued={queued}
          onSchedule={(time) => acts.mutate({ kind: obstacles > 0 ? 'time' : 'schedule', at: time }, closing)}
          onQueue={obstacles > 0 ? undefined : () => acts.mutate({ kind: 'queue' }, closing)}
        >
          {obstacles > 0 && <p className="text-13">{t('keepNote', { count: obstacles })}</p>}
        </ScheduleDialog>
      )}
      {asking === 'approval' && (
        <SubmitDialog
          initial={initial}
          busy={act === 'submit'}
          error={error}
          onClose={() => {
            ask(null)
            acts.reset()
          }}
          queued={queued}
          onSubmit={(submission) => acts.mutate({ kind: 'submit', submission }, closing)}
        />
      )}
      {risks && (
        <PublishDialog
          risks={risks}
          accounts={editing.chosen}
          busy={act === 'publish'}
          onClose={() => setRisks(null)}
          onPublish={() => acts.mutate({ kind: 'publish', confirmed: true }, { onSettled: () => setRisks(null) })}
        />
      )}
    </>
  )
}
