import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** A computation that can pause after each of its steps, which take a few milliseconds at most. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Milliseconds of computing after which other work gets a turn. */
const PIECE = 5

/** Makes a long computation in pieces, and gives other work a turn between them. */
export async function inPieces<T>(steps: Steps<T>): Promise<T> {
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() - since < PIECE) continue
    await yieldToOthers()
    since = performance.now()
  }
}
