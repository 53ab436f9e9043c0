import { expect, test } from 'vitest'
import { readClock } from '../../web/ui/clock.ts'

test.each([
  ['9', '09:00'],
  ['09:05', '09:05'],
  ['9.30', '09:30'],
  ['930', '09:30'],
  ['21 h 15', '21:15'],
  ['21h15', '21:15'],
  ['9pm', '21:00'],
  ['9:30 PM', '21:30'],
  ['9:30\u202fp.m.', '21:30'],
  ['12 am', '00:00'],
  ['12:15 pm', '12:15'],
  ['٩:٣٠ م', '21:30'],
  ['٧ ص', '07:00'],
  ['24:00', null],
  ['9:60', null],
  ['13 pm', null],
  ['0 am', null],
  ['9 x', null],
  ['tomorrow', null],
  ['', null],
])('%j is read as %j', (typed, clock) => {
  expect(readClock(typed)).toBe(clock)
})
