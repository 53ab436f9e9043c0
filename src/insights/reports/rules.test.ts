import { expect, test } from 'vitest'
import type { NewReport } from './api.ts'
import { faultsOf, mailDayAfter, mailTime, monthBefore } from './rules.ts'

test.each([
  ['2026-11-24', '2026-10-01', '2026-11-01'],
  ['2026-03-03', '2026-02-01', '2026-03-01'],
  ['2027-01-01', '2026-12-01', '2027-01-01'],
])('the month before %s is from %s to %s', (day, from, to) => {
  expect(monthBefore(day)).toEqual({ from, to })
})

test.each([
  ['2026-11-02', null, '2026-11-03'],
  ['2026-11-03', null, '2026-12-03'],
  ['2026-11-24', null, '2026-12-03'],
  ['2026-12-31', null, '2027-01-03'],
  ['2026-12-02', '2026-10-01', '2026-12-03'],
  // No month is mailed twice, even if the date goes back because the workspace changes its time zone.
  ['2026-11-02', '2026-10-01', '2026-12-03'],
  ['2027-01-02', '2026-12-01', '2027-02-03'],
])('after %s, with %s mailed, the next mail goes out on %s', (day, mailed, next) => {
  expect(mailDayAfter(day, mailed)).toBe(next)
})

test.each([
  ['Europe/Berlin', '2026-11-03T10:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-03T10:00:00.000Z'],
  ['America/New_York', '2026-11-03T13:00:00.000Z'],
  ['Pacific/Pago_Pago', '2026-11-03T19:00:00.000Z'],
])('in %s the mail is sent at 8 or later, after the readings of its day: %s', (zone, at) => {
  expect(mailTime('2026-11-03', zone).toISOString()).toBe(at)
})

const report: NewReport = {
  name: 'Monthly',
  sections: ['overview'],
  range: 'last_month',
  note: '',
  accountIds: ['a'],
  forClients: false,
  mailTo: ['ann'],
}
const known = {
  accountIds: new Set(['a']),
  roles: new Map([
    ['ann', 'VIEWER'],
    ['cleo', 'CLIENT'],
  ]),
}
const codes = (change: Partial<NewReport>) =>
  faultsOf({ ...report, ...change }, known).map(({ path, code }) => `${path} ${code}`)

test('a report names accounts and members of its workspace, each once, and only a report of the last month is mailed', () => {
  expect(codes({})).toEqual([])
  expect(codes({ accountIds: ['a', 'b'] })).toEqual(['/accountIds/1 unknown_id'])
  expect(codes({ mailTo: ['bob'] })).toEqual(['/mailTo/0 unknown_id'])
  expect(codes({ mailTo: ['cleo'] })).toEqual(['/mailTo/0 not_for_clients'])
  expect(codes({ mailTo: ['cleo'], forClients: true })).toEqual([])
  expect(codes({ sections: ['posts', 'posts'] })).toEqual(['/sections/1 duplicate'])
  expect(codes({ range: { from: '2026-01-01', to: '2026-02-01' } })).toEqual(['/mailTo needs_last_month'])
})
