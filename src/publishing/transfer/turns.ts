import { AppError } from '../../core/errors.ts'

export interface TurnLimits {
  /** The maximum number of tasks that run at once. */
  atOnce: number
  /** The maximum number of waiting tasks, in all and of one key. More are refused. */
  waiting: number
  waitingOfOne: number
  /** Seconds after which a refused caller may retry. */
  retryAfter: number
}

/**
 * Returns a function that runs tasks in order of arrival, at most `atOnce` together and one of each key. A task that
 * waits for its key does not block others. Throws `rate_limited` if too many wait.
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
      throw new AppError('rate_limited', 'Too many of these requests are waiting. Try again later.', { retryAfter })
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
