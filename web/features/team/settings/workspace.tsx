import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, Suspense } from 'react'
import { toast } from '../../../toast.ts'
import { useTranslations } from 'use-intl'
import type { Language } from '../../../../src/team/identity/api.ts'
import type { Workspace } from '../../../../src/team/workspaces/api.ts'
import { isProblem } from '../../../client.ts'
import { writingTexts } from '../../../i18n.tsx'
import { useFaults, useProblemText } from '../../../problem.ts'
import { meQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { LeaveQuestion } from '../../../ui/leave-guard.tsx'
import { lazy } from '../../../ui/part.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { ApprovalModeCard } from '../../publishing/approvals/mode-card.tsx'
import { DeleteWorkspace } from './delete-workspace.tsx'
import { LanguageField } from './language-field.tsx'
import { PublishingPause } from './publishing-pause.tsx'
import { ZoneField } from './zone-field.tsx'
import { useWorkspaceForm } from './use-workspace-form.ts'

const LinkTagsCard = lazy(async () => {
  await writingTexts()
  return import('../../publishing/links/card.tsx')
})

const WEEK_STARTS = ['monday', 'sunday', 'saturday'] as const

export function SettingsScreen() {
  const { workspace, membership } = usePlace()
  const refused = refusal(membership, 'updateWorkspace')
  if (refused) return <Refused whole refused={refused} />
  return (
    <div className="settings-column gap-6">
      {workspace.publishing.paused && <PublishingPause workspace={workspace} />}
      <General workspace={workspace} />
      <ApprovalModeCard />
      <Suspense fallback={<div className="skeleton h-96" aria-hidden />}>
        <LinkTagsCard />
      </Suspense>
      {!workspace.publishing.paused && <PublishingPause workspace={workspace} />}
      <DeleteWorkspace />
    </div>
  )
}

function General({ workspace }: { workspace: Workspace }) {
  const t = useTranslations('settings')
  const common = useTranslations('common')
  const text = useProblemText()
  const client = useQueryClient()
  const form = useWorkspaceForm(
    workspace,
    ({ name, timezone, weekStart, language, niche }) => ({
      name,
      timezone,
      weekStart,
      language: language as Language,
      niche: niche ?? '',
    }),
    ({ niche, ...edited }) => ({ ...edited, ...(niche !== undefined && { niche: niche.trim() || null }) }),
    () => {
      void client.invalidateQueries({ queryKey: meQuery.queryKey })
      toast.success(t('saved'))
    },
  )
  const { value } = form
  const fault = useFaults(form.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.save()
  }
  const whole = form.error && !isProblem(form.error, 'validation_failed')
  return (
    <form onSubmit={submit} className="card grid gap-5 p-5">
      <h2 className="text-sm font-semibold">{t('general')}</h2>
      {whole && <FormError>{text(form.error)}</FormError>}
      <TextField
        label={t('name')}
        dir="auto"
        required
        maxLength={100}
        value={value.name}
        onChange={(event) => form.set({ name: event.target.value })}
        error={fault('/name')}
      />
      <ZoneField
        label={t('timezone')}
        hint={t(value.timezone === workspace.timezone ? 'timezoneHint' : 'zoneChanges')}
        value={value.timezone}
        onChange={(timezone) => form.set({ timezone })}
        error={fault('/timezone')}
      />
      <SelectField
        label={t('weekStart')}
        value={value.weekStart}
        options={WEEK_STARTS.map((day) => [day, t(`days.${day}`)])}
        onChange={(weekStart) => form.set({ weekStart })}
        error={fault('/weekStart')}
      />
      <LanguageField
        label={t('language')}
        value={value.language}
        onChange={(language) => form.set({ language })}
        error={fault('/language')}
      />
      <TextField
        label={t('niche')}
        hint={t('nicheHint')}
        dir="auto"
        maxLength={200}
        value={value.niche}
        onChange={(event) => form.set({ niche: event.target.value })}
        error={fault('/niche')}
      />
      <div>
        <Button type="submit" variant="primary" busy={form.isPending} reason={form.isSame ? t('nothingChanged') : null}>
          {common('save')}
        </Button>
      </div>
      <LeaveQuestion guard={form.guard} />
    </form>
  )
}
