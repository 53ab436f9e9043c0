import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { useTranslations } from 'use-intl'
import { tagLinks } from '../../../../src/publishing/posts/links/rules.ts'
import { networks } from '../../../../src/networks/rules.ts'
import { isProblem } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { dateIn } from '../../../time.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { LeaveQuestion } from '../../../ui/leave-guard.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useWorkspaceForm } from '../../team/settings/use-workspace-form.ts'

const FIELDS = ['source', 'medium', 'campaign'] as const
const PLACEHOLDERS = ['network', 'account', 'date', 'post'] as const

/** The tracking parameters for links in posts. */
export default function LinkTagsCard() {
  const t = useTranslations('links')
  const common = useTranslations('common')
  const text = useProblemText()
  const client = useQueryClient()
  const { workspace } = usePlace()
  const id = useId()
  const form = useWorkspaceForm(
    workspace,
    ({ linkTags }) => linkTags,
    (edited) => ({ linkTags: { ...workspace.linkTags, ...edited } }),
    () => {
      for (const kind of ['post', 'posts']) void client.invalidateQueries({ queryKey: [workspace.id, kind] })
      toast.success(t('saved'))
    },
  )
  const { value } = form
  const fault = useFaults(form.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.save()
  }
  const example = tagLinks('https://example.com/autumn', value, {
    network: Object.values(networks).find(({ linkName }) => linkName !== null)?.linkName ?? '',
    account: workspace.name,
    date: dateIn(new Date(), workspace.timezone),
    post: null,
  })
  return (
    <form onSubmit={submit} className="card grid grid-cols-[minmax(0,1fr)] gap-5 p-5" aria-labelledby={id}>
      <div className="grid gap-1">
        <h2 id={id} className="text-sm font-semibold">
          {t('title')}
        </h2>
        <p className="text-13 text-muted">{t('lead')}</p>
      </div>
      {form.error && !isProblem(form.error, 'validation_failed') && <FormError>{text(form.error)}</FormError>}
      <label className="flex min-h-8 items-center gap-2.5 text-13 font-medium max-sm:min-h-11">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-accent"
          checked={value.on}
          onChange={(event) => form.set({ on: event.target.checked })}
        />
        {t('on')}
      </label>
      {FIELDS.map((field) => (
        <TextField
          key={field}
          dir="ltr"
          label={t(field)}
          hint={t(`${field}Hint`)}
          maxLength={100}
          value={value[field]}
          onChange={(event) => form.set({ [field]: event.target.value })}
          error={fault(`/linkTags/${field}`) && t('unknownPlaceholder')}
        />
      ))}
      <dl className="grid gap-1 text-xs text-muted">
        {PLACEHOLDERS.map((name) => (
          <div key={name} className="flex gap-2">
            <dt dir="ltr" className="font-medium">
              {`{${name}}`}
            </dt>
            <dd>{t(`meanings.${name}`)}</dd>
          </div>
        ))}
      </dl>
      <p className="grid grid-cols-[minmax(0,1fr)] gap-1 text-13">
        <span className="text-muted">{t('example')}</span>
        <bdi dir="ltr" className="break-words">
          {value.on ? example : 'https://example.com/autumn'}
        </bdi>
      </p>
      <div>
        <Button type="submit" variant="primary" busy={form.isPending} reason={form.isSame ? t('unchanged') : null}>
          {common('save')}
        </Button>
      </div>
      <LeaveQuestion guard={form.guard} />
    </form>
  )
}
