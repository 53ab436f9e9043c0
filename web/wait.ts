/** Waits for `ms` milliseconds. Rejects with the reason of the signal once it aborts. */
export const wait = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })

/** Waits for `ms` milliseconds, or until the browser is online again or the signal aborts. */
export const waitOrOnline = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const stop = new AbortController()
    const over = () => {
      clearTimeout(timer)
      stop.abort()
      resolve()
    }
    const timer = setTimeout(over, ms)
    addEventListener('online', over, { signal: stop.signal })
    signal.addEventListener('abort', over, { signal: stop.signal })
  })
