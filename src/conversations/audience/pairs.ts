import { type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { sql, whole } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { LikelyPair } from './api.ts'
import { isHere, nodeShape } from './shapes.ts'

/** A name shared by more customers than this is no evidence. */
const MOST_OF_A_NAME = 4

/**
 * Returns a page of the customers who may be one person, the likeliest first: they have the same name or username on
 * different accounts. Only names of two or more words count. People on one account are never a pair, since the network
 * tells them apart.
 */
export async function listPairs(
  scope: Scope,
  { customerId, ...request }: PageRequest & { customerId?: string | undefined },
): Promise<Page<LikelyPair>> {
  const { workspaceId } = scope
  const ownKeys = sql`(select name_key from audience_node where workspace_id = ${workspaceId} and id = ${customerId}
    union all select username_key from audience_identity where workspace_id = ${workspaceId} and node_id = ${customerId})`
  const wanted = (key: ReturnType<typeof sql>) => (customerId === undefined ? sql`true` : sql`${key} in ${ownKeys}`)
  const isFree = sql`${isHere(workspaceId)} and n.erasing_at is null`
  const isTheirs = customerId === undefined ? sql`true` : sql`(a.id = ${customerId} or b.id = ${customerId})`
  const columns = [
    [sql`cardinality(p.reasons)`, 'bigint'],
    [sql`p.one`, 'uuid'],
    [sql`p.other`, 'uuid'],
  ] as const
  const likeliest = pageBy<{ json: LikelyPair }>(columns, request, ({ json: { reasons, first, second } }) => [
    reasons.length,
    first.id,
    second.id,
  ])
  const [rows] = await scope.read(
    whole<{ json: LikelyPair }>(sql`
      with keys as (
        select n.id, n.name_key as key, 'name' as kind from audience_node n
          where ${isFree} and n.name_key is not null and ${wanted(sql`n.name_key`)}
        union all select n.id, i.username_key, 'username' from audience_identity i
          join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
          where i.workspace_id = ${workspaceId} and i.username_key is not null and ${wanted(sql`i.username_key`)} and ${isFree}),
      telling as (select key from keys group by key having count(distinct id) between 2 and ${MOST_OF_A_NAME}),
      pairs as (select a.id as one, b.id as other, array_agg(distinct case when a.kind = b.kind then 'same_' || a.kind
            else 'name_like_username' end) as reasons
          from telling join keys a on a.key = telling.key join keys b on b.key = a.key and b.id > a.id where ${isTheirs}
          group by a.id, b.id)
      select json_build_object(
          'first', (select ${nodeShape} from audience_node n where n.workspace_id = ${workspaceId} and n.id = p.one),
          'second', (select ${nodeShape} from audience_node n where n.workspace_id = ${workspaceId} and n.id = p.other),
          'reasons', p.reasons) as json
      from (select p.* from pairs p where not exists (select from audience_identity i
          join audience_identity j on j.workspace_id = i.workspace_id and j.account_id = i.account_id
          where i.workspace_id = ${workspaceId} and i.node_id = p.one and j.node_id = p.other)
          and ${likeliest.rows}) p
      order by cardinality(p.reasons) desc, p.one desc, p.other desc`),
  )
  const { data, nextCursor } = likeliest.of(rows)
  return { data: data.map(({ json }) => json), nextCursor }
}
