import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { RowActs } from '../../../ui/row.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { parseHashtags } from '../composer/draft.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { setsQuery, templatesQuery } from './queries.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'

type Kind = 'set' | 'template'

/** A hashtag set or template, as its card and its form use it. */
interface Item {
  id: string
  name: string
  caption: string
  hashtags: string[]
  version: number
}

const fresh: Item = { id: '', name: '', caption: '', hashtags: [], version: 0 }

/** Texts for reuse: list, create, edit and delete them. */
export default function WritingCards() {
  const { ws } = usePlace()
  const sets = useQuery(setsQuery(ws))
  const templates = useQuery(templatesQuery(ws))
  return (
    <>
      <Loaded query={templates} skeleton={<div className="skeleton h-40" aria-hidden />}>
        {(all) => <Card kind="template" items={all} />}
      </Loaded>
      <Loaded query={sets} skeleton={<div className="skeleton h-40" aria-hidden />}>
        {(all) => <Card kind="set" items={all.map((set) => ({ ...set, caption: '' }))} />}
      </Loaded>
    </>
  )
}

function Card({ kind, items }: { kind: Kind; items: Item[] }) {
  const t = useTranslations('writing')
  const id = useId()
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('createTemplate')
  const [editing, setEditing] = useState<Item | null>(null)
  const [deleting, setDeleting] = useState<Item | null>(null)
  const isSet = kind === 'set'
  const remove = useMutation({
    mutationFn: (item: Item) =>
      call(isSet ? 'deleteHashtagSet' : 'deleteTemplate', { workspace: ws, params: { id: item.id } }),
    onSuccess: () => toast.success(t('deleted')),
    onError: (error) => !isProblem(error, 'not_found') && toast.error(text(error)),
    onSettled: () => {
      setDeleting(null)
      void client.invalidateQueries({ queryKey: [ws, 'workspace'] })
    },
  })
  return (
    <section className="card grid grid-cols-[minmax(0,1fr)] gap-4 p-5" aria-labelledby={id}>
      <div className="grid gap-1">
        <h2 id={id} className="text-sm font-semibold">
          {t(isSet ? 'sets' : 'templates')}
        </h2>
        <p className="text-13 text-muted">
          {isSet ? t('setsLead') : t('templatesHint', { example: `{{${t('example')}}}` })}
        </p>
      </div>
      {items.length === 0 && <p className="text-13 text-muted">{t(isSet ? 'noSets' : 'noTemplates')}</p>}
      <ul className="grid grid-cols-[minmax(0,1fr)] divide-y">
        {items.map((item) => (
          <li key={item.id} className="flex flex-wrap items-center gap-2 py-2">
            <div className="min-w-0 grow basis-40 text-13">
              <p className="font-medium break-words">
                <bdi>{item.name}</bdi>
              </p>
              <p className="text-xs break-words text-muted">
                <bdi>{isSet ? item.hashtags.join(' ') : item.caption.slice(0, 120)}</bdi>
              </p>
            </div>
            {!may.hidden && (
              <div className="flex items-center gap-2">
                {!isSet && (
                  <Link
                    to="/w/$ws/compose"
                    params={{ ws }}
                    search={{ template: item.id }}
                    aria-label={t('useNamed', { name: item.name })}
                    className={buttonClass('secondary', 'sm')}
                  >
                    {t('use')}
                  </Link>
                )}
                <RowActs
                  edit={t('change', { name: item.name })}
                  onEdit={() => setEditing(item)}
                  remove={t('delete', { name: item.name })}
                  onRemove={() => setDeleting(item)}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
      {!may.hidden && (
        <div>
          <Button reason={may.reason} onClick={() => setEditing(fresh)}>
            {t(isSet ? 'newSet' : 'newTemplate')}
          </Button>
        </div>
      )}
      {editing && <EditDialog kind={kind} item={editing} onClose={() => setEditing(null)} />}
      <Confirm
        danger
        open={deleting !== null}
        onOpenChange={(open) => !open && setDeleting(null)}
        title={t('deleteTitle', { name: deleting?.name ?? '' })}
        description={t('deleteBody')}
        action={t('deleteNow')}
        busy={remove.isPending}
        onConfirm={() => deleting && remove.mutate(deleting)}
      />
    </section>
  )
}

function EditDialog({ kind, item, onClose }: { kind: Kind; item: Item; onClose: () => void }) {
  const t = useTranslations('writing')
  const composer = useTranslations('composer')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [name, setName] = useState(item.name)
  const [caption, setCaption] = useState(item.caption)
  const [typed, setTyped] = useState(item.hashtags.join(' '))
  const hashtags = parseHashtags(typed)
  const isSet = kind === 'set'
  const save = useMutation({
    mutationFn: () => {
      const at = { workspace: ws, params: { id: item.id }, ifMatch: item.version }
      if (isSet) {
        const body = { name, hashtags }
        return item.id ? call('updateHashtagSet', { ...at, body }) : call('createHashtagSet', { workspace: ws, body })
      }
      const body = { name, caption, hashtags }
      return item.id ? call('updateTemplate', { ...at, body }) : call('createTemplate', { workspace: ws, body })
    },
    onSuccess: () => {
      toast.success(t('saved'))
      onClose()
    },
    onSettled: () => void client.invalidateQueries({ queryKey: [ws, 'workspace'] }),
  })
  const lacks = !name.trim()
    ? t('nameFirst')
    : isSet && hashtags.length === 0
      ? t('noHashtags')
      : !isSet && !caption.trim()
        ? t('nothingWritten')
        : null
  return (
    <FormDialog
      title={item.id ? t('change', { name: item.name }) : t(isSet ? 'newSet' : 'newTemplate')}
      busy={save.isPending}
      reason={lacks}
      error={save.error && text(save.error)}
      onClose={onClose}
      onSubmit={() => save.mutate()}
    >
      <TextField
        label={t('name')}
        dir="auto"
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {!isSet && (
        <label className="grid gap-1">
          <span className="text-13 font-medium">{composer('text')}</span>
          <textarea
            className="input min-h-36"
            dir="auto"
            value={caption}
            onChange={(event) => setCaption(event.target.value)}
          />
          <span className="text-xs text-muted">{t('placeholderHint', { example: `{{${t('example')}}}` })}</span>
        </label>
      )}
      <TextField
        label={composer('hashtags')}
        dir="auto"
        autoCapitalize="none"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}
