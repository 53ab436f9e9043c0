import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Tag } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Label } from '../../../../src/team/labels/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { labelsQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { LabelChip } from '../../../ui/label-chip.tsx'
import { RowActs, Rows } from '../../../ui/row.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { LabelDialog } from './label-dialog.tsx'

/** The labels of the workspace: their names and colours. */
export function LabelsScreen() {
  const t = useTranslations('labels')
  const { ws } = usePlace()
  const may = useMay('createLabel')
  const query = useQuery(labelsQuery(ws))
  const [editing, setEditing] = useState<Label | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Label | null>(null)
  const create = !may.hidden && (
    <Button variant="primary" reason={may.reason} onClick={() => setEditing('new')}>
      <Plus className="size-4" aria-hidden />
      {t('new')}
    </Button>
  )
  return (
    <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 lg:px-6">
      <Loaded query={query} skeleton={<div className="skeleton h-40" aria-hidden />}>
        {(labels) =>
          labels.length === 0 ? (
            <Empty icon={Tag} title={t('none')} actions={create}>
              {t('noneBody')}
            </Empty>
          ) : (
            <>
              <div className="flex flex-wrap items-center gap-3">
                <p className="min-w-0 grow text-13 text-muted">{t('lead')}</p>
                {create}
              </div>
              <Rows aria-label={t('title')}>
                {labels.map((label) => (
                  <li key={label.id} className="flex min-h-(--row) items-center gap-2 ps-4 pe-2">
                    <span className="flex min-w-0 grow">
                      <Link
                        to="/w/$ws/posts"
                        params={{ ws }}
                        search={{ label: label.id }}
                        aria-label={t('showPosts', { name: label.name })}
                        className="inline-flex min-h-6 min-w-6 max-w-full items-center max-sm:min-h-11 max-sm:min-w-11"
                      >
                        <LabelChip label={label} />
                      </Link>
                    </span>
                    {!may.hidden && (
                      <RowActs
                        edit={t('edit', { name: label.name })}
                        onEdit={() => setEditing(label)}
                        remove={t('deleteThis', { name: label.name })}
                        onRemove={() => setDeleting(label)}
                      />
                    )}
                  </li>
                ))}
              </Rows>
            </>
          )
        }
      </Loaded>
      {editing && (
        <LabelDialog
          label={editing === 'new' ? null : editing}
          labels={query.data ?? []}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && <DeleteLabel label={deleting} onClose={() => setDeleting(null)} />}
    </div>
  )
}

function DeleteLabel({ label, onClose }: { label: Label; onClose: () => void }) {
  const t = useTranslations('labels')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const remove = useMutation({
    mutationFn: () => call('deleteLabel', { workspace: ws, params: { id: label.id } }),
    onSuccess: () => {
      for (const key of ['labels', 'post', 'posts', 'calendar', 'views'])
        void client.invalidateQueries({ queryKey: [ws, key] })
      toast.success(t('deleted', { name: label.name }))
      onClose()
    },
    onError: (error) => toast.error(text(error)),
  })
  return (
    <Confirm
      danger
      open
      onOpenChange={onClose}
      title={t('deleteTitle', { name: label.name })}
      description={t('deleteBody')}
      action={t('delete')}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  )
}
