import { expect, test } from 'vitest'
import { turnsDuring } from '../../../test/turns.ts'
import { inPieces, type Steps } from './pieces.ts'

test('other work gets turns during a long computation', async () => {
  function* long(): Steps<string> {
    for (let step = 0; step < 20; step += 1) {
      const began = performance.now()
      while (performance.now() - began < 2);
      yield
    }
    return 'done'
  }
  const turns = await turnsDuring(async () => expect(await inPieces(long())).toBe('done'))
  expect(turns).toBeGreaterThanOrEqual(5)
})
