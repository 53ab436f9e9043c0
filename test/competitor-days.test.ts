import { expect, test } from 'vitest'
import { daysOf } from '../web/features/insights/competitors/days.ts'

test('a period has its number of days, also in the hour after midnight when the clocks have changed within it', () => {
  const now = new Date('2026-04-10T00:30:00+02:00')
  expect(daysOf(now, 28, 'Europe/Berlin')).toEqual({ from: '2026-03-14', to: '2026-04-11' })
  const winter = new Date('2026-11-10T23:30:00+01:00')
  expect(daysOf(winter, 28, 'Europe/Berlin')).toEqual({ from: '2026-10-14', to: '2026-11-11' })
})
