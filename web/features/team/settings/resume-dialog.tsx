import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useProblemText } from '../../../problem.ts'
import { workspaceQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/field.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { Policies, type Policy, usePauseReason } from './pause-parts.tsx'
import { useChangeWorkspace } from './use-change-workspace.ts'

/** Confirms resuming: how many posts fell due during the pause, and what happens to them. */
export default function ResumeDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('settings')
  const common = useTranslations('common')
  const text = useProblemText()
  const reasonOf = usePauseReason()
  const { ws, workspace } = usePlace()
  // More posts may have fallen due since the screen opened.
  const { isFetching } = useQuery({ ...workspaceQuery(ws), refetchOnMount: 'always' })
  const { due, onResume, reason } = workspace.publishing
  const [chosen, setChosen] = useState<Policy>()
  const policy = chosen ?? onResume
  const resume = useChangeWorkspace(workspace, () => {
    toast.success(t('publishingResumed'))
    onClose()
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('resumeTitle')}
      description={<span dir="auto">{reasonOf(reason)}</span>}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button
            variant="primary"
            busy={resume.isPending}
            disabled={isFetching}
            onClick={() => resume.mutate({ publishing: { paused: false, onResume: policy }, bot: { paused: false } })}
          >
            {t('resumePublishing')}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        {resume.error && <FormError>{text(resume.error)}</FormError>}
        <p className="text-13 font-medium" aria-live="polite">
          {t('dueMeanwhile', { count: due ?? 0 })}
        </p>
        {due !== 0 && <Policies policy={policy} onChange={setChosen} />}
      </div>
    </Dialog>
  )
}
