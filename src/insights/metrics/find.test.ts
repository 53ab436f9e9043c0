import { expect, test } from 'vitest'
import type { NetworkError } from '../../networks/network.ts'
import { type Ending, worseOf } from './find.ts'

test('an error of the search or of the days counts before an unfinished turn, and that before a finished one', () => {
  const ok: Ending = { ok: true }
  const unfinished: Ending = { at: null }
  const [first, second] = [{ error: {} as NetworkError }, { error: {} as NetworkError }]
  expect(worseOf(ok, second)).toBe(second)
  expect(worseOf(unfinished, second)).toBe(second)
  expect(worseOf(first, second)).toBe(first)
  expect(worseOf(first, unfinished)).toBe(first)
  expect(worseOf(unfinished, ok)).toBe(unfinished)
  expect(worseOf(ok, unfinished)).toBe(unfinished)
})
