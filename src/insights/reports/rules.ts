import type { Fault } from '../../core/errors.ts'
import { instantOf } from '../../publishing/scheduler/rules.ts'
import type { Span } from '../analytics/rules.ts'
import type { NewReport } from './api.ts'

// Which days a report covers, when its mail is sent, and whom it may name. Pure.

/**
 * The day on which the monthly mail is sent. By then networks have reported the last day of the previous month. They
 * may still correct its last days, and the mail says which.
 */
const MAIL_DAY = '03'
/** The earliest time in the time zone of the workspace. */
const MAIL_TIME = '08:00'
/** The earliest time in UTC. The days of accounts are read an hour earlier. */
const READ_BY = '10:00'

/** Returns when the mail of a day is sent. */
export const mailTime = (mailOn: string, timezone: string): Date =>
  new Date(Math.max(instantOf(`${mailOn}T${MAIL_TIME}`, timezone).getTime(), Date.parse(`${mailOn}T${READ_BY}Z`)))

/** Returns the first day of the month that is `months` after the month of `day`. */
function firstOfMonth(day: string, months = 0): string {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10)
}

/** Returns the calendar month before the month of a day. */
export const monthBefore = (day: string): Span => ({ from: firstOfMonth(day, -1), to: firstOfMonth(day) })

const mailDayIn = (day: string) => `${day.slice(0, 8)}${MAIL_DAY}`

/**
 * Returns the first day after `day` on which mail is sent about a month later than `mailed`, the last one that was
 * mailed.
 */
export function mailDayAfter(day: string, mailed: string | null): string {
  const mailedOn = mailed === null ? day : mailDayIn(firstOfMonth(mailed, 1))
  const last = mailedOn > day ? mailedOn : day
  const next = mailDayIn(last)
  return next > last ? next : mailDayIn(firstOfMonth(last, 1))
}

/** Whether a member with this role may get a report by mail. A client sees only reports for clients. */
const mayRead = (role: string, { forClients }: Pick<NewReport, 'forClients'>) => role !== 'CLIENT' || forClients

/**
 * Returns what is wrong with a report. `accountIds` are the known ones among its accounts, and `roles` has the roles of
 * the members among its readers, or is null if a change does not concern them: a reader whose role changed since gets no
 * mail.
 */
export function faultsOf(
  report: Pick<NewReport, 'sections' | 'range' | 'accountIds' | 'forClients' | 'mailTo'>,
  { accountIds, roles }: { accountIds: ReadonlySet<string>; roles: ReadonlyMap<string, string> | null },
): Fault[] {
  const { range, mailTo } = report
  const mailOfDays: Fault[] =
    mailTo.length > 0 && range !== 'last_month'
      ? [{ path: '/mailTo', code: 'needs_last_month', message: 'Only reports for last month can be emailed.' }]
      : []
  return [
    ...twice(report.sections, '/sections'),
    ...twice(report.accountIds, '/accountIds'),
    ...twice(mailTo, '/mailTo'),
    ...mailOfDays,
    ...report.accountIds.flatMap((id, index) =>
      accountIds.has(id)
        ? []
        : [{ path: `/accountIds/${index}`, code: 'unknown_id', message: 'No account has this ID.' }],
    ),
    ...(roles === null ? [] : mailTo).flatMap((id, index) => {
      const path = `/mailTo/${index}`
      const role = roles?.get(id)
      if (role === undefined) return [{ path, code: 'unknown_id', message: 'No member has this ID.' }]
      return mayRead(role, report)
        ? []
        : [{ path, code: 'not_for_clients', message: 'A CLIENT can only get reports that are for clients.' }]
    }),
  ]
}

const twice = (values: readonly string[], path: string): Fault[] =>
  values.flatMap((value, index) =>
    values.indexOf(value) < index
      ? [{ path: `${path}/${index}`, code: 'duplicate', message: 'This is listed twice. Remove one.' }]
      : [],
  )
