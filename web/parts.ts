// Parts of the app that are fetched when they are first needed: offline, or after a new release, they may not be there.

const MISSING = 'PartMissing'

/** Whether a part of the app could not be fetched: it stays missing until the page is loaded again. */
export const isPartMissing = (error: unknown) => error instanceof Error && error.name === MISSING

const RELOADED = 'parley.reloaded'
const entry = () => document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? ''

/** Whether the server can be reached, and serves the release that this page is of. */
async function served(): Promise<'same' | 'newer' | 'unreachable'> {
  try {
    const answer = await fetch('/app/', { cache: 'no-store' })
    if (!answer.ok) return 'unreachable'
    return (await answer.text()).includes(new URL(entry()).pathname) ? 'same' : 'newer'
  } catch {
    return 'unreachable'
  }
}

/** Loads the page again if the server answers; offline the page stays as it is. Answers whether it loads. */
export async function reloadPage(): Promise<boolean> {
  if ((await served()) === 'unreachable') return false
  location.reload()
  return true
}

/** After a new release: once for each release that this tab meets. */
async function reloadForRelease(): Promise<void> {
  if (sessionStorage.getItem(RELOADED) === entry()) return
  if ((await served()) !== 'newer') return
  sessionStorage.setItem(RELOADED, entry())
  location.reload()
}

/**
 * Names the error of a part that could not be fetched, so that the screen shows it with a retry. The router knows such errors
 * by their message and would load the whole page again: offline the browser would then show its own error page.
 */
export function watchParts(): void {
  addEventListener('vite:preloadError', ({ payload }) => {
    Object.assign(payload, { name: MISSING, message: 'A part of the app could not be fetched.' })
    void reloadForRelease()
  })
}
