import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Tag } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Label } from '../../../../src/team/labels/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { labelsQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import { LabelChip } from '../../../ui/label-chip.tsx'
import { RowActs, Rows } from '../../../ui/row.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { SettingsList } from '../settings/settings-list.tsx'
import { LabelDialog } from './label-dialog.tsx'

/** The labels of the workspace, with names and colours. */
export function LabelsScreen() {
  const t = useTranslations('labels')
  const { ws } = usePlace()
  const may = useMay('createLabel')
  const query = useQuery(labelsQuery(ws))
  const [editing, setEditing] = useState<Label | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Label | null>(null)
  return (
    <SettingsList
      query={query}
      none={{ icon: Tag, title: t('none'), body: t('noneBody') }}
      lead={t('lead')}
      add={{ name: t('new'), may, onAdd: () => setEditing('new') }}
      dialogs={
        <>
          {editing && (
            <LabelDialog
              label={editing === 'new' ? null : editing}
              labels={query.data ?? []}
              onClose={() => setEditing(null)}
            />
          )}
          {deleting && <DeleteLabel label={deleting} onClose={() => setDeleting(null)} />}
        </>
      }
    >
      {(labels) => (
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
      )}
    </SettingsList>
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
