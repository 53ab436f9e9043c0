import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../client.ts'
import { browserZone } from '../../i18n.tsx'
import { useFaults, useProblemText } from '../../problem.ts'
import { meQuery } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormError, TextField } from '../../ui/field.tsx'
import { ZoneField } from '../team/settings/zone-field.tsx'

/** Makes a further workspace and goes there. */
export function NewWorkspace({ onClose }: { onClose: () => void }) {
  const t = useTranslations('shell')
  const common = useTranslations('common')
  const settings = useTranslations('settings')
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const id = useId()
  const [name, setName] = useState('')
  const [timezone, setTimezone] = useState(browserZone)
  const make = useMutation({
    mutationFn: async () => {
      const made = await call('createWorkspace', { body: { name: name.trim(), timezone } })
      await client.fetchQuery({ ...meQuery, staleTime: 0 })
      return made
    },
    onSuccess: (made) => {
      onClose()
      void navigate({ to: '/w/$ws/today', params: { ws: made.id } })
    },
  })
  const fault = useFaults(make.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A dialog is a part of the menu's tree: its form is nobody else's.
    event.stopPropagation()
    if (!make.isPending) make.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('newWorkspace')}
      description={t('newWorkspaceBody')}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button variant="primary" type="submit" form={id} busy={make.isPending}>
            {t('createWorkspace')}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="grid gap-4">
        {make.error && !fault('/name') && !fault('/timezone') && <FormError>{text(make.error)}</FormError>}
        <TextField
          label={settings('name')}
          dir="auto"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={fault('/name')}
        />
        <ZoneField label={settings('timezone')} value={timezone} onChange={setTimezone} error={fault('/timezone')} />
      </form>
    </Dialog>
  )
}
