import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Template } from '../../../../src/publishing/writing/api.ts'
import { fill, type Written } from '../../../../src/publishing/writing/rules.ts'
import { call } from '../../../client.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Cancel, Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { bodyOf, type Draft } from '../composer/draft.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { templatesQuery } from './queries.ts'
import { SaveForm } from './save-form.tsx'

interface Props {
  draft: Draft
  edit: (change: (draft: Draft) => Draft) => void
  /** The template to start from. */
  first: string | undefined
  onClose: () => void
}

/** Starts the post from a template, or saves the current text as one. */
export default function TemplatesDialog({ draft, edit, first, onClose }: Props) {
  const t = useTranslations('writing')
  const { ws } = usePlace()
  const templates = useQuery(templatesQuery(ws))
  const [chosen, setChosen] = useState(first)
  const use = ({ id: _, ...template }: Template, values: Record<string, string>) => {
    const { caption, hashtags, cta, captionOverrides, hashtagOverrides, platformOptions, linkTags }: Written = fill(
      template,
      values,
    )
    const written = { caption, hashtags, cta, captionOverrides, hashtagOverrides, linkTags }
    edit((now) => ({ ...now, ...written, platformOptions: { ...now.platformOptions, ...platformOptions } }))
    toast.success(t('used'), { action: { label: t('undo'), onClick: () => edit(() => draft) } })
    onClose()
  }
  const choose = (template: Template) =>
    template.placeholders.length === 0 ? use(template, {}) : setChosen(template.id)
  const asked = templates.data?.find(({ id }) => id === chosen)
  if (asked) return <Ask template={asked} onUse={(values) => use(asked, values)} onClose={onClose} />
  const { targets: _to, media: _with, ...body } = bodyOf(draft)
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('templates')} description={t('templatesLead')}>
      <Loaded query={templates} skeleton={<div className="skeleton h-16" aria-hidden />}>
        {(all) =>
          all.length === 0 ? (
            <p className="py-3 text-13 text-muted">{t('noTemplates')}</p>
          ) : (
            <ul className="grid grid-cols-[minmax(0,1fr)] divide-y">
              {all.map((template) => (
                <li key={template.id}>
                  <button
                    type="button"
                    className="grid w-full min-h-11 gap-1 px-2 py-2 text-start text-13 hover:bg-hover"
                    onClick={() => choose(template)}
                  >
                    <bdi className="font-medium break-words">{template.name}</bdi>
                    <bdi className="truncate text-xs text-muted">{template.caption}</bdi>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <SaveForm
        label={t('saveTemplate')}
        reason={draft.caption.trim() === '' ? t('nothingWritten') : null}
        save={(name) => call('createTemplate', { workspace: ws, body: { ...body, name } })}
      />
    </Dialog>
  )
}

interface AskProps {
  template: Template
  onUse: (values: Record<string, string>) => void
  onClose: () => void
}

/** Asks for the values of all placeholders. */
function Ask({ template, onUse, onClose }: AskProps) {
  const t = useTranslations('writing')
  const id = useId()
  const [values, setValues] = useState<Record<string, string>>({})
  const open = template.placeholders.filter((name) => !values[name]?.trim())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (open.length === 0) onUse(values)
  }
  return (
    <Dialog
      open
      onOpenChange={(shown) => !shown && onClose()}
      guarded
      title={template.name}
      description={t('askLead')}
      footer={
        <>
          <Cancel />
          <Button type="submit" form={id} variant="primary" reason={open.length > 0 ? t('fillFirst') : null}>
            {t('use')}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="grid gap-3">
        {template.placeholders.map((name) => (
          <TextField
            key={name}
            label={name}
            dir="auto"
            required
            maxLength={1000}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
        ))}
      </form>
    </Dialog>
  )
}
