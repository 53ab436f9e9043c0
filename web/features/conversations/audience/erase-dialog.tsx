import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { OpenAudienceNode } from '../../../../src/conversations/audience/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useNodeName } from './words.tsx'

/** Erases a customer permanently, once the person has typed the customer's name. */
export function EraseDialog({ customer, onClose }: { customer: OpenAudienceNode; onClose: () => void }) {
  const t = useTranslations('audience.erase')
  const problem = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ws } = usePlace()
  const name = useNodeName()(customer)
  const [typed, setTyped] = useState('')
  const [tried, setTried] = useState(false)
  const erase = useMutation({
    mutationFn: () => call('eraseCustomer', { workspace: ws, params: { id: customer.id } }),
    onSuccess: async () => {
      toast.success(t('begun'))
      await navigate({ to: '/w/$ws/audience', params: { ws } })
      await client.invalidateQueries({ queryKey: [ws, 'audience'] })
    },
  })
  const isRight = typed.trim().normalize() === name.trim().normalize()
  const submit = () => {
    setTried(true)
    if (isRight) erase.mutate()
  }
  return (
    <FormDialog
      title={t('ask', { name })}
      description={t('body')}
      action={t('title')}
      danger
      busy={erase.isPending}
      error={erase.error && problem(erase.error)}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label={t('type', { name })}
        dir="auto"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={tried && !isRight && t('wrong')}
      />
    </FormDialog>
  )
}
