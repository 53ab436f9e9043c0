import { AppError } from '../../core/errors.ts'

export interface TurnLimits {
  /** The most work at once. */
  atOnce: number
  /** The most work that waits, and the most of one key. More is refused. */
  waiting: number
  waitingOfOne: number
  /** Seconds after which what is refused may come again. */
  retryAfter: number
}

/**
 * Works on so much at once, one of each key, in order of arrival; one that waits for its key lets others pass. Throws
 * `rate_limited` where too much waits.
 */
export function createTurns({ atOnce, waiting, waitingOfOne, retryAfter }: TurnLimits) {
  const working = new Set<string>()
  const queue: { key: string; begin: () => void }[] = []

  function next(): void {
    if (working.size >= atOnce) return
    const index = queue.findIndex(({ key }) => !working.has(key))
    const [turn] = index < 0 ? [] : queue.splice(index, 1)
    if (!turn) return
    working.add(turn.key)
    turn.begin()
  }

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (queue.length >= waiting || queue.filter((each) => each.key === key).length >= waitingOfOne)
      throw new AppError('rate_limited', 'Others wait for the same already.', { retryAfter })
    await new Promise<void>((begin) => {
      queue.push({ key, begin })
      next()
    })
    try {
      return await work()
    } finally {
      working.delete(key)
      next()
    }
  }
}
