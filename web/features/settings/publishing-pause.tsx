import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { Workspace } from '../../../src/workspaces/api.ts'
import { call, isProblem } from '../../client.ts'
import { useProblemText } from '../../problem.ts'
import { workspaceQuery } from '../../queries.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { FormError } from '../../ui/field.tsx'

/** Why nothing of the workspace goes out, what to look at first, and the way on. */
export function PublishingPause({ workspace }: { workspace: Workspace }) {
  const t = useTranslations('settings')
  const text = useProblemText()
  const client = useQueryClient()
  const { queryKey } = workspaceQuery(workspace.id)
  const resume = useMutation({
    mutationFn: () =>
      call('updateWorkspace', {
        workspace: workspace.id,
        params: { id: workspace.id },
        body: { publishing: { paused: false } },
        ifMatch: workspace.version,
      }),
    onSuccess: (answer) => {
      client.setQueryData(queryKey, answer)
      toast.success(t('publishingResumed'))
    },
    onError: (error) => {
      if (isProblem(error, 'stale_version')) void client.invalidateQueries({ queryKey })
    },
  })
  const { paused, reason } = workspace.publishing
  if (!paused) return null
  return (
    <section className="card grid gap-3 p-5">
      <h2 className="text-sm font-semibold">{t('publishingPaused')}</h2>
      {resume.error && <FormError>{text(resume.error)}</FormError>}
      <p className="text-13 break-words" dir="auto">
        {reason === 'restored_from_backup'
          ? t('pausedByRestore')
          : reason === 'workspace_restored'
            ? t('pausedByReturn')
            : (reason ?? t('pausedByHand'))}
      </p>
      <div>
        <Button variant="primary" busy={resume.isPending} onClick={() => resume.mutate()}>
          {t('resumePublishing')}
        </Button>
      </div>
    </section>
  )
}
