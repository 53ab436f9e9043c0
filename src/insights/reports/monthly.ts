import { uuidv7 } from 'uuidv7'
import type { CipherPlace } from '../../core/platform/crypto.ts'
import { query, sql } from '../../core/platform/db.ts'
import { MailRefusal } from '../../core/platform/mail.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { isInPlan } from '../../team/plans/plans.ts'
import { type Report, type ReportFigures, type ReportMail, USUAL_LINK } from './api.ts'
import { reportLetter } from './letters.ts'
import { BROKEN_OFF, getReport, readersOf, readReport, tellReport } from './reports.ts'
import { mailDayAfter, mailTime, monthBefore } from './rules.ts'
import { figure, keepSnapshot, linkOf } from './snapshots.ts'

// The monthly mail. On the 3rd a report gets a snapshot of the previous month, and each of its readers a mail with the
// link.

/** Whether the reports of a workspace `w` are mailed: it is not deleted, and its plan includes them. */
const isMailed = sql<boolean>`(w.deleted_at is null and ${isInPlan(sql`w.id`, 'analytics')})`

type MailPorts = Pick<Ports, 'settings' | 'crypto' | 'mail'>

/** Enqueues the mail of every report that is due. */
export async function sweepReports(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const due = await scopes.ask(
    'metrics',
    query<{
      workspaceId: string
      id: string
      mailOn: string
      timezone: string
    }>`select r.workspace_id, r.id, r.mail_on, w.timezone
      from report r join workspace w on w.id = r.workspace_id
      where ${isMailed} and r.mail_on <= (app_now() at time zone 'UTC')::date`,
  )
  for (const { workspaceId, id, mailOn, timezone } of due) {
    if (mailTime(mailOn, timezone) > scope.now()) continue
    await scopes
      .scope(workspaceId, scope.actor)
      .transaction(
        async (tx) => void tx.enqueue('report-monthly', { reportId: id, mailOn }, { key: `report:${id}:${mailOn}` }),
      )
  }
}

/**
 * Creates the snapshot of a month and the mails to its readers, once: the day of the next mail moves in the same
 * transaction, so a second run finds it moved. A report without readers gets no snapshot. If the mail of a later month is
 * due too, as after a time on a plan without reports, only the last one is sent.
 */
export async function mailReport(scope: Scope, ports: MailPorts, reportId: string, mailOn: string): Promise<void> {
  const [[open]] = await scope.read(query<{
    timezone: string
  }>`select w.timezone from report r join workspace w on w.id = r.workspace_id and ${isMailed}
    where r.workspace_id = ${scope.workspaceId} and r.id = ${reportId} and r.mail_on = ${mailOn}`)
  if (!open) return
  const month = monthBefore(mailOn)
  const next = mailDayAfter(mailOn, month.from)
  if (mailTime(next, open.timezone) <= scope.now()) {
    await scope.write(query`update report set mail_on = ${next}
      where workspace_id = ${scope.workspaceId} and id = ${reportId} and mail_on = ${mailOn}`)
    return mailReport(scope, ports, reportId, next)
  }
  const report = await getReport(scope, reportId)
  const figured = await figure(scope, ports, report, month)
  const isDone = await scope.transaction(async (tx) => {
    const [moved] = await tx.run(query`update report set mail_on = ${next}
      where workspace_id = ${tx.workspaceId} and id = ${reportId} and mail_on = ${mailOn} and version = ${report.version}
      returning id`)
    if (!moved) return false
    const readers = await tx.run(query<{
      userId: string
    }>`select d.user_id from report r cross join lateral ${readersOf()} d
      where r.workspace_id = ${tx.workspaceId} and r.id = ${reportId}`)
    if (readers.length === 0) return true
    const snapshotId = uuidv7()
    const token = await keepSnapshot(tx, report, figured, { id: snapshotId, days: USUAL_LINK, month: month.from })
    for (const { userId } of readers)
      await addMail(tx, ports, { reportId, month: month.from, userId, snapshotId, token })
    tellReport(tx, 'mailed', reportId, report.name)
    return true
  })
  // The day was moved, or someone changed the report while its figures were computed.
  if (!isDone) await mailReport(scope, ports, reportId, mailOn)
}

interface NewMail {
  reportId: string
  month: string
  userId: string
  snapshotId: string
  token: string
}

/** Adds a mail, at most one per member and month. */
async function addMail(tx: Tx, { crypto }: MailPorts, mail: NewMail): Promise<void> {
  const id = uuidv7()
  const sealed = crypto.seal(mail.token, placeOf(tx, id))
  const [added] =
    await tx.run(query`insert into report_mail (workspace_id, id, report_id, month, user_id, snapshot_id, sealed, state_at)
    values (${tx.workspaceId}, ${id}, ${mail.reportId}, ${mail.month}, ${mail.userId}, ${mail.snapshotId}, ${sealed}, ${tx.now})
    on conflict (workspace_id, report_id, month, user_id) do nothing returning id`)
  if (added) sendSoon(tx, id)
}

const placeOf = ({ workspaceId }: Pick<Scope, 'workspaceId'>, rowId: string): CipherPlace => ({
  table: 'report_mail',
  column: 'sealed',
  workspaceId,
  rowId,
})

const sendSoon = (tx: Tx, mailId: string, runAt?: Date) =>
  tx.enqueue('report-mail', { mailId }, { key: `report-mail:${mailId}`, ...(runAt && { runAt }) })

/** Whether the link to a snapshot `s` has ended. */
const isOver = sql<boolean>`(s.revoked_at is not null or s.ends_at <= app_now())`

