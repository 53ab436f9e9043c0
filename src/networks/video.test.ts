import { describe, expect, test } from 'vitest'
import { parseJson, piecesOf } from './video.ts'

const MB = 1_000_000

describe('the pieces of an upload', () => {
  test.each([1, 5 * MB, 64 * MB, 64 * MB + 1, 100 * MB, 123_456_789, 4_000 * MB])(
    'of %i bytes are all of it, in order, within the bounds',
    (size) => {
      const pieces = piecesOf(size)
      expect(pieces[0]?.from).toBe(0)
      expect(pieces.at(-1)?.to).toBe(size)
      for (const [i, piece] of pieces.entries()) {
        if (i > 0) expect(piece.from).toBe(pieces[i - 1]?.to)
        if (pieces.length === 1) continue
        const last = i === pieces.length - 1
        expect(piece.to - piece.from).toBeGreaterThanOrEqual(5 * MB)
        expect(piece.to - piece.from).toBeLessThanOrEqual(last ? 128 * MB : 64 * MB)
      }
      expect(pieces.length).toBeLessThanOrEqual(1000)
      // The network counts the pieces itself, by the size of the first.
      const first = pieces[0] as { from: number; to: number }
      expect(pieces.length).toBe(Math.max(1, Math.floor(size / (first.to - first.from))))
    },
  )
})

test('an id that is longer than a number of this language keeps its digits; texts and short numbers stay as they are', () => {
  expect(parseJson('{"ids":[7123456789012345678,-7123456789012345678],"n":12,"t":"7123456789012345678,"}')).toEqual({
    ids: ['7123456789012345678', '-7123456789012345678'],
    n: 12,
    t: '7123456789012345678,',
  })
  expect(parseJson('no json')).toBeUndefined()
})
