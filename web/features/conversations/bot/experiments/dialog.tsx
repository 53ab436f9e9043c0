import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { ReplyExperiment, Variant } from '../../../../../src/conversations/experiments/api.ts'
import { call } from '../../../../client.ts'
import { useProblemText } from '../../../../problem.ts'
import { toast } from '../../../../toast.ts'
import { Frame, TextField } from '../../../../ui/field.tsx'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { SelectField } from '../../../../ui/select.tsx'
import { voicesQuery } from '../../../assistant/ai/queries.ts'
import { usePlace } from '../../../shell/workspace.tsx'
import { experimentsQuery } from '../queries.ts'

const NONE: Variant = { name: '', brandVoiceId: null, style: null, instructions: null }
const clean = ({ name, brandVoiceId, style, instructions }: Variant): Variant => ({
  name: name.trim(),
  brandVoiceId: brandVoiceId ?? null,
  style: style?.trim() || null,
  instructions: instructions?.trim() || null,
})

/** Edits an experiment: two ways to reply that differ in voice, style or instructions. */
export default function ExperimentDialog({
  experiment,
  onClose,
}: {
  experiment: ReplyExperiment | null
  onClose: () => void
}) {
  const t = useTranslations('bot.experiments')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [name, setName] = useState(experiment?.name ?? '')
  const [a, setA] = useState<Variant>(experiment?.variantA ?? { ...NONE, name: t('a') })
  const [b, setB] = useState<Variant>(experiment?.variantB ?? { ...NONE, name: t('b') })
  const [tried, setTried] = useState(false)
  const missing = name.trim() === '' || a.name.trim() === '' || b.name.trim() === ''
  const same = JSON.stringify({ ...clean(a), name: '' }) === JSON.stringify({ ...clean(b), name: '' })
  const save = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), variantA: clean(a), variantB: clean(b) }
      return experiment
        ? call('updateExperiment', {
            workspace: ws,
            params: { id: experiment.id },
            ifMatch: experiment.version,
            body,
          })
        : call('createExperiment', { workspace: ws, body })
    },
    onSuccess: () => {
      toast.success(t('saved'))
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: experimentsQuery(ws).queryKey }),
  })
  const fault = tried ? (missing ? t('missing') : same ? t('same') : null) : null
  return (
    <FormDialog
      title={t(experiment ? 'edit' : 'new')}
      busy={save.isPending}
      error={fault ?? (save.error ? problem(save.error) : null)}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (!missing && !same) save.mutate()
      }}
    >
      <TextField
        label={t('name')}
        dir="auto"
        autoComplete="off"
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Way title={t('a')} value={a} onChange={setA} />
      <Way title={t('b')} value={b} onChange={setB} />
    </FormDialog>
  )
}

function Way({ title, value, onChange }: { title: string; value: Variant; onChange: (next: Variant) => void }) {
  const t = useTranslations('bot.experiments')
  const voice = useTranslations('bot.voice')
  const id = useId()
  const { ws } = usePlace()
  const { data: voices = [] } = useQuery(voicesQuery(ws))
  return (
    <fieldset className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border p-3">
      <legend className="px-1 text-13 font-semibold">{title}</legend>
      <TextField
        label={t('wayName')}
        dir="auto"
        maxLength={80}
        value={value.name}
        onChange={(event) => onChange({ ...value, name: event.target.value })}
      />
      {voices.length > 0 && (
        <SelectField
          label={voice('voice')}
          value={value.brandVoiceId ?? ''}
          options={[['', t('asSet')], ...voices.map((one) => [one.id, one.name] as const)]}
          onChange={(next) => onChange({ ...value, brandVoiceId: next || null })}
        />
      )}
      <TextField
        label={t('style')}
        hint={t('styleHint')}
        dir="auto"
        maxLength={200}
        value={value.style ?? ''}
        onChange={(event) => onChange({ ...value, style: event.target.value })}
      />
      <Frame id={id} label={t('instructions')}>
        <textarea
          id={id}
          rows={2}
          dir="auto"
          className="input field-sizing-content"
          maxLength={1000}
          value={value.instructions ?? ''}
          onChange={(event) => onChange({ ...value, instructions: event.target.value })}
        />
      </Frame>
    </fieldset>
  )
}
