import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Label, LabelMark } from '../../../../src/team/labels/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { labelsQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { LabelDot } from '../../../ui/label-chip.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { nextColor } from './colors.ts'

export interface LabelChoice {
  /** The ids of labels that all selected items have. */
  chosen: ReadonlySet<string>
  /** The ids of labels that only some of the selected items have. */
  partly?: ReadonlySet<string>
  onToggle: (label: LabelMark, on: boolean) => void
  /** Whether missing labels can be created here. */
  creates?: boolean
}

const row =
  'flex min-h-8 w-full min-w-0 items-center gap-2.5 rounded-md px-2 text-13 hover:bg-hover has-focus-visible:bg-hover max-sm:min-h-11 pointer-coarse:min-h-11'

/** The labels by name, filtered by typing. A missing one can be created right here. */
export default function LabelList({ chosen, partly, onToggle, creates }: LabelChoice) {
  const t = useTranslations('labels')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('createLabel')
  const { data: labels = [] } = useQuery(labelsQuery(ws))
  const [sought, setSought] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const name = sought.trim()
  const same = (one: Label) => one.name.toLocaleLowerCase() === name.toLocaleLowerCase()
  const found = labels.filter((one) => one.name.toLocaleLowerCase().includes(name.toLocaleLowerCase()))
  const make = useMutation({
    mutationFn: () => call('createLabel', { workspace: ws, body: { name, color: nextColor(labels) } }),
    onSuccess: (label) => {
      client.setQueryData(labelsQuery(ws).queryKey, (before = []) =>
        [...before, label].toSorted((a, b) => a.name.localeCompare(b.name)),
      )
      onToggle(label, true)
      setSought('')
      field.current?.focus()
    },
    onError: (error) => toast.error(text(error)),
  })
  const makes = creates && !may.hidden && name !== '' && !labels.some(same)
  const steps = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    const stops = Array.from(event.currentTarget.querySelectorAll<HTMLElement>('input, button'))
    const now = stops.indexOf(document.activeElement as HTMLElement)
    stops.at((now + (event.key === 'ArrowDown' ? 1 : -1)) % stops.length)?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrows go between the controls in it
    <div onKeyDown={steps} className="grid grid-cols-[minmax(0,1fr)]">
      <input
        ref={field}
        type="search"
        dir="auto"
        maxLength={50}
        aria-label={t('search')}
        placeholder={t(creates && !may.hidden ? 'searchOrCreate' : 'search')}
        className="input mb-1"
        value={sought}
        onChange={(event) => setSought(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          const [one] = found
          if (makes) make.mutate()
          else if (one && name !== '') onToggle(one, !chosen.has(one.id))
        }}
      />
      <ul aria-label={t('title')} className="grid max-h-64 grid-cols-[minmax(0,1fr)] overflow-y-auto p-0.5">
        {found.map((label) => (
          <li key={label.id}>
            <label className={row}>
              <input
                type="checkbox"
                ref={(box) => {
                  if (box) box.indeterminate = Boolean(partly?.has(label.id))
                }}
                checked={chosen.has(label.id)}
                onChange={(event) => onToggle(label, event.target.checked)}
              />
              <LabelDot color={label.color} />
              <bdi className="clip">{label.name}</bdi>
            </label>
          </li>
        ))}
      </ul>
      {found.length === 0 && !makes && <p className="px-2 py-1.5 text-xs text-muted">{t(name ? 'noMatch' : 'none')}</p>}
      {makes && (
        <button type="button" className={row} aria-busy={make.isPending} onClick={() => make.mutate()}>
          <Plus className="size-4 shrink-0 text-muted" aria-hidden />
          <span className="clip">{t('create', { name })}</span>
        </button>
      )}
    </div>
  )
}
