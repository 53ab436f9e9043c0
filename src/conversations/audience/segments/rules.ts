import type { Fault } from '../../../core/errors.ts'
import { networks } from '../../../networks/rules.ts'
import type { SegmentCondition, SegmentFilter } from './api.ts'

// Which filters are valid. The browser builds its form from the same table.

type Field = SegmentCondition['field']
type Op = SegmentCondition['op']

interface FieldRule {
  ops: readonly Op[]
  value: 'text' | 'platform' | 'score' | 'days' | 'day'
}

/** The comparisons that each field allows, and the kind of value they take. */
export const FIELDS: Readonly<Record<Field, FieldRule>> = {
  name: { ops: ['contains', 'is'], value: 'text' },
  username: { ops: ['contains', 'is'], value: 'text' },
  language: { ops: ['is'], value: 'text' },
  tag: { ops: ['is'], value: 'text' },
  network: { ops: ['is'], value: 'platform' },
  engagement: { ops: ['atLeast', 'atMost'], value: 'score' },
  daysSilent: { ops: ['atLeast', 'atMost'], value: 'days' },
  lastSeen: { ops: ['before'], value: 'day' },
  firstSeen: { ops: ['before'], value: 'day' },
}

const DEEPEST = 5
const MOST_CONDITIONS = 50

const isDay = (value: unknown) =>
  typeof value === 'string' &&
  /^(19|20|21)\d\d-\d\d-\d\d$/.test(value) &&
  new Date(value).toJSON()?.slice(0, 10) === value

const takes: Readonly<Record<FieldRule['value'], (value: string | number) => boolean>> = {
  text: (value) => typeof value === 'string' && value.trim() !== '',
  platform: (value) => typeof value === 'string' && Object.hasOwn(networks, value),
  score: (value) => typeof value === 'number' && value >= 0 && value <= 100,
  days: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 3650,
  day: isDay,
}

/** Returns the parts of a group, or undefined for a condition. */
export const partsOf = (filter: SegmentFilter): readonly SegmentFilter[] | undefined =>
  'all' in filter ? filter.all : 'any' in filter ? filter.any : undefined

const conditionsIn = (filter: SegmentFilter): number =>
  partsOf(filter)?.reduce((sum, part) => sum + conditionsIn(part), 0) ?? 1

/** Returns the faults of a filter, each with its path. */
export function faultsOf(filter: SegmentFilter, path = '/filter'): Fault[] {
  if (conditionsIn(filter) > MOST_CONDITIONS)
    return [
      {
        path,
        code: 'too_many_conditions',
        message: `A filter can have at most ${MOST_CONDITIONS} conditions.`,
        limit: MOST_CONDITIONS,
      },
    ]
  return faultsAt(filter, path, 1)
}

function faultsAt(filter: SegmentFilter, path: string, level: number): Fault[] {
  if (level > DEEPEST) return [{ path, code: 'too_deep', message: `A filter can have at most ${DEEPEST} levels.` }]
  const group = 'all' in filter ? 'all' : 'any'
  const parts = partsOf(filter)
  if (parts) return parts.flatMap((part, index) => faultsAt(part, `${path}/${group}/${index}`, level + 1))
  const { field, op, value } = filter as SegmentCondition
  const rule = FIELDS[field]
  if (!rule.ops.includes(op)) {
    return [
      {
        path: `${path}/op`,
        code: 'not_comparable',
        message: `Must be ${rule.ops.join(' or ')} for the field ${field}.`,
      },
    ]
  }
  if (takes[rule.value](value)) return []
  return [{ path: `${path}/value`, code: 'wrong_value', message: `This value isn’t valid for the field ${field}.` }]
}
