import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SavedView } from '../../../../src/publishing/views/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { type Filter, keptOf } from '../posts/filters.ts'
import { viewsQuery } from './query.ts'

interface Props {
  /** The one to call otherwise; null saves the filter as a new one. */
  view: SavedView | null
  screen: SavedView['screen']
  filter: Filter
  /** Whether it can be shared with everybody. */
  shares: boolean
  onClose: () => void
}

export function ViewDialog({ view, screen, filter, shares, onClose }: Props) {
  const t = useTranslations('views')
  const common = useTranslations('common')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const id = useId()
  const [name, setName] = useState(view?.name ?? '')
  const [shared, setShared] = useState(view?.shared ?? false)
  const [tried, setTried] = useState(false)
  const save = useMutation({
    mutationFn: () => {
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (name.trim() && !save.isPending) save.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t(view ? 'renameTitle' : 'saveTitle')}
      description={view ? undefined : t('saveBody')}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button variant="primary" type="submit" form={id} busy={save.isPending}>
            {common('save')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit} className="grid gap-4">
        {save.error && <FormError>{text(save.error)}</FormError>}
        <TextField
          label={t('name')}
          dir="auto"
          autoComplete="off"
          maxLength={50}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={tried && !name.trim() && t('nameMissing')}
        />
        {shares && (
          <label className="flex min-h-8 items-start gap-2.5 text-13 max-sm:min-h-11">
            <input type="checkbox" className="mt-0.5" checked={shared} onChange={(e) => setShared(e.target.checked)} />
            <span>
              {t('share')}
              <span className="block text-xs text-muted">{t('shareHint')}</span>
            </span>
          </label>
        )}
      </form>
    </Dialog>
  )
}
