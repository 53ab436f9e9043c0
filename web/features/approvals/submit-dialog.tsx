import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Approval } from '../../../src/posts/api.ts'
import { ScheduleDialog } from '../composer/schedule-dialog.tsx'
import { usePlace } from '../shell/workspace.tsx'

type Act = Approval['asks']['act']

export interface Submission {
  onApproval: Act
  client: boolean
  /** The time that is asked for; null: none is. */
  at: Date | null
}

interface Props {
  initial: Date | string | null
  busy: boolean
  error: string | null
  onClose: () => void
  onSubmit: (submission: Submission) => void
}

const ACTS = ['schedule', 'publish', 'draft'] as const satisfies readonly Act[]

/** What is asked for: what happens once it is approved, and whether a client is asked too. */
export default function SubmitDialog({ initial, busy, error, onClose, onSubmit }: Props) {
  const t = useTranslations('approvals')
  const { workspace } = usePlace()
  const [act, setAct] = useState<Act>('schedule')
  const [client, setClient] = useState(true)
  const must = workspace.approvalMode === 'required_with_client'
  return (
    <ScheduleDialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('submit')}
      action={t('submit')}
      initial={initial}
      busy={busy}
      error={error}
      onSchedule={(at) => onSubmit({ onApproval: 'schedule', client: must || client, at })}
      onTimeless={act === 'schedule' ? undefined : () => onSubmit({ onApproval: act, client: false, at: null })}
    >
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-13 font-medium">{t('onApproval')}</legend>
        {ACTS.map((one) => (
          <label key={one} className="flex min-h-9 items-center gap-2.5 text-13 max-sm:min-h-11">
            <input
              type="radio"
              name="onApproval"
              className="size-4 accent-(--accent)"
              checked={act === one}
              onChange={() => setAct(one)}
            />
            {t(`acts.${one}`)}
          </label>
        ))}
      </fieldset>
      {act === 'schedule' ? (
        <label className="flex min-h-9 items-center gap-2.5 text-13 max-sm:min-h-11">
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={must || client}
            disabled={must}
            onChange={(event) => setClient(event.target.checked)}
          />
          {t(must ? 'clientMust' : 'clientToo')}
        </label>
      ) : (
        <p className="text-xs text-muted">{t('teamOnly')}</p>
      )}
    </ScheduleDialog>
  )
}
