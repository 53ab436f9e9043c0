import { expect, test } from 'vitest'
import { addDays } from '../../publishing/scheduler/rules.ts'
import { type AccountDays, compareTotals, daysOf, type DayValues, previousOf, readPeriod } from './rules.ts'

const span = { from: '2026-11-01', to: '2026-11-11' }
const before = previousOf(span)

/** An account without impressions, whose days were all alike. Its last days are missing. */
function account(missing: number): AccountDays {
  const like: DayValues = {
    impressions: null,
    reach: null,
    reach7: null,
    reach28: null,
    engagement: 10,
    followers: 100,
  }
  const end = addDays(span.to, -missing)
  const days = [...daysOf(before), ...daysOf(span)].filter((day) => day < end)
  return { accountId: 'a', platform: 'NET_VIDEO', isConnected: true, days: new Map(days.map((day) => [day, like])) }
}

test('a rate over followers does not change if only some days are unknown', () => {
  for (const missing of [0, 1, 2]) {
    const accounts = [account(missing)]
    const { change } = compareTotals(readPeriod(accounts, span), readPeriod(accounts, before))
    expect(change?.rate, `${missing}`).toBeCloseTo(0)
  }
})
