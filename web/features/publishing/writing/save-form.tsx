import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { usePlace } from '../../shell/workspace.tsx'

interface Props {
  label: string
  /** Why there is nothing to save. */
  reason: string | null
  save: (name: string) => Promise<unknown>
}

/** Saves the editor's content under a name. */
export function SaveForm({ label, reason, save }: Props) {
  const t = useTranslations('writing')
  const common = useTranslations('common')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [name, setName] = useState('')
  const run = useMutation({
    mutationFn: () => save(name.trim()),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: [ws, 'workspace'] })
      setName('')
      toast.success(t('saved'))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (name.trim() && !run.isPending && !reason) run.mutate()
  }
  return (
    <form onSubmit={submit} className="grid gap-3 border-t py-3">
      <TextField
        label={label}
        dir="auto"
        maxLength={80}
        placeholder={t('name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={run.error && text(run.error)}
      />
      <div>
        <Button type="submit" busy={run.isPending} reason={reason ?? (name.trim() ? null : t('nameFirst'))}>
          {common('save')}
        </Button>
      </div>
    </form>
  )
}
