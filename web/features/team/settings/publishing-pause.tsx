import { type ReactNode, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Workspace } from '../../../../src/team/workspaces/api.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Policies, type Policy, usePauseReason } from './pause-parts.tsx'
import { useChangeWorkspace } from './use-change-workspace.ts'

const ResumeDialog = lazy(() => import('./resume-dialog.tsx'))

/**
 * One switch for publishing and the bot: why nothing is published, what happens to posts that fall due, and how to
 * resume.
 */
export function PublishingPause({ workspace }: { workspace: Workspace }) {
  return workspace.publishing.paused ? <Resume workspace={workspace} /> : <Pause workspace={workspace} />
}

function Pause({ workspace }: { workspace: Workspace }) {
  const t = useTranslations('settings')
  const text = useProblemText()
  const [policy, setPolicy] = useState<Policy>(workspace.publishing.onResume)
  const [why, setWhy] = useState('')
  const pause = useChangeWorkspace(workspace, () => toast.success(t('publishingPausedNow')))
  const submit = () => {
    const reason = why.trim() || null
    pause.mutate({ publishing: { paused: true, reason, onResume: policy }, bot: { paused: true, reason } })
  }
  return (
    <Card title={t('pauseTitle')}>
      {pause.error && <FormError>{text(pause.error)}</FormError>}
      <p className="text-13 text-muted">{t('pauseLead')}</p>
      <TextField
        label={t('pauseReason')}
        maxLength={200}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
      />
      <Policies policy={policy} onChange={setPolicy} />
      <Button className="w-fit" busy={pause.isPending} onClick={submit}>
        {t('pauseNow')}
      </Button>
    </Card>
  )
}

function Resume({ workspace }: { workspace: Workspace }) {
  const t = useTranslations('settings')
  const reasonOf = usePauseReason()
  const { reason, due } = workspace.publishing
  const [asking, setAsking] = useState(false)
  return (
    <Card title={t('publishingPaused')}>
      <p className="text-13 break-words" dir="auto">
        {reasonOf(reason)}
      </p>
      <p className="text-13 font-medium">{t('dueMeanwhile', { count: due ?? 0 })}</p>
      <Button variant="primary" className="w-fit" onClick={() => setAsking(true)}>
        {t('resumePublishing')}
      </Button>
      <Suspense>{asking && <ResumeDialog onClose={() => setAsking(false)} />}</Suspense>
    </Card>
  )
}

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="card grid gap-3 p-5">
    <h2 className="text-sm font-semibold">{title}</h2>
    {children}
  </section>
)
