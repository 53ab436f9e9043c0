interface Waiting<Ask, Answer> {
  ask: Ask
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Turns an operation on many items into one on a single item. Calls that arrive while `atOnce` answers are pending
 * share the next batch, up to `most` calls, in call order. `answer` returns one answer for each call, in the same
 * order; if it throws, every call of the batch rejects. `gatherFor`: milliseconds that a call waits for others when no
 * answer is pending.
 */
export function inBatches<Ask, Answer>(
  answer: (asks: Ask[]) => Promise<Answer[]>,
  { most = 100, atOnce = 1, gatherFor = 0 }: { most?: number; atOnce?: number; gatherFor?: number } = {},
): (ask: Ask) => Promise<Answer> {
  let waiting: Waiting<Ask, Answer>[] = []
  let working = 0
  let isAboutTo = false

  async function work(): Promise<void> {
    working += 1
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most)
      waiting = waiting.slice(most)
      try {
        const answers = await answer(batch.map((each) => each.ask))
        for (const [i, each] of batch.entries()) each.resolve(answers[i] as Answer)
      } catch (error) {
        for (const each of batch) each.reject(error)
      }
    }
    working -= 1
  }

  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject })
      if (isAboutTo || working >= atOnce) return
      isAboutTo = true
      const begin = () => {
        isAboutTo = false
        void work()
      }
      if (gatherFor > 0) setTimeout(begin, gatherFor)
      else queueMicrotask(begin)
    })
}
