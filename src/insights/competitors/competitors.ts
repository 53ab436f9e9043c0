import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { pageBy, pageByName, type Page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { lockList } from '../../core/platform/named-lists.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { networks } from '../../networks/rules.ts'
import { checkPeriod } from '../analytics/period.ts'
import type { Span } from '../analytics/rules.ts'
import { type Competitor, type CompetitorSnapshot, MOST_COMPETITORS } from './api.ts'
import { type AccountState, type LookUpAccount, lookUp, type LookUpPorts, mayLookUp } from './look-up.ts'
import { planReading, storeSnapshot } from './reading.ts'

const competitorsWhere = (workspaceId: string, more: ReturnType<typeof sql>) =>
  whole<{
    key: string
    json: Competitor
  }>(sql`select lower(c.name) as key, json_build_object('id', c.id, 'accountId', c.account_id, 'platform', a.platform,
      'username', c.username, 'name', c.name, 'followers', s.followers, 'mediaCount', s.media_count, 'readAt', iso(s.read_at),
      'nextReadAt', iso(c.next_at), 'error', c.error, 'createdAt', iso(c.created_at)) as json
    from competitor c join social_account a on a.workspace_id = c.workspace_id and a.id = c.account_id
    left join lateral (select * from competitor_snapshot s where s.workspace_id = c.workspace_id and s.competitor_id = c.id
      order by s.day desc limit 1) s on true
    where c.workspace_id = ${workspaceId} and ${more}`)

/** Returns a page of the competitors, by name. */
export async function listCompetitors(scope: Scope, request: PageRequest): Promise<Page<Competitor>> {
  const byName = pageByName(sql`c.name`, sql`c.id`, request)
  const [rows] = await scope.read(competitorsWhere(scope.workspaceId, byName.rows))
  return byName.of(rows)
}

/** Returns a competitor. Throws `not_found`. */
export async function getCompetitor(scope: Scope, id: string): Promise<Competitor> {
  const [[row]] = await scope.read(competitorsWhere(scope.workspaceId, sql`c.id = ${id}`))
  if (!row) throw new AppError('not_found')
  return row.json
}

interface NewCompetitor {
  accountId: string
  username: string
}

/**
 * Looks up an account, and reads it once a day from then on. Throws `validation_failed` if our account is not
 * connected, or its network shows no such account; `name_taken`, `too_many_saved`, `network_error`; and `rate_limited`
 * with `resetsAt` if our account has no calls left.
 */
export async function addCompetitor(scope: Scope, ports: LookUpPorts, wanted: NewCompetitor): Promise<Competitor> {
  const asking = await mayAdd(scope, ports, wanted)
  const answer = await lookUp(scope, ports, asking, wanted.username)
  if (answer === 'not_discoverable')
    throw notDiscoverable('/username', 'The network provides no data for this account.')
  if ('until' in answer) throw noCallsLeft(asking, answer.until, scope.now())
  if ('error' in answer) throw new AppError('network_error', answer.error.message)
  const { account } = answer
  return scope.transaction(async (tx) => {
    await lockList(tx)
    await refuseTooMany(tx)
    const [added] = await tx.run(query<{ id: string }>`
      insert into competitor (workspace_id, id, account_id, external_id, username, name, next_at)
      values (${tx.workspaceId}, ${uuidv7()}, ${wanted.accountId}, ${account.externalId}, ${account.username}, ${account.name},
        ${tx.now})
      -- An account that changed its name keeps its history.
      on conflict (workspace_id, external_id) do update set username = excluded.username
        where competitor.username <> excluded.username returning id`)
    if (!added) throw new AppError('name_taken')
    await storeSnapshot(tx, added.id, account)
    await planReading(tx, added.id)
    tx.record({ type: 'competitor.added', subject: { competitorId: added.id }, data: { name: account.name } })
    return (await tx.one(competitorsWhere(tx.workspaceId, sql`c.id = ${added.id}`), 'not_found')).json
  })
}

interface Asking extends LookUpAccount {
  name: string
}

/** Returns the error for an account without calls. `resetsAt` is when it has calls again. */
const noCallsLeft = ({ name, platform }: Asking, until: Date, now: Date) =>
  new AppError(
    'rate_limited',
    `${networks[platform].knownAs} limits how often ${name} can look up accounts. Try again later.`,
    {
      resetsAt: until.toISOString(),
      retryAfter: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)),
    },
  )

const notDiscoverable = (path: string, message: string) => invalid({ path, code: 'not_discoverable', message })

/** Checks what can be checked before a call to the network is spent. */
async function mayAdd(scope: Scope, ports: LookUpPorts, { accountId }: NewCompetitor): Promise<Asking> {
  const [[account], [counted]] = await scope.read(
    query<
      Asking & AccountState
    >`select id as account_id, name, platform, external_id, network_user, access_token, status,
        granted_scopes from social_account where workspace_id = ${scope.workspaceId} and id = ${accountId}`,
    countOf(scope),
  )
  if (!account) throw invalid({ path: '/accountId', code: 'unknown_id', message: 'No account has this ID.' })
  const { discovery } = ports.networks.get(account.platform)
  if (!discovery) {
    throw notDiscoverable('/accountId', 'This network doesn’t let apps look up other accounts.')
  }
  if (!mayLookUp(account, discovery)) {
    throw invalid({ path: '/accountId', code: 'not_connected', message: 'Reconnect this account first.' })
  }
  if (counted!.count >= MOST_COMPETITORS) throw tooMany()
  return account
}

const countOf = ({ workspaceId }: Pick<Scope, 'workspaceId'>) =>
  query<{ count: number }>`select count(*)::int as count from competitor where workspace_id = ${workspaceId}`
const tooMany = () => new AppError('too_many_saved', undefined, { limit: MOST_COMPETITORS })

async function refuseTooMany(tx: Tx): Promise<void> {
  const { count } = await tx.one(countOf(tx), 'not_found')
  if (count >= MOST_COMPETITORS) throw tooMany()
}

/** Removes a competitor. Throws `not_found`. */
export async function removeCompetitor(scope: Scope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const { name } = await tx.one(
      query<{
        name: string
      }>`delete from competitor where workspace_id = ${tx.workspaceId} and id = ${id} returning name`,
      'not_found',
    )
    tx.record({ type: 'competitor.removed', subject: { competitorId: id }, data: { name } })
  })
}

/** Lists what an account showed on each day of a period, newest first. Throws `not_found`, `validation_failed`. */
export async function listSnapshots(
  scope: Scope,
  id: string,
  { from, to, ...asked }: Span & PageRequest,
): Promise<Page<CompetitorSnapshot>> {
  checkPeriod({ from, to })
  const page = pageBy<{ day: string }>([[sql`s.day`, 'date']], asked, ({ day }) => [day])
  const { workspaceId } = scope
  const [[known], rows] = await scope.read(
    query`select from competitor where workspace_id = ${workspaceId} and id = ${id}`,
    query<CompetitorSnapshot>`select s.day::text as day, iso(s.read_at) as read_at, s.followers, s.media_count, s.posts
      from competitor_snapshot s where s.workspace_id = ${workspaceId} and s.competitor_id = ${id}
        and s.day >= ${from}::date and s.day < ${to}::date and ${page.rows}`,
  )
  if (!known) throw new AppError('not_found')
  return page.of(rows)
}
