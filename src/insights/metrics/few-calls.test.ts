import { expect, test } from 'vitest'
import { pacificDays } from '../../networks/graph/account.ts'
import { addDays } from '../../publishing/scheduler/rules.ts'
import { HOUR, useFigures } from '../../../test/figures.ts'

const { sql, pass, sync, connected, atNine, daysOf, now, calls } = useFigures(6300, { NETWORK_CALLS_PER_HOUR: '40' })

test('with few calls an hour an account still gets its last days, but no earlier ones', async () => {
  const photo = await connected('NET_PHOTO')
  // Connecting used calls of this hour, and nine o’clock may be only minutes away.
  await pass(HOUR)
  await atNine()
  // The list of posts has used calls of this hour.
  await sync(photo)
  await pass(HOUR)
  await sql.query('delete from network_call')
  await sync(photo)
  expect(await calls(photo)).toBeLessThanOrEqual(16)
  const today = pacificDays.at(await now())
  const rows = await daysOf(photo)
  // One call returns 30 days.
  expect(rows[0]).toMatchObject({ day: addDays(today, -30), reach: expect.any(Number), impressions: null })
  const third = rows.find(({ day }) => day === addDays(today, -3))
  expect(third).toMatchObject({ reach: expect.any(Number), impressions: expect.any(Number) })
  const { rows: syncs } = await sql.query<{ error: string | null; gaps: { reason: string }[] }>(
    'select error, gaps from account_sync where account_id = $1',
    [photo.id],
  )
  expect(syncs[0]!.error).toBeNull()
  expect(new Set(syncs[0]!.gaps.map(({ reason }) => reason))).toEqual(new Set(['not_read']))
})
