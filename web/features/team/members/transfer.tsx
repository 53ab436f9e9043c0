import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Member } from '../../../../src/team/workspaces/api.ts'
import { isTypedName } from '../../../../src/team/workspaces/rules.ts'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'

interface Props {
  members: Member[]
  /** The future owner. Empty: not chosen yet; null: the dialog is closed. */
  heir: string | null
  onHeir: (id: string | null) => void
}

/** Transfers the ownership to another member, after the person types the name of the workspace. */
export function Transfer({ members, heir, onHeir }: Props) {
  const t = useTranslations('members')
  const others = members.filter(({ role }) => role !== 'OWNER')
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t px-5 py-4">
      <p className="min-w-0 grow basis-48 text-xs text-muted">{t('transferLead')}</p>
      <Button reason={others.length === 0 ? t('nobodyElse') : null} onClick={() => onHeir('')}>
        {t('transfer')}
      </Button>
      {heir !== null && <Sure members={others} heir={heir} onHeir={onHeir} />}
    </div>
  )
}

function Sure({ members, heir, onHeir }: Props & { heir: string }) {
  const t = useTranslations('members')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws, workspace } = usePlace()
  const [typed, setTyped] = useState('')
  const [tried, setTried] = useState(false)
  const transfer = useMutation({
    mutationFn: () => call('transferOwnership', { workspace: ws, params: { id: ws }, body: { userId: heir } }),
    onSuccess: async () => {
      const member = members.find((one) => one.id === heir)
      toast.success(t('transferred', { name: member?.name || member?.email || t('unnamed') }))
      onHeir(null)
      await client.invalidateQueries({ queryKey: meQuery.queryKey })
      await client.invalidateQueries({ queryKey: [ws] })
    },
  })
  const { error } = transfer
  const same = isTypedName(typed, workspace.name)
  const submit = () => {
    setTried(true)
    if (heir && same) transfer.mutate()
  }
  return (
    <FormDialog
      title={t('transferTitle')}
      description={t('transferBody')}
      action={t('transfer')}
      danger
      busy={transfer.isPending}
      error={error && (isProblem(error, 'too_many_workspaces') ? t('heirOwnsTooMany') : text(error))}
      onClose={() => onHeir(null)}
      onSubmit={submit}
    >
      <SelectField
        label={t('newOwner')}
        placeholder={t('choose')}
        value={heir}
        options={members.map((member) => [member.id, member.name || member.email || t('unnamed')])}
        onChange={(id) => {
          transfer.reset()
          onHeir(id)
        }}
        error={tried && !heir && t('choose')}
      />
      <TextField
        label={t('typeName', { name: workspace.name })}
        dir="auto"
        autoComplete="off"
        required
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={tried && !same && t('nameDiffers')}
      />
    </FormDialog>
  )
}
