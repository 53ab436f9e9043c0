import type { RawBuilder } from 'kysely'
import { sql } from '../../../core/platform/db.ts'
import type { SegmentCondition, SegmentFilter } from './api.ts'
import { heatAt } from '../rules.ts'
import { partsOf } from './rules.ts'

/** The customers `n` for whom a checked filter holds. Every value of the filter is a parameter. */
export function conditionOf(filter: SegmentFilter): RawBuilder<unknown> {
  const parts = partsOf(filter)
  if (parts) return sql`(${sql.join(parts.map(conditionOf), 'all' in filter ? sql` and ` : sql` or `)})`
  return leafOf(filter as SegmentCondition)
}

const ofIdentity = (condition: RawBuilder<unknown>) => sql`exists (select from audience_identity i
  join social_account a on a.workspace_id = i.workspace_id and a.id = i.account_id
  where i.workspace_id = n.workspace_id and i.node_id = n.id and ${condition})`

/** Customers with a tag, whatever its case: two tags of a customer differ in more than that. */
export const hasTag = (name: SegmentCondition['value']) =>
  sql`exists (select from unnest(n.tags) tag where lower(tag) = lower(${name}::text))`

const texts = {
  name: sql`n.name`,
  username: sql`i.username`,
} as const

/** The score is shown with one decimal, and compared as it is shown. */
const ROUNDED = 0.05

/** Customers whose score is at least or at most this. Their heat is compared, at the pace at which all cool. */
function scored(op: SegmentCondition['op'], score: number): RawBuilder<unknown> {
  const bound = op === 'atLeast' ? score - ROUNDED : score + ROUNDED
  if (bound <= 0 || bound >= 100) return sql`true`
  const warmth = sql`(select warmth(${heatAt(bound)}::float8, app_now()))`
  return op === 'atLeast' ? sql`n.warmth >= ${warmth}` : sql`n.warmth < ${warmth}`
}

/** Customers whose last message is so many whole days old, at least or at most. */
function silent(op: SegmentCondition['op'], days: number): RawBuilder<unknown> {
  const seen = sql`coalesce(n.last_seen, n.created_at)`
  const ago = (count: number) => sql`(app_now() - make_interval(days => ${count}))`
  return op === 'atLeast' ? sql`${seen} <= ${ago(days)}` : sql`${seen} > ${ago(days + 1)}`
}

/** The beginning of a day in the zone of the workspace. */
const dayBegins = (day: SegmentCondition['value']) =>
  sql`(${String(day)}::date::timestamp at time zone (select w.timezone from workspace w where w.id = n.workspace_id))`

function leafOf({ field, op, value }: SegmentCondition): RawBuilder<unknown> {
  switch (field) {
    case 'name':
      return compared(texts.name, op, value)
    case 'username':
      return ofIdentity(compared(texts.username, op, value))
    case 'language':
      return sql`lower(n.language) = lower(${value}::text)`
    case 'tag':
      return hasTag(value)
    case 'network':
      return ofIdentity(sql`a.platform = ${value}::text`)
    case 'engagement':
      return scored(op, Number(value))
    case 'daysSilent':
      return silent(op, Number(value))
    case 'lastSeen':
      return sql`coalesce(n.last_seen, n.created_at) < ${dayBegins(value)}`
    case 'firstSeen':
      return sql`n.created_at < ${dayBegins(value)}`
  }
}

/** A text that is the value, or contains it, whatever the case. */
const compared = (text: RawBuilder<unknown>, op: SegmentCondition['op'], value: SegmentCondition['value']) =>
  op === 'is' ? sql`lower(${text}) = lower(${value}::text)` : sql`position(lower(${value}::text) in lower(${text})) > 0`
