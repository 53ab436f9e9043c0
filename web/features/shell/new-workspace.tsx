import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../client.ts'
import { browserZone } from '../../i18n.tsx'
import { useFaults, useProblemText } from '../../problem.ts'
import { meQuery } from '../../queries.ts'
import { TextField } from '../../ui/field.tsx'
import { ZoneField } from '../team/settings/zone-field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

/** Creates another workspace and opens it. */
export function NewWorkspace({ onClose }: { onClose: () => void }) {
  const t = useTranslations('shell')
  const settings = useTranslations('settings')
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
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
  return (
    <FormDialog
      title={t('newWorkspace')}
      description={t('newWorkspaceBody')}
      action={t('createWorkspace')}
      busy={make.isPending}
      error={make.error && !fault('/name') && !fault('/timezone') ? text(make.error) : null}
      onClose={onClose}
      onSubmit={() => make.mutate()}
    >
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
    </FormDialog>
  )
}
