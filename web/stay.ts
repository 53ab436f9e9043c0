/** Asks before the page is closed or reloaded while `work` runs, because the work ends with its page. */
export async function askToStay<T>(work: () => Promise<T>): Promise<T> {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', ask)
  try {
    return await work()
  } finally {
    removeEventListener('beforeunload', ask)
  }
}
