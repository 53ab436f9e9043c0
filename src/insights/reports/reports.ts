import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from 'uuidv7'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import { page, type Page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { claimName } from '../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { periodFaults } from '../analytics/period.ts'
import { MOST_REPORTS, type NewReport, type Report, type ReportPatch } from './api.ts'
import { faultsOf, mailDayAfter } from './rules.ts'

/**
 * A mail that has been sending for this long has stalled. Whether it went out is unknown, so only a person sends it
 * again. A mail that has waited for this long may be sent sooner by a person.
 */
export const BROKEN_OFF = '10 minutes'

/** The mails of the last month for which a report `r` was mailed. */
const mails = sql`(select coalesce(json_agg(json_build_object('userId', e.user_id, 'name', u.name, 'month', e.month,
      'state', case when e.state = 'sending' then case when b.broken then 'failed' else 'waiting' end else e.state end,
      'error', case when b.broken then 'not_taken' else e.error end, 'detail', e.detail, 'at', iso(e.state_at))
    order by lower(u.name), e.user_id), '[]')
  from report_mail e join app_user u on u.id = e.user_id
  cross join lateral (select e.state = 'sending' and e.state_at < app_now() - ${BROKEN_OFF}::interval as broken) b
  where e.workspace_id = r.workspace_id and e.report_id = r.id
    and e.month = (select max(l.month) from report_mail l where l.workspace_id = r.workspace_id and l.report_id = r.id))`

/** Selects the ids of the members who get a report `r` by mail. A client gets it only if it is for clients. */
export const readersOf = (isForClients = sql`r.for_clients`) => sql`(select d.user_id from report_reader d
  join member m on m.workspace_id = d.workspace_id and m.user_id = d.user_id
  where d.workspace_id = r.workspace_id and d.report_id = r.id and (m.role <> 'CLIENT' or ${isForClients}))`

const json = sql`json_build_object('id', r.id, 'name', r.name, 'sections', r.sections,
    'range', case when r.from_day is null then to_jsonb('last_month'::text)
      else jsonb_build_object('from', r.from_day, 'to', r.to_day) end,
    'note', r.note, 'accountIds', r.account_ids, 'forClients', r.for_clients,
    'mailTo', array(select d.user_id from report_reader d where d.workspace_id = r.workspace_id and d.report_id = r.id order by 1),
    'nextMailOn', case when exists ${readersOf()} then r.mail_on end, 'mails', ${mails}, 'version', r.version, 'createdAt', iso(r.created_at),
    'updatedAt', iso(r.updated_at))`

const reportsWhere = (workspaceId: string, more = sql`true`) =>
  whole<{ id: string; json: Report }>(sql`select r.id, ${json} as json from report r
    where r.workspace_id = ${workspaceId} and ${more}`)

/** Lists the reports, newest first. Throws `validation_failed`. */
export async function listReports(scope: Scope, asked: PageRequest): Promise<Page<Report>> {
  const pages = page(sql`r.id`, asked)
  const [rows] = await scope.read(reportsWhere(scope.workspaceId, pages.rows))
  const { data, nextCursor } = pages.of(rows)
  return { data: data.map(({ json: report }) => report), nextCursor }
}

/** Returns a report. Throws `not_found`. */
export async function getReport(scope: Scope, id: string): Promise<Report> {
  const [[row]] = await scope.read(reportsWhere(scope.workspaceId, sql`r.id = ${id}`))
  if (!row) throw new AppError('not_found')
  return row.json
}

export const readReport = async (tx: Tx, id: string): Promise<Report> =>
  (await tx.one(reportsWhere(tx.workspaceId, sql`r.id = ${id}`), 'not_found')).json

/** Serializes transactions that name a report. Otherwise two could find the same name, or the last place, free. */
const lockReports = (tx: Tx) =>
  tx.one(
    query<{ today: string }>`select (${tx.now}::timestamptz at time zone timezone)::date as today from workspace
      where id = ${tx.workspaceId} for no key update`,
    'not_found',
  )

const LIST = { table: 'report', most: MOST_REPORTS } as const

async function check(tx: Tx, report: NewReport, { hasNewReaders = true } = {}): Promise<void> {
  const { range, accountIds, mailTo } = report
  const [accounts, members] = await Promise.all([
    tx.run(query<{ id: string }>`select id from social_account where workspace_id = ${tx.workspaceId}
      and id = any (${accountIds}::uuid[])`),
    tx.run(query<{ id: string; role: string }>`select user_id as id, role from member
      where workspace_id = ${tx.workspaceId} and user_id = any (${mailTo}::uuid[])`),
  ])
  const faults: Fault[] = [
    ...(range === 'last_month' ? [] : periodFaults(range, '/range')),
    ...faultsOf(report, {
      accountIds: new Set(accounts.map(({ id }) => id)),
      roles: hasNewReaders ? new Map(members.map(({ id, role }) => [id, role])) : null,
    }),
  ]
  if (faults.length > 0) throw invalid(...faults)
}

async function keepReaders(tx: Tx, id: string, mailTo: readonly string[]): Promise<void> {
  await tx.run(query`delete from report_reader where workspace_id = ${tx.workspaceId} and report_id = ${id}
    and user_id <> all (${mailTo}::uuid[])`)
  await tx.run(query`insert into report_reader (workspace_id, report_id, user_id)
    select ${tx.workspaceId}, ${id}, u from unnest(${mailTo}::uuid[]) u on conflict do nothing`)
}

export const tellReport = (tx: Tx, act: string, id: string, name: string) =>
  tx.record({ type: `report.${act}`, subject: { reportId: id }, data: { name } })

const daysOfRange = (range: NewReport['range']) => (range === 'last_month' ? { from: null, to: null } : range)

/** Creates a report. Throws `name_taken`, `too_many_saved`, `validation_failed`. */
export async function createReport(scope: Scope, wanted: NewReport): Promise<Report> {
  const { name, sections, range, note, accountIds, forClients, mailTo } = wanted
  const { from, to } = daysOfRange(range)
  return scope.transaction(async (tx) => {
    const id = uuidv7()
    const { today } = await lockReports(tx)
    await claimName(tx, LIST, { id, name })
    await check(tx, wanted)
    const mailOn = mailTo.length > 0 ? mailDayAfter(today, null) : null
    await tx.run(query`insert into report (workspace_id, id, name, sections, from_day, to_day, note, account_ids, for_clients, mail_on)
      values (${tx.workspaceId}, ${id}, ${name}, ${sections}::text[], ${from}, ${to}, ${note}, ${accountIds}::uuid[],
        ${forClients}, ${mailOn})`)
    await keepReaders(tx, id, mailTo)
    tellReport(tx, 'created', id, name)
    return readReport(tx, id)
  })
}

/** Locks a report against concurrent changes, and returns it. Throws `not_found`, `stale_version`. */
async function lockReport(tx: Tx, id: string, ifMatch?: number): Promise<Report> {
  await tx.one(query`select from report where workspace_id = ${tx.workspaceId} and id = ${id} for update`, 'not_found')
  const report = await readReport(tx, id)
  refuseStale(report.version, ifMatch)
  return report
}

/** Returns the last month for which a report was mailed. */
async function lastMailed(tx: Tx, id: string): Promise<string | null> {
  const [last] = await tx.run(query<{ month: string | null }>`select max(month) as month from report_snapshot
    where workspace_id = ${tx.workspaceId} and report_id = ${id}`)
  return last?.month ?? null
}

const CHANGEABLE = ['name', 'sections', 'range', 'note', 'accountIds', 'forClients', 'mailTo'] as const

/**
 * Changes a report. A change to the same values keeps the version. Throws `stale_version`, `name_taken`,
 * `validation_failed`.
 */
export async function updateReport(scope: Scope, id: string, patch: ReportPatch, ifMatch?: number): Promise<Report> {
  return scope.transaction(async (tx) => {
    const { today } = await lockReports(tx)
    const current = await lockReport(tx, id, ifMatch)
    const faults = readOnlyFaults(patch, current, CHANGEABLE)
    if (faults.length > 0) throw invalid(...faults)
    const next = { ...current, ...(patch as Partial<NewReport>) }
    const isSame = (field: keyof NewReport) => isDeepStrictEqual(next[field], current[field])
    if (CHANGEABLE.every(isSame)) return current
    await claimName(tx, LIST, { id, name: next.name })
    await check(tx, next, { hasNewReaders: !isSame('mailTo') || !isSame('forClients') })
    const { from, to } = daysOfRange(next.range)
    const mailOn = next.mailTo.length > 0 ? (current.nextMailOn ?? mailDayAfter(today, await lastMailed(tx, id))) : null
    await tx.one(
      query`update report set name = ${next.name}, sections = ${next.sections}::text[], from_day = ${from}, to_day = ${to},
          note = ${next.note}, account_ids = ${next.accountIds}::uuid[], for_clients = ${next.forClients}, mail_on = ${mailOn},
          version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${current.version} returning id`,
      'stale_version',
      { current: current.version },
    )
    await keepReaders(tx, id, next.mailTo)
    tellReport(tx, 'changed', id, next.name)
    return readReport(tx, id)
  })
}

/** Deletes a report, which ends the links of its snapshots. Throws `not_found`, `stale_version`. */
export async function deleteReport(scope: Scope, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const { name } = await lockReport(tx, id, ifMatch)
    await tx.one(
      query`delete from report where workspace_id = ${tx.workspaceId} and id = ${id} returning id`,
      'not_found',
    )
    tellReport(tx, 'deleted', id, name)
  })
}
