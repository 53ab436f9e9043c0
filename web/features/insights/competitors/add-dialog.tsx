import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { call, isProblem } from '../../../client.ts'
import { NETWORKS } from '../../../labels.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { useMoment } from '../../shell/moment.ts'
import { usePlace } from '../../shell/workspace.tsx'

interface Props {
  /** The account whose connection looks up the competitor. */
  account: SocialAccount
  onClose: () => void
}

/** Looks up an account by its username. */
export function AddDialog({ account, onClose }: Props) {
  const t = useTranslations('competitors')
  const problem = useProblemText()
  const client = useQueryClient()
  const moment = useMoment()
  const { ws } = usePlace()
  const [username, setUsername] = useState('')
  const [tried, setTried] = useState(false)
  const add = useMutation({
    mutationFn: () =>
      call('addCompetitor', { workspace: ws, body: { accountId: account.id, username: username.trim() } }),
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: [ws, 'competitors'] })
      toast.success(t('added', { name }))
      onClose()
    },
  })
  const faults = useFaults(add.error)
  const missing = username.trim() === '' ? t('usernameMissing') : null
  const refused = faults('/username')
  const refusalOf = (error: Error) => {
    if (isProblem(error, 'name_taken')) return t('taken')
    const resetsAt = isProblem(error, 'rate_limited') && error.problem['resetsAt']
    if (typeof resetsAt !== 'string') return problem(error)
    return t('noCalls', {
      name: account.name,
      network: NETWORKS[account.platform].name,
      time: moment(resetsAt),
    })
  }
  const submit = () => {
    setTried(true)
    if (!missing) add.mutate()
  }
  return (
    <FormDialog
      title={t('add')}
      description={t('addBody')}
      action={t('add')}
      busy={add.isPending}
      error={add.error && !refused ? refusalOf(add.error) : null}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label={t('username')}
        hint={t('usernameHint')}
        dir="ltr"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={31}
        value={username}
        onChange={(event) => {
          setUsername(event.target.value)
          add.reset()
        }}
        error={tried ? (missing ?? refused ?? null) : null}
      />
    </FormDialog>
  )
}
