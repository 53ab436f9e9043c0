import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SavedView } from '../../../../src/publishing/views/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { NameDialog } from '../../../ui/name-dialog.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { keptOf } from '../posts/filters.ts'
import type { Filter } from '../posts/read-filter.ts'
import { viewsQuery } from './query.ts'

interface Props {
  /** The view to rename; null saves the filter as a new one. */
  view: SavedView | null
  screen: SavedView['screen']
  filter: Filter
  /** Whether the person may share it with everyone. */
  shares: boolean
  onClose: () => void
}

export function ViewDialog({ view, screen, filter, shares, onClose }: Props) {
  const t = useTranslations('views')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [shared, setShared] = useState(view?.shared ?? false)
  const save = useMutation({
    mutationFn: (name: string) => {
      const body = { name, ...(shares && { shared }) }
      return view
        ? call('updateView', { workspace: ws, params: { id: view.id }, ifMatch: view.version, body })
        : call('createView', { workspace: ws, body: { ...body, screen, filters: keptOf(filter) } })
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: viewsQuery(ws).queryKey })
      toast.success(t('saved'))
      onClose()
    },
  })
  return (
    <NameDialog
      title={t(view ? 'renameTitle' : 'saveTitle')}
      description={view ? undefined : t('saveBody')}
      label={t('name')}
      missing={t('nameMissing')}
      initial={view?.name ?? ''}
      busy={save.isPending}
      error={save.error && text(save.error)}
      onClose={onClose}
      onSave={(name) => save.mutate(name)}
    >
      {shares && (
        <label className="flex min-h-8 items-start gap-2.5 text-13 max-sm:min-h-11">
          <input type="checkbox" className="mt-0.5" checked={shared} onChange={(e) => setShared(e.target.checked)} />
          <span>
            {t('share')}
            <span className="block text-xs text-muted">{t('shareHint')}</span>
          </span>
        </label>
      )}
    </NameDialog>
  )
}
