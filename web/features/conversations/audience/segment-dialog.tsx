import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useTranslations } from 'use-intl'
import type {
  AudienceSegment,
  SegmentCondition,
  SegmentFilter,
} from '../../../../src/conversations/audience/segments/api.ts'
import { FIELDS, faultsOf } from '../../../../src/conversations/audience/segments/rules.ts'
import { call } from '../../../client.ts'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { Select } from '../../../ui/select.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { Count } from './count.tsx'
import { NotRead } from './not-read.tsx'
import { countQuery } from './queries.ts'
import { useFilterSentence } from './sentence.ts'

type Group = { all: SegmentFilter[] } | { any: SegmentFilter[] }

/** Matches customers who wrote in the last few weeks: one fresh comment scores 9. */
const USUAL_SCORE = 5
const NEW: SegmentCondition = { field: 'engagement', op: 'atLeast', value: USUAL_SCORE }
const DEEPEST_GROUP = 4

/** A filter as a group, the form in which it is edited. */
const asGroup = (filter: SegmentFilter): Group => ('field' in filter ? { all: [filter] } : filter)
const partsIn = (group: Group) => ('all' in group ? group.all : group.any)
const groupOf = (mode: 'all' | 'any', parts: SegmentFilter[]): Group =>
  mode === 'all' ? { all: parts } : { any: parts }

/** Creates or edits a segment, and shows how many customers it matches. */
export function SegmentDialog({ segment, onClose }: { segment: AudienceSegment | null; onClose: () => void }) {
  const t = useTranslations('audience.segments')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [name, setName] = useState(segment?.name ?? '')
  const [filter, setFilter] = useState<Group>(asGroup(segment?.filter ?? NEW))
  const [tried, setTried] = useState(false)
  const save = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), filter }
      return segment
        ? call('updateSegment', { workspace: ws, params: { id: segment.id }, body, ifMatch: segment.version })
        : call('createSegment', { workspace: ws, body })
    },
    onSuccess: async (saved) => {
      await client.invalidateQueries({ queryKey: [ws, 'segments'] })
      toast.success(t('saved', { name: saved.name }))
      onClose()
    },
  })
  const isWhole = faultsOf(filter).length === 0
  const submit = () => {
    setTried(true)
    if (name.trim() && isWhole) save.mutate()
  }
  return (
    <FormDialog
      title={segment ? t('edit') : t('new')}
      busy={save.isPending}
      error={save.error && problem(save.error)}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label={t('name')}
        dir="auto"
        autoComplete="off"
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={tried && !name.trim() && t('nameMissing')}
      />
      <GroupFields group={filter} onChange={setFilter} level={1} />
      {isWhole ? (
        <Found filter={filter} />
      ) : (
        tried && (
          <p className="text-xs text-bad" role="alert">
            {t('incomplete')}
          </p>
        )
      )}
    </FormDialog>
  )
}

/** The filter as a sentence, with the number of matches. */
function Found({ filter }: { filter: SegmentFilter }) {
  const t = useTranslations('audience.segments')
  const sentence = useFilterSentence()
  const { ws } = usePlace()
  const asked = useDeferredValue(filter)
  const query = useQuery(countQuery(ws, asked))
  const { data } = query
  return (
    <div className="grid gap-1 rounded-lg bg-sunken px-3 py-2.5 text-13" role="status">
      <p>{sentence(filter)}</p>
      {data ? (
        <Count count={data.count} more={data.more} />
      ) : query.isError ? (
        <NotRead query={query}>{t('notCounted')}</NotRead>
      ) : (
        <div className="skeleton h-5 w-24" aria-hidden />
      )}
    </div>
  )
}

interface GroupProps {
  group: Group
  onChange: (group: Group) => void
  level: number
  onRemove?: () => void
}

