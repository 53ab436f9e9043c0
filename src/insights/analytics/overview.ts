import { AppError } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Role } from '../../core/http/endpoint.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Platform } from '../../networks/api.ts'
import { networks } from '../../networks/rules.ts'
import { addDays } from '../../publishing/scheduler/rules.ts'
import type { AnalyticsOverview, FirstReading, Period } from './api.ts'
import { checkPeriod } from './period.ts'
import {
  type AccountDays,
  accountMetricsOf,
  among,
  compareTotals,
  countsFrom,
  type DayValues,
  gapsOf,
  lengthOf,
  type NotedGap,
  previousOf,
  readPeriod,
  seriesOf,
  type Span,
} from './rules.ts'

/** For how many hours after its end a day may change at the network. */
const PROVISIONAL_HOURS = 72

interface AccountRow {
  accountId: string
  name: string
  platform: Platform
  noted: NotedGap[]
  readAt: string | null
  nextAt: string | null
  state: AnalyticsOverview['byAccount'][number]['state']
  isDisconnected: boolean
  firstReading: FirstReading | null
}

interface DayRow extends DayValues {
  accountId: string
  day: string
  isProvisional: boolean
}

/** The days and accounts of an answer: all accounts, one, or some. */
export interface AskedPeriod extends Period {
  accountIds?: readonly string[]
}

/** The condition for the accounts `a` that a period asks for. */
export const ofAccounts = ({ accountId, platform, accountIds }: Omit<AskedPeriod, 'from' | 'to'>) =>
  sql`${accountId ? sql`a.id = ${accountId}` : sql`true`} and ${platform ? sql`a.platform = ${platform}` : sql`true`}
    and ${accountIds ? sql`a.id = any (${accountIds}::uuid[])` : sql`true`}`

/** The condition for an account `a` that is connected, or has days within the period. */
export const hasFigures = ({ from, to }: Span) =>
  sql`(a.status <> 'DISCONNECTED' or exists (select from account_metric k where k.workspace_id = a.workspace_id
    and k.account_id = a.id and k.day >= ${from}::date and k.day < ${to}::date))`

/**
 * Returns what happened on the accounts in a period. A CLIENT gets the totals of all accounts. Throws
 * `validation_failed`, and `role_required` if a CLIENT asks for some accounts.
 */
export async function getOverview(scope: Scope, asked: AskedPeriod, role: Role | null): Promise<AnalyticsOverview> {
  const isClient = role === 'CLIENT'
  if (isClient && (asked.accountId || asked.platform)) {
    const detail = 'Clients see the totals of all accounts. Ask without `accountId` and `platform`.'
    throw new AppError('role_required', detail, { required: 'VIEWER', actual: role })
  }
  const span = checkPeriod(asked)
  const before = asked.compare ? previousOf(span) : null
  const { workspaceId } = scope
  // Follower growth starts from the day before the period.
  const first = before?.from ?? addDays(span.from, -1)
  const [[workspace], accounts, days] = await scope.read(
    query<{ today: string; finalFrom: string }>`select (app_now() at time zone timezone)::date::text as today,
        ((app_now() - make_interval(hours => ${PROVISIONAL_HOURS})) at time zone timezone)::date::text as final_from
      from workspace where id = ${workspaceId}`,
    query<AccountRow>`select a.id as account_id, a.name, a.platform, coalesce(s.gaps, '[]') as noted,
        (select iso(max(m.read_at)) from account_metric m where m.workspace_id = a.workspace_id and m.account_id = a.id
          and m.day >= ${span.from}::date and m.day < ${span.to}::date) as read_at,
        case when a.status = 'CONNECTED' then iso(s.next_at) end as next_at,
        case when a.status <> 'CONNECTED' then 'not_connected' when s.failures > 0 then 'failing' else 'read' end as state,
        a.status = 'DISCONNECTED' as is_disconnected,
        case when a.status = 'CONNECTED' and (s.days_at is null or s.found_at is null) then json_build_object(
          'hasDays', s.days_at is not null, 'hasPosts', s.found_at is not null,
          'postsSince', (select iso(min(p.published_at)) from measured_post p where p.workspace_id = a.workspace_id
            and p.account_id = a.id and s.found_after is not null)) end as first_reading
      from social_account a left join account_sync s on s.workspace_id = a.workspace_id and s.account_id = a.id
      where a.workspace_id = ${workspaceId} and ${ofAccounts(asked)} and ${hasFigures({ from: first, to: span.to })}
      order by a.platform, lower(a.name), a.id`,
    query<DayRow>`select m.account_id, m.day::text as day, m.impressions, m.engagement, m.reach, m.followers,
        m.reach_7 as "reach7", m.reach_28 as "reach28",
        m.ends_at > app_now() - make_interval(hours => ${PROVISIONAL_HOURS}) as is_provisional
      from account_metric m join social_account a on a.workspace_id = m.workspace_id and a.id = m.account_id
      where m.workspace_id = ${workspaceId} and m.day >= ${first}::date and m.day < ${span.to}::date and ${ofAccounts(asked)}`,
  )
  const { today, finalFrom } = workspace!
  const known = accounts.map((account) => ({
    ...account,
    told: accountMetricsOf(networks[account.platform].figures),
    isConnected: account.state !== 'not_connected',
    days: new Map(days.filter((row) => row.accountId === account.accountId).map((row) => [row.day, row])),
  }))
  const platforms = [...new Set(known.map(({ platform }) => platform))]
  // A disconnected account is never read again, so its last reading says nothing about the others.
  const present = known.filter(({ isDisconnected }) => !isDisconnected)
  const readings = (present.length > 0 ? present : known).flatMap(({ readAt }) => readAt ?? [])
  const { coverage, gaps } = gapsOf(known, span, { today, finalFrom })
  const told = readPeriod(known, span)
  const toldBefore = before && readPeriod(known, before)
  const totalsOf = (isOf: (account: AccountDays) => boolean) =>
    compareTotals(among(told, isOf), toldBefore && among(toldBefore, isOf))
  return {
    days: lengthOf(span),
    ...compareTotals(told, toldBefore),
    previousPeriod: before,
    byPlatform: isClient
      ? []
      : platforms.map((platform) => ({ platform, ...totalsOf((account) => account.platform === platform) })),
    byAccount: isClient
      ? []
      : known.map((account) => ({
          accountId: account.accountId,
          name: account.name,
          platform: account.platform,
          readAt: account.readAt,
          nextAt: account.nextAt,
          state: account.state,
          firstReading: account.firstReading,
          countsFrom: countsFrom(told, account.accountId),
          ...totalsOf(({ accountId }) => accountId === account.accountId),
        })),
    series: isClient ? [] : seriesOf(told, toldBefore),
    basis: {
      kind: 'activity',
      coverage,
      gaps: isClient ? [] : gaps,
      provisionalDays: [
        ...new Set(days.filter(({ day, isProvisional }) => isProvisional && day >= span.from).map(({ day }) => day)),
      ].toSorted(),
      readAt: readings.toSorted()[0] ?? null,
      nextAt: known.flatMap(({ nextAt }) => nextAt ?? []).toSorted()[0] ?? null,
    },
  }
}
