import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import PublishDialog from './publish-dialog.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import type { Acts } from './use-acts.ts'
import { lazy } from '../../../ui/part.tsx'

const SubmitDialog = lazy(() => import('../approvals/submit-dialog.tsx'))

interface Props {
  asking: 'time' | 'approval' | null
  /** Findings that will probably make publishing fail; null if nothing is being published. */
  risks: Check[] | null
  acts: Acts
  /** How many problems block scheduling. If any, the time is only saved with the draft. */
  obstacles: number
  title: string | undefined
  /** The initial time. */
  initial: Date | string | null
  queued: { accountIds: readonly string[]; postId: string | undefined }
  accounts: SocialAccount[]
  onAnswered: () => void
  onRisks: (risks: null) => void
}

/** The dialogs before a post leaves the composer: its time, its approval, and the confirmation of publishing now. */
export default function Questions({ asking, risks, acts, obstacles, onAnswered, onRisks, ...rest }: Props) {
  const t = useTranslations('schedule')
  const problemText = useProblemText()
  const { title, initial, queued, accounts } = rest
  const act = acts.isPending ? acts.variables.kind : null
  const error = acts.error ? problemText(acts.error) : null
  const closing = {
    onSuccess: onAnswered,
    onError: (problem: unknown) => isProblem(problem, 'quota_exceeded', 'stale_version') && onAnswered(),
  }
  return (
    <>
      {asking === 'time' && (
        <ScheduleDialog
          onClose={() => {
            onAnswered()
            acts.reset()
          }}
          title={title}
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
            onAnswered()
            acts.reset()
          }}
          queued={queued}
          onSubmit={(submission) => acts.mutate({ kind: 'submit', submission }, closing)}
        />
      )}
      {risks && (
        <PublishDialog
          risks={risks}
          accounts={accounts}
          busy={act === 'publish'}
          onClose={() => onRisks(null)}
          onPublish={() => acts.mutate({ kind: 'publish', confirmed: true }, { onSettled: () => onRisks(null) })}
        />
      )}
    </>
  )
}
