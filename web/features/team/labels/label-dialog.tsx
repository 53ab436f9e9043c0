import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Label } from '../../../../src/team/labels/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { NameDialog } from '../../../ui/name-dialog.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { COLORS, nextColor } from './colors.ts'

interface Props {
  /** The label to edit; null creates a new one. */
  label: Label | null
  labels: readonly Label[]
  onClose: () => void
}

/** Edits the name and colour of a label. */
export function LabelDialog({ label, labels, onClose }: Props) {
  const t = useTranslations('labels')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const id = useId()
  const [color, setColor] = useState(label?.color ?? nextColor(labels))
  const save = useMutation({
    mutationFn: (name: string) =>
      label
        ? call('updateLabel', {
            workspace: ws,
            params: { id: label.id },
            ifMatch: label.version,
            body: { name, color },
          })
        : call('createLabel', { workspace: ws, body: { name, color } }),
    onSuccess: () => {
      for (const key of ['labels', 'post', 'posts', 'calendar']) void client.invalidateQueries({ queryKey: [ws, key] })
      onClose()
    },
  })
  return (
    <NameDialog
      title={label ? t('editTitle') : t('new')}
      label={t('name')}
      missing={t('nameMissing')}
      initial={label?.name ?? ''}
      busy={save.isPending}
      error={save.error && text(save.error)}
      onClose={onClose}
      onSave={(name) => save.mutate(name)}
    >
      <fieldset>
        <legend className="mb-1.5 text-13 font-medium">{t('color')}</legend>
        <div className="flex flex-wrap gap-1">
          {COLORS.map((one) => (
            <label
              key={one}
              title={t(`colors.${one}`)}
              className="grid size-8 place-items-center rounded-md hover:bg-hover has-focus-visible:outline-2 max-sm:size-11"
            >
              <input
                type="radio"
                name={`${id}-color`}
                className="sr-only"
                aria-label={t(`colors.${one}`)}
                checked={color === one}
                onChange={() => setColor(one)}
              />
              <span
                className="grid size-6 place-items-center rounded-full text-surface"
                style={{ background: `var(--label-${one})` }}
              >
                {color === one && <Check className="size-4" aria-hidden />}
              </span>
            </label>
          ))}
        </div>
      </fieldset>
    </NameDialog>
  )
}
