import { AppError } from '../../core/errors.ts'

export interface TaskLimits {
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
export function createTaskQueue({ atOnce, waiting, waitingOfOne, retryAfter }: TaskLimits) {
  const working = new Set<string>()
  const queue: { key: string; begin: () => void }[] = []

  function next(): void {
    if (working.size >= atOnce) return
    const index = queue.findIndex(({ key }) => !working.has(key))
    const [task] = index < 0 ? [] : queue.splice(index, 1)
    if (!task) return
    working.add(task.key)
    task.begin()
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
