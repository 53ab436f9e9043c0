import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { isTypedName } from '../../../../src/team/workspaces/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { deletedQuery, meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'

/** Deletes the workspace. Only for its owner, after typing its name. */
export function DeleteWorkspace() {
  const t = useTranslations('ending')
  const may = useMay('deleteWorkspace')
  const [asking, setAsking] = useState(false)
  if (may.hidden) return null
  return (
    <section className="card flex flex-wrap items-center gap-x-4 gap-y-3 p-5">
      <div className="grid min-w-0 grow basis-48 gap-1">
        <h2 className="text-sm font-semibold">{t('title')}</h2>
        <p className="text-xs text-muted">{t('lead')}</p>
      </div>
      <Button variant="danger" onClick={() => setAsking(true)}>
        {t('action')}
      </Button>
      {asking && <Sure onClose={() => setAsking(false)} />}
    </section>
  )
}

function Sure({ onClose }: { onClose: () => void }) {
  const t = useTranslations('ending')
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ws, workspace } = usePlace()
  const { name } = workspace
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)
  const remove = useMutation({
    mutationFn: () => call('deleteWorkspace', { workspace: ws, params: { id: ws }, query: { confirmName: name } }),
    onSuccess: async () => {
      toast.success(t('done', { name }))
      void client.invalidateQueries({ queryKey: deletedQuery.queryKey })
      await client.fetchQuery({ ...meQuery, staleTime: 0 })
      // Unsaved settings end with the workspace.
      await navigate({ to: '/', ignoreBlocker: true })
      client.removeQueries({ queryKey: [ws] })
    },
  })
  const submit = () => {
    const same = isTypedName(typed, name)
    setWrong(!same)
    if (same) remove.mutate()
  }
  return (
    <FormDialog
      title={t('sure', { name })}
      description={t('body')}
      action={t('action')}
      danger
      busy={remove.isPending}
      error={remove.error && text(remove.error)}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label={t('typeName', { name })}
        dir="auto"
        autoComplete="off"
        required
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={wrong ? t('nameDiffers') : undefined}
      />
    </FormDialog>
  )
}
