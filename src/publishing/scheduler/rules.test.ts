import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { sized } from '../../../test/tier.ts'
import type { Slot } from './api.ts'
import { type Day, freeOf, instantsOf, occurrences, wallTime } from './rules.ts'

const slot = (day: Day, time: string, accounts: string[] | null = null): Slot => ({ day, time, accounts })
const walls = (zone: string, slots: Slot[], from: string, to: string) =>
  occurrences(slots, zone, new Date(from), new Date(to)).map(({ at }) => wallTime(new Date(at), zone))

/** One year has each kind of clock change. */
const YEARS = sized([2026, 2026], [2024, 2027])

/** Yields each clock change of a zone in these years. */
function* changesOf(zone: string) {
  let at: Temporal.ZonedDateTime | null = Temporal.ZonedDateTime.from({
    year: YEARS[0]!,
    month: 1,
    day: 1,
    timeZone: zone,
  })
  while ((at = at.getTimeZoneTransition('next')) && at.year <= YEARS.at(-1)!) yield at
}

const byTemporal = (wall: string, zone: string) => {
  const plain = Temporal.PlainDateTime.from(wall)
  const [earlier, later] = (['earlier', 'later'] as const).map((disambiguation) =>
    plain.toZonedDateTime(zone, { disambiguation }),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime]
  const same = earlier.epochMilliseconds === later.epochMilliseconds
  const exists = earlier.toPlainDateTime().equals(plain)
  return {
    at: (exists ? (same ? [earlier] : [earlier, later]) : []).map(({ epochMilliseconds }) => epochMilliseconds),
    around: exists ? null : [earlier.epochMilliseconds, later.epochMilliseconds],
  }
}

const ours = (wall: string, zone: string) => {
  const { at, around } = instantsOf(wall, zone)
  return {
    at: at.map((one) => one.getTime()),
    around: at.length === 0 ? [around.earlier.getTime(), around.later.getTime()] : null,
  }
}

describe('wall times', () => {
  test('match Temporal around every clock change of every zone', () => {
    let changes = 0
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      for (const change of changesOf(zone)) {
        changes++
        for (const minutes of [-181, -90, -60, -31, -30, -1, 0, 1, 29, 30, 59, 60, 90, 181]) {
          const wall = change.toPlainDateTime().add({ minutes }).toString().slice(0, 16)
          expect([zone, wall, ours(wall, zone)]).toEqual([zone, wall, byTemporal(wall, zone)])
        }
      }
    }
    expect(changes).toBeGreaterThan(sized(100, 300))
  })

  test('match Temporal at any minute from 2024 to 2027', () => {
    const minute = fc.integer({ min: Date.UTC(2024, 0) / 60_000, max: Date.UTC(2028, 0) / 60_000 })
    const zone = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Asia/Kathmandu',
    )
    fc.assert(
      fc.property(minute, zone, (at, where) => {
        const wall = new Date(at * 60_000).toISOString().slice(0, 16)
        expect(ours(wall, where)).toEqual(byTemporal(wall, where))
      }),
    )
  })
})

describe('slots', () => {
  test('occur on their weekdays by the clock of the zone, in order', () => {
    const slots = [slot('monday', '09:00'), slot('sunday', '20:15'), slot('monday', '07:30')]
    expect(walls('Europe/Berlin', slots, '2026-11-20T00:00Z', '2026-11-29T00:00Z')).toEqual([
      '2026-11-22T20:15',
      '2026-11-23T07:30',
      '2026-11-23T09:00',
    ])
  })

  test('keep their wall time when the clocks change', () => {
    const [before, after] = occurrences(
      [slot('friday', '09:00')],
      'Europe/Berlin',
      new Date('2026-10-20T00:00Z'),
      new Date('2026-11-01T00:00Z'),
    )
    expect([before?.at, after?.at]).toEqual(['2026-10-23T07:00:00.000Z', '2026-10-30T08:00:00.000Z'])
  })

  test('that the clocks skip occur later by the gap; those that the clocks repeat occur once', () => {
    const slots = [slot('sunday', '02:30')]
    expect(walls('Europe/Berlin', slots, '2027-03-27T12:00Z', '2027-03-29T00:00Z')).toEqual(['2027-03-28T03:30'])
    const back = occurrences(slots, 'Europe/Berlin', new Date('2026-10-24T12:00Z'), new Date('2026-10-26T00:00Z'))
    expect(back.map(({ at }) => at)).toEqual(['2026-10-25T00:30:00.000Z'])
  })

  test('that a clock change moves to the same time are one slot', () => {
    const slots = [slot('sunday', '02:30'), slot('sunday', '03:30')]
    expect(walls('Europe/Berlin', slots, '2027-03-27T12:00Z', '2027-03-29T00:00Z')).toEqual(['2027-03-28T03:30'])
  })

  test('of a day that a zone skips occur a day later', () => {
    expect(walls('Pacific/Apia', [slot('friday', '09:00')], '2011-12-29T12:00Z', '2012-01-01T00:00Z')).toEqual([
      '2011-12-31T09:00',
    ])
  })

  test('are taken by a post at their time; slots for some accounts only by a post to one of them', () => {
    const at = '2026-11-23T08:00:00.000Z'
    const free = (accounts: string[] | null, posted: string[]) =>
      freeOf([{ at, accounts }], [{ at: new Date('2026-11-23T08:00:20Z'), accounts: posted }]).length === 1
    expect([free(null, ['a']), free(null, []), free(['a'], ['a', 'b']), free(['a'], ['b'])]).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  test('fit a post if they are for all of its accounts', () => {
    const of = (accounts: string[] | null, targets: string[]) =>
      freeOf([{ at: '2026-11-23T08:00:00.000Z', accounts }], [], targets).length === 1
    expect([of(null, ['a']), of(null, []), of(['a', 'b'], ['a']), of(['a'], ['a', 'b']), of(['a'], [])]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })
})
