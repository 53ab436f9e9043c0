import { uuidv7 } from 'uuidv7'
import type { Role } from '../../core/http/endpoint.ts'
import { AppError } from '../../core/errors.ts'
import { hashSecret, newSecret } from '../../core/platform/crypto.ts'
import { page, type Page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { asJson } from '../../core/platform/json.ts'
import { countTry } from '../../core/platform/limits.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { Span } from '../analytics/rules.ts'
import type { Report, ReportFigures, ReportPreview, ReportSnapshot, SharedReport, WholeSnapshot } from './api.ts'
import { readFigures, withoutStates } from './figures.ts'
import { getReport, readReport, tellReport } from './reports.ts'
import { monthBefore } from './rules.ts'

const DAY = 86_400_000
/**
 * How many snapshots a workspace may make in an hour, and how many previews a person. Each may compute best times for
 * many accounts.
 */
const SNAPSHOTS_PER_HOUR = 60
const PREVIEWS_PER_HOUR = 120

type Settings = Pick<Ports, 'settings'>

interface Figured extends Span {
  workspaceName: string
  timezone: string
  figures: ReportFigures
}

/** Returns the current figures of a report, over its own days or over those of `month`. */
export async function figure(scope: Scope, ports: Settings, report: Report, month?: Span): Promise<Figured> {
  const [[workspace]] = await scope.read(query<{ name: string; timezone: string; today: string }>`
    select name, timezone, (app_now() at time zone timezone)::date as today from workspace where id = ${scope.workspaceId}`)
  if (!workspace) throw new AppError('not_found')
  const { name, timezone, today } = workspace
  const span = month ?? (report.range === 'last_month' ? monthBefore(today) : report.range)
  return { ...span, workspaceName: name, timezone, figures: await readFigures(scope, ports, { ...report, ...span }) }
}

/** Returns what a snapshot of a report would show now. Throws `not_found`, `rate_limited`. */
export async function previewReport(scope: Scope, ports: Settings, id: string): Promise<ReportPreview> {
  const report = await getReport(scope, id)
  const userId = scope.actor.kind === 'user' ? scope.actor.userId : null
  await countTry(scope, { key: `report previews:${userId}`, tries: PREVIEWS_PER_HOUR, seconds: 3600 })
  const { from, to, figures } = await figure(scope, ports, report)
  return { name: report.name, note: report.note, from, to, figures }
}

interface NewSnapshot {
  id: string
  days: number
  /** The month of the mail that it belongs to, if any. */
  month: string | null
}

/** Stores figures with the hash of a new token, and returns the token. */
export async function keepSnapshot(
  tx: Tx,
  { id: reportId, name, note, forClients }: Pick<Report, 'id' | 'name' | 'note' | 'forClients'>,
  { workspaceName, timezone, from, to, figures }: Figured,
  { id, days, month }: NewSnapshot,
): Promise<string> {
  const token = newSecret()
  await tx.run(query`insert into report_snapshot (workspace_id, id, report_id, month, token_hash, workspace_name, timezone, name, note,
      for_clients, from_day, to_day, figures, created_by, created_at, ends_at)
    values (${tx.workspaceId}, ${id}, ${reportId}, ${month}, ${hashSecret(token)}, ${workspaceName}, ${timezone}, ${name}, ${note},
      ${forClients}, ${from}, ${to}, ${asJson([figures])}::jsonb -> 0, ${tx.actor.kind === 'user' ? tx.actor.userId : null}, ${tx.now},
      ${new Date(tx.now.getTime() + days * DAY)})`)
  return token
}

export const linkOf = (settings: Ports['settings'], token: string) => `${settings.publicUrl()}/app/reports/${token}`

/**
 * Stores the current figures of a report, with a link that lives for `days` days. Throws `not_found`, `rate_limited`,
 * and `stale_version` if someone changes the report in the meantime, so that people share only what they have seen.
 */
export async function shareReport(
  scope: Scope,
  ports: Settings,
  reportId: string,
  { days }: { days: number },
): Promise<WholeSnapshot> {
  const report = await getReport(scope, reportId)
  await countTry(scope, { key: `report snapshots:${scope.workspaceId}`, tries: SNAPSHOTS_PER_HOUR, seconds: 3600 })
  const figured = await figure(scope, ports, report)
  return scope.transaction(async (tx) => {
    const current = await readReport(tx, reportId)
    if (current.version !== report.version) throw new AppError('stale_version', undefined, { current: current.version })
    const id = uuidv7()
    const token = await keepSnapshot(tx, report, figured, { id, days, month: null })
    tellReport(tx, 'shared', reportId, report.name)
    const { json: snapshot } = await tx.one(
      wholeSnapshots(sql`s.workspace_id = ${tx.workspaceId} and s.id = ${id}`, 'EDITOR'),
      'not_found',
    )
    return { ...snapshot, url: linkOf(ports.settings, token) }
  })
}

const fieldsFor = (
  role: Role,
) => sql`'id', s.id, 'reportId', s.report_id, 'name', s.name, 'note', s.note, 'from', s.from_day, 'to', s.to_day,
  'url', null, 'createdBy', case when u.id is not null then json_build_object('id', ${role === 'CLIENT' ? sql`null` : sql`u.id`}, 'name', u.name) end,
  'createdAt', iso(s.created_at), 'endsAt', iso(s.ends_at), 'revokedAt', iso(s.revoked_at)`

const wholeSnapshots = (condition: ReturnType<typeof sql>, role: Role) =>
  whole<{
    json: WholeSnapshot
  }>(sql`select json_build_object(${fieldsFor(role)}, 'timezone', s.timezone, 'figures', s.figures) as json
    from report_snapshot s left join app_user u on u.id = s.created_by where ${condition}`)

/**
 * The condition for the snapshots `s` that a role sees. A snapshot made for members only stays theirs if the report
 * changes.
 */
const seenBy = (role: Role) =>
  role === 'CLIENT'
    ? sql`s.revoked_at is null and s.for_clients and exists (select from report r where r.workspace_id = s.workspace_id and r.id = s.report_id
        and r.for_clients)`
    : sql`true`

interface AskedSnapshots extends PageRequest {
  reportId?: string | undefined
}

/** Lists the snapshots that a role sees, newest first. Throws `validation_failed`. */
export async function listSnapshots(
  scope: Scope,
  { reportId, ...asked }: AskedSnapshots,
  role: Role,
): Promise<Page<ReportSnapshot>> {
  const pages = page(sql`s.id`, asked)
  const [rows] = await scope.read(query<{
    id: string
    json: ReportSnapshot
  }>`select s.id, json_build_object(${fieldsFor(role)}) as json
    from report_snapshot s left join app_user u on u.id = s.created_by
    where s.workspace_id = ${scope.workspaceId} and ${reportId === undefined ? sql`true` : sql`s.report_id = ${reportId}`}
      and ${seenBy(role)} and ${pages.rows}`)
  const { data, nextCursor } = pages.of(rows)
  return { data: data.map(({ json }) => json), nextCursor }
}

/** Returns a snapshot. Throws `not_found`, also for one that the role does not see. */
export async function getSnapshot(scope: Scope, id: string, role: Role): Promise<WholeSnapshot> {
  const [[row]] = await scope.read(
    wholeSnapshots(sql`s.workspace_id = ${scope.workspaceId} and s.id = ${id} and ${seenBy(role)}`, role),
  )
  if (!row) throw new AppError('not_found')
  // Snapshots that were stored before contain the states.
  return role === 'CLIENT' ? { ...row.json, figures: withoutStates(row.json.figures) } : row.json
}

/** Ends the link of a snapshot. Throws `not_found`, also if it was already revoked. */
export async function revokeSnapshot(scope: Scope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const { reportId, name } = await tx.one(
      query<{ reportId: string; name: string }>`update report_snapshot set revoked_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and revoked_at is null returning report_id, name`,
      'not_found',
    )
    tellReport(tx, 'link_revoked', reportId, name)
  })
}

/** Returns what a link shows. Throws `link_expired`, for an ended, revoked or unknown link alike. */
export async function getSharedReport(
  { scopes, caller }: { scopes: Pick<Scopes, 'scope'>; caller: Scope },
  token: string,
): Promise<SharedReport> {
  const [[found]] = await caller.read(
    query<{ workspaceId: string; id: string }>`select workspace_id, id from report_link_facts(${hashSecret(token)})`,
  )
  if (!found) throw new AppError('link_expired')
  const [[row]] = await scopes.scope(found.workspaceId, caller.actor).read(query<{ json: SharedReport }>`
    select json_build_object('workspace', json_build_object('name', s.workspace_name, 'timezone', s.timezone),
      'name', s.name, 'note', s.note, 'from', s.from_day, 'to', s.to_day, 'createdAt', iso(s.created_at),
      'endsAt', iso(s.ends_at), 'figures', s.figures) as json
    from report_snapshot s where s.workspace_id = ${found.workspaceId} and s.id = ${found.id} and s.revoked_at is null
      and s.ends_at > app_now()`)
  if (!row) throw new AppError('link_expired')
  return { ...row.json, figures: withoutStates(row.json.figures) }
}