/** A process's right to send a mail. */
interface Claim {
  mailId: string
  since: Date
}

interface Claimed {
  sealed: string
  isReader: boolean
  isOver: boolean
  address: string | null
  reader: { name: string; language: string }
  report: { workspace: string; name: string; note: string; from: string; to: string; figures: ReportFigures }
  endsAt: Date
  timezone: string
}

/**
 * Sends one monthly mail. The statement that claims it lets only one process send it at a time, and none once it is
 * sent. It also checks whether the reader may still get it, however late it is. A mail of a workspace that is deleted, or
 * whose plan no longer includes reports, waits until its link ends. Throws if the mail server did not accept it, so that
 * the queue tries again.
 */
export async function sendReportMail(scope: Scope, ports: MailPorts, mailId: string): Promise<void> {
  const claim: Claim = { mailId, since: scope.now() }
  const [mail] = await scope.write(query<Claimed>`update report_mail e
    set state = 'sending', error = null, detail = null, state_at = ${claim.since}
    from report_snapshot s, report r, app_user u, workspace w
    where w.id = e.workspace_id and (${isMailed} or ${isOver}) and e.workspace_id = ${scope.workspaceId} and e.id = ${mailId}
      and s.workspace_id = e.workspace_id and s.id = e.snapshot_id and r.workspace_id = e.workspace_id and r.id = e.report_id
      and u.id = e.user_id and e.state in ('waiting', 'failed')
    returning e.sealed, e.user_id in ${readersOf(sql`r.for_clients and s.for_clients`)} as is_reader,
      ${isOver} as is_over,
      case when u.email_confirmed_at is not null and u.disabled_at is null then u.email end as address,
      json_build_object('name', u.name, 'language', u.language) as reader,
      json_build_object('workspace', s.workspace_name, 'name', s.name, 'note', s.note, 'from', s.from_day, 'to', s.to_day,
        'figures', s.figures) as report, s.ends_at, s.timezone`)
  if (!mail) return waitForPlan(scope, mailId)
  const { address, reader, report, endsAt, timezone } = mail
  if (!mail.isReader) return endClaim(scope, claim, { error: 'not_a_reader' })
  if (mail.isOver) return endClaim(scope, claim, { error: 'link_ended' })
  if (!ports.mail.configured) return endClaim(scope, claim, { error: 'no_mail_server' })
  if (!address) return endClaim(scope, claim, { error: 'no_address' })
  const url = linkOf(ports.settings, ports.crypto.open(mail.sealed, placeOf(scope, mailId)))
  try {
    await ports.mail.send(mailId, address, reportLetter(reader, report, { url, endsAt, timezone }))
  } catch (error) {
    await endClaim(scope, claim, { error: 'not_taken', detail: error instanceof MailRefusal ? error.reason : null })
    throw error
  }
  await endClaim(scope, claim, { error: null })
}

/** How often a mail asks whether its workspace may send it again. */
const ASKED_AGAIN = 24 * 3_600_000

/** Enqueues a mail again that could not be claimed and is not sent. The plan may include reports again by now. */
const waitForPlan = (scope: Scope, mailId: string) =>
  scope.transaction(async (tx) => {
    const [waits] = await tx.run(query<{ isMailed: boolean }>`select ${isMailed} as is_mailed
      from report_mail e join workspace w on w.id = e.workspace_id
      where e.workspace_id = ${tx.workspaceId} and e.id = ${mailId} and e.state in ('waiting', 'failed')`)
    if (waits) sendSoon(tx, mailId, waits.isMailed ? undefined : new Date(tx.now.getTime() + ASKED_AGAIN))
  })

interface Outcome {
  /** Null means that it was sent. */
  error: ReportMail['error']
  detail?: string | null
}

/**
 * Ends a claim. If the process stalled, another one may have claimed the mail since, and then the mail belongs to that
 * claim.
 */
async function endClaim(scope: Scope, { mailId, since }: Claim, { error, detail = null }: Outcome): Promise<void> {
  const [ended] =
    await scope.write(query`update report_mail set state = case when ${error}::text is null then 'sent' else 'failed' end,
      error = ${error}, detail = ${detail}, sealed = case when ${error}::text is null then null else sealed end,
      state_at = ${scope.now()}
    where workspace_id = ${scope.workspaceId} and id = ${mailId} and state = 'sending' and state_at = ${since} returning id`)
  if (!ended) scope.log.warn({ mailId, error }, 'a mail of a report was taken over, or deleted, while it was sent')
}

/**
 * Resends the mails of the last month that failed, or that have waited for long, to readers who may still get them. A
 * mail whose link ended is not resent, because nothing renews the link.
 * Throws `not_found`.
 */
export async function resendReport(scope: Scope, reportId: string): Promise<Report> {
  return scope.transaction(async (tx) => {
    const { name } = await readReport(tx, reportId)
    const again = await tx.run(query<{ id: string }>`update report_mail e set state = 'waiting', state_at = ${tx.now}
      where e.workspace_id = ${tx.workspaceId} and e.report_id = ${reportId}
        and e.month = (select max(l.month) from report_mail l where l.workspace_id = e.workspace_id and l.report_id = e.report_id)
        and (e.state = 'failed' and e.error is distinct from 'link_ended'
          or e.state in ('waiting', 'sending') and e.state_at < ${tx.now}::timestamptz - ${BROKEN_OFF}::interval)
      returning e.id`)
    for (const { id } of again) sendSoon(tx, id)
    if (again.length > 0) tellReport(tx, 'sent_again', reportId, name)
    return readReport(tx, reportId)
  })
}
