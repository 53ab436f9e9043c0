import type { Fault } from '../../core/errors.ts'
import { instantOf } from '../../publishing/scheduler/rules.ts'
import type { Span } from '../analytics/rules.ts'
import type { NewReport } from './api.ts'

// Which days a report is of, when its mail goes out, and whom it may name. Pure.

/**
 * The monthly mail goes out on this day: by then networks have told the last day of the month before. They may still correct its
 * last days, and the mail says which.
 */
const MAIL_DAY = '03'
/** From this time on, in the zone of the workspace. */
const MAIL_TIME = '08:00'
/** And from this one on by UTC: the days of accounts are read an hour earlier. */
const READ_BY = '10:00'

/** When the mail of a day goes out. */
export const mailTime = (mailOn: string, timezone: string): Date =>
  new Date(Math.max(instantOf(`${mailOn}T${MAIL_TIME}`, timezone).getTime(), Date.parse(`${mailOn}T${READ_BY}Z`)))

/** The first day of a month, so many months after that of a day. */
function firstOfMonth(day: string, months = 0): string {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10)
}

/** The calendar month before that of a day. */
export const monthBefore = (day: string): Span => ({ from: firstOfMonth(day, -1), to: firstOfMonth(day) })

const mailDayIn = (day: string) => `${day.slice(0, 8)}${MAIL_DAY}`

/** The first day after `day` on which mail goes out about a later month than `mailed`, the last that was mailed. */
export function mailDayAfter(day: string, mailed: string | null): string {
  const mailedOn = mailed === null ? day : mailDayIn(firstOfMonth(mailed, 1))
  const last = mailedOn > day ? mailedOn : day
  const next = mailDayIn(last)
  return next > last ? next : mailDayIn(firstOfMonth(last, 1))
}

/** Whether somebody of this role may get a report by mail. A client sees only what is for clients. */
const mayRead = (role: string, { forClients }: Pick<NewReport, 'forClients'>) => role !== 'CLIENT' || forClients

/** What is wrong with the names in a report. `roles`: of the members that it names, by their ids. */
export function faultsOf(
  report: Pick<NewReport, 'sections' | 'range' | 'accountIds' | 'forClients' | 'mailTo'>,
  { accountIds, roles }: { accountIds: ReadonlySet<string>; roles: ReadonlyMap<string, string> },
): Fault[] {
  const { range, mailTo } = report
  const mailOfDays: Fault[] =
    mailTo.length > 0 && range !== 'last_month'
      ? [{ path: '/mailTo', code: 'needs_last_month', message: 'Only a report of the last month is mailed.' }]
      : []
  return [
    ...twice(report.sections, '/sections'),
    ...twice(report.accountIds, '/accountIds'),
    ...twice(mailTo, '/mailTo'),
    ...mailOfDays,
    ...report.accountIds.flatMap((id, index) =>
      accountIds.has(id)
        ? []
        : [{ path: `/accountIds/${index}`, code: 'unknown_id', message: 'There is no such account.' }],
    ),
    ...mailTo.flatMap((id, index) => {
      const path = `/mailTo/${index}`
      const role = roles.get(id)
      if (role === undefined) return [{ path, code: 'unknown_id', message: 'There is no such member.' }]
      return mayRead(role, report)
        ? []
        : [{ path, code: 'not_for_clients', message: 'A client gets only reports that are for clients.' }]
    }),
  ]
}

const twice = (values: readonly string[], path: string): Fault[] =>
  values.flatMap((value, index) =>
    values.indexOf(value) < index
      ? [{ path: `${path}/${index}`, code: 'duplicate', message: 'It is named twice.' }]
      : [],
  )
