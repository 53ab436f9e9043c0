import type { RawBuilder } from 'kysely'
import { sql } from '../../../core/platform/db.ts'
import type { SegmentCondition, SegmentFilter } from './api.ts'
import { heatAt } from '../rules.ts'
import { partsOf } from './rules.ts'

/** Returns the SQL condition for a checked filter over customers `n`. Every value of the filter becomes a parameter. */
export function conditionOf(filter: SegmentFilter): RawBuilder<unknown> {
  const parts = partsOf(filter)
  if (parts) return sql`(${sql.join(parts.map(conditionOf), 'all' in filter ? sql` and ` : sql` or `)})`
  return leafOf(filter as SegmentCondition)
}

const ofIdentity = (condition: RawBuilder<unknown>) => sql`exists (select from audience_identity i
  join social_account a on a.workspace_id = i.workspace_id and a.id = i.account_id
  where i.workspace_id = n.workspace_id and i.node_id = n.id and ${condition})`

/** Matches customers with a tag, ignoring case. The tags of a customer never differ by case alone. */
export const hasTag = (name: SegmentCondition['value']) =>
  sql`exists (select from unnest(n.tags) tag where lower(tag) = lower(${name}::text))`

const texts = {
  name: sql`n.name`,
  username: sql`i.username`,
} as const

/** Scores are shown with one decimal, and compared as shown. */
const ROUNDED = 0.05

/**
 * Matches customers whose score is at least or at most `score`. Compares `warmth`, which time does not change, because
 * the heat of all customers decays at the same rate.
 */
function scored(op: SegmentCondition['op'], score: number): RawBuilder<unknown> {
  const bound = op === 'atLeast' ? score - ROUNDED : score + ROUNDED
  if (bound <= 0 || bound >= 100) return sql`true`
  const warmth = sql`(select warmth(${heatAt(bound)}::float8, app_now()))`
  return op === 'atLeast' ? sql`n.warmth >= ${warmth}` : sql`n.warmth < ${warmth}`
}

/** Matches customers whose last message is at least or at most `days` whole days old. */
function silent(op: SegmentCondition['op'], days: number): RawBuilder<unknown> {
  const seen = sql`coalesce(n.last_seen, n.created_at)`
  const ago = (count: number) => sql`(app_now() - make_interval(days => ${count}))`
  return op === 'atLeast' ? sql`${seen} <= ${ago(days)}` : sql`${seen} > ${ago(days + 1)}`
}

/** The start of a day in the workspace's time zone. */
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

/** Matches a text that equals or contains the value, ignoring case. */
const compared = (text: RawBuilder<unknown>, op: SegmentCondition['op'], value: SegmentCondition['value']) =>
  op === 'is' ? sql`lower(${text}) = lower(${value}::text)` : sql`position(lower(${value}::text) in lower(${text})) > 0`
