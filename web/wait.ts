/** Waits for `ms` milliseconds. Rejects with the reason of the signal once it aborts. */
export const wait = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })

/** Waits for `ms` milliseconds, or until the browser is online again or the signal aborts. */
export const waitOrOnline = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
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
