import { isProblem } from '../../../client.ts'
import { askToStay } from '../../../stay.ts'
import { wait } from '../../../wait.ts'

const WIDTH = 4
const TRIES = 3

/** Retries while the service is overloaded, after the time that it asks for. */
export async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (tries === TRIES || !isProblem(error, 'rate_limited', 'unavailable')) throw error
      await wait((error.retryAfter ?? tries) * 1000)
    }
  }
}

/**
 * Runs `act` for each item, four at a time, and waits for all. `patient` retries while the service is overloaded. `act`
 * must handle its own errors. The page asks before it is closed meanwhile.
 */
export async function runPatiently<T>(items: readonly T[], act: (item: T, patient: typeof patiently) => Promise<void>) {
  const left = [...items]
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item, patiently)
  }
  await askToStay(() => Promise.all(Array.from({ length: WIDTH }, work)))
}
