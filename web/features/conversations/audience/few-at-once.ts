/** Runs tasks in the order given, at most `most` at a time. */
export function fewAtOnce(most: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running < most) running += 1
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await task()
    } finally {
      // The next task takes over this slot.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