function GroupFields({ group, onChange, level, onRemove }: GroupProps) {
  const t = useTranslations('audience.segments')
  const mode = 'all' in group ? 'all' : 'any'
  const parts = partsIn(group)
  const set = (next: SegmentFilter[]) => onChange(groupOf(mode, next))
  const replace = (index: number, part: SegmentFilter) => set(parts.with(index, part))
  const remove = (index: number) => set(parts.toSpliced(index, 1))
  return (
    <fieldset className={level > 1 ? 'grid gap-2 border-s-2 ps-3' : 'grid gap-2'}>
      <legend className="sr-only">{t('conditionsTitle')}</legend>
      <div className="flex items-center gap-2">
        <Select
          aria-label={t('mode')}
          className="grow"
          value={mode}
          options={[['all', t('modes.all')] as const, ['any', t('modes.any')] as const]}
          onChange={(next) => onChange(groupOf(next, parts))}
        />
        {onRemove && <Remove label={t('removeGroup')} onClick={onRemove} />}
      </div>
      {parts.map((part, index) =>
        'field' in part ? (
          <Condition
            // oxlint-disable-next-line react/no-array-index-key -- conditions have no names
            key={index}
            condition={part}
            onChange={(next) => replace(index, next)}
            {...(parts.length > 1 && { onRemove: () => remove(index) })}
          />
        ) : (
          <GroupFields
            // oxlint-disable-next-line react/no-array-index-key -- the same
            key={index}
            group={part}
            level={level + 1}
            onChange={(next) => replace(index, next)}
            {...(parts.length > 1 && { onRemove: () => remove(index) })}
          />
        ),
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" variant="ghost" className="-ms-2" onClick={() => set([...parts, NEW])}>
          <Plus className="size-3.5" aria-hidden />
          {t('addCondition')}
        </Button>
        {level < DEEPEST_GROUP && (
          <Button
            size="sm"
            variant="ghost"
            onClick={() => set([...parts, groupOf(mode === 'all' ? 'any' : 'all', [NEW])])}
          >
            <Plus className="size-3.5" aria-hidden />
            {t('addGroup')}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

const Remove = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button variant="ghost" size="icon" aria-label={label} onClick={onClick}>
    <X className="size-4" aria-hidden />
  </Button>
)

interface ConditionProps {
  condition: SegmentCondition
  onChange: (condition: SegmentCondition) => void
  onRemove?: () => void
}

/** The initial condition when a field is chosen. */
function usual(field: SegmentCondition['field']): SegmentCondition {
  const { ops, value } = FIELDS[field]
  const begin = { text: '', platform: PLATFORM_ORDER[0], score: USUAL_SCORE, days: 30, day: '' }[value]
  return { field, op: ops[0]!, value: begin }
}

function Condition({ condition, onChange, onRemove }: ConditionProps) {
  const t = useTranslations('audience.segments')
  const { field, op } = condition
  const fields = Object.keys(FIELDS) as SegmentCondition['field'][]
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
      <div className="grid gap-2 sm:grid-cols-3">
        <Select
          aria-label={t('field')}
          value={field}
          options={fields.map((one) => [one, t(`fields.${one}`)] as const)}
          onChange={(next) => onChange(usual(next))}
        />
        <Select
          aria-label={t('op')}
          value={op}
          options={FIELDS[field].ops.map((one) => [one, t(`ops.${one}`)] as const)}
          onChange={(next) => onChange({ ...condition, op: next })}
        />
        <Value condition={condition} onChange={onChange} />
      </div>
      {onRemove ? <Remove label={t('removeCondition')} onClick={onRemove} /> : <span />}
    </div>
  )
}

function Value({ condition, onChange }: Omit<ConditionProps, 'onRemove'>) {
  const t = useTranslations('audience.segments')
  const { field, value } = condition
  const kind = FIELDS[field].value
  if (kind === 'platform')
    return (
      <Select
        aria-label={t('value')}
        value={String(value)}
        options={PLATFORM_ORDER.map((one) => [one, NETWORKS[one].name] as const)}
        onChange={(next) => onChange({ ...condition, value: next })}
      />
    )
  const isNumber = kind === 'score' || kind === 'days'
  return (
    <input
      className="input"
      aria-label={t('value')}
      type={isNumber ? 'number' : kind === 'day' ? 'date' : 'text'}
      dir={kind === 'text' ? 'auto' : undefined}
      {...(isNumber && { min: 0, max: kind === 'score' ? 100 : 3650, step: 1 })}
      maxLength={100}
      value={value}
      onChange={({ target }) =>
        onChange({ ...condition, value: isNumber && target.value !== '' ? Number(target.value) : target.value })
      }
    />
  )
}
