import { query, sql, whole } from '../../../core/platform/db.ts'
import type { Scope } from '../../../core/platform/scope.ts'
import type { SegmentFilter } from './api.ts'
import { conditionOf } from './compile.ts'

export interface NamedFilter {
  name: string
  filter: SegmentFilter
}

/** Selects the segments of a workspace by name. */
export const filtersOf = (workspaceId: string) =>
  whole<NamedFilter>(sql`select s.name, s.filter from audience_segment s where s.workspace_id = ${workspaceId}
    order by lower(s.name), s.id`)

/** Returns the names of those segments that a customer is in. */
export async function segmentsWith(
  scope: Scope,
  customerId: string,
  segments: readonly NamedFilter[],
): Promise<string[]> {
  if (segments.length === 0) return []
  const isIn = sql.join(segments.map(({ filter }) => sql`coalesce(${conditionOf(filter)}, false)`))
  const [[row]] = await scope.read(query<{ isIn: boolean[] }>`select array[${isIn}] as is_in from audience_node n
    where n.workspace_id = ${scope.workspaceId} and n.id = ${customerId}`)
  return segments.filter((_, place) => row?.isIn[place]).map(({ name }) => name)
}
