import { RotateCcw, Save } from 'lucide-react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { NETWORKS } from '../../../labels.ts'
import { timeFormat } from '../../../time.ts'
import { Button } from '../../../ui/button.tsx'
import { MOD } from '../../../ui/kbd.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { SendButton } from './send-button.tsx'
import type { Editing } from './use-editing.ts'
import type { Sending } from './use-sending.ts'

interface Props {
  editing: Editing
  sending: Sending
}

/** The actions on the post: saving, unless it autosaves, and sending. */
export function BarActs({ editing, sending }: Props) {
  const t = useTranslations('composer')
  const approvals = useTranslations('approvals')
  const format = useFormatter()
  const list = new Intl.ListFormat(useLocale())
  const { workspace } = usePlace()
  const { post, handle, fixes } = editing
  const { acts, ways, reason, checked, asked, when, take, retry } = sending
  const unsent = reason ?? (checked ? null : t('checking'))
  const act = acts.isPending ? acts.variables.kind : null
  const stored = post !== null
  const save = t(stored ? 'saveChanges' : 'saveDraft')
  const asksOthers = workspace.approvalMode !== 'none' && ways.length > 1 && ways.includes('submit')
  return (
    <>
      {asksOthers && !fixes && (
        <Button variant="ghost" className="max-xl:hidden" reason={unsent} onClick={() => take('submit')}>
          {approvals('submit')}
        </Button>
      )}
      {!handle.autosaves && (
        <Button
          onClick={() => acts.mutate({ kind: 'draft' })}
          busy={act === 'draft'}
          reason={reason ?? (stored && !handle.dirty ? t('nothingToSave') : null)}
          title={`${save} (${MOD} S)`}
          aria-keyshortcuts="Meta+S Control+S"
          className="max-md:min-h-12 max-md:min-w-12"
        >
          <Save className="size-4 md:hidden" aria-hidden />
          <span className="max-md:sr-only">{save}</span>
        </Button>
      )}
      {fixes ? (
        <Button
          variant="primary"
          className="max-md:min-h-12 max-md:min-w-0 max-md:shrink max-md:grow max-md:whitespace-normal"
          onClick={retry}
          busy={act === 'retry'}
          reason={unsent}
        >
          <RotateCcw className="size-4" aria-hidden />
          {t('tryAgainOn', { networks: list.format(fixes.map((platform) => NETWORKS[platform].name)) })}
        </Button>
      ) : (
        <SendButton
          ways={ways}
          labels={{
            schedule: t(post?.status === 'SCHEDULED' ? 'reschedule' : 'schedule'),
            queue: t('addToQueue'),
            publish: t('publishNow'),
            submit: approvals(ways.length === 1 && post?.approval ? 'submitAgain' : 'submit'),
          }}
          time={when && format.dateTime(when, timeFormat(when, workspace.timezone))}
          busy={act !== null && act !== 'draft'}
          reason={asked ? approvals('waitsAlready') : unsent}
          queued={{ accountIds: handle.draft.targets, postId: post?.id }}
          onTake={take}
        />
      )}
    </>
  )
}
