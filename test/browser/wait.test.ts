import { expect, test } from 'vitest'
import { wait, waitOrOnline } from '../../web/wait.ts'

/** Longer than a test may take. */
const EVER = 1_000_000

test('waiting for a signal that is already aborted ends at once', async () => {
  const signal = AbortSignal.abort(new Error('stopped'))
  await expect(wait(EVER, signal)).rejects.toThrow('stopped')
  await waitOrOnline(EVER, signal)
})

test('waiting ends when the signal aborts, and leaves no listener if it does not', async () => {
  const stop = new AbortController()
  let listeners = 0
  const { addEventListener: add, removeEventListener: remove } = stop.signal
  stop.signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1
    return add.apply(stop.signal, args)
  }
  stop.signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1
    return remove.apply(stop.signal, args)
  }
  await wait(1, stop.signal)
  expect(listeners).toBe(0)
  const waiting = wait(EVER, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
})
