import { readStored, writeStored } from './storage.ts'

// Detects whether the server still serves this page's release.

const RELOADED = 'parley.reloaded'

/** The page that the server serves now; null if it does not respond. */
const fetchPage = () =>
  fetch('/app/', { cache: 'no-store' }).then(
    (answer) => (answer.ok ? answer.text() : null),
    () => null,
  )

/** Whether the server can be reached. */
export const serverAnswers = async () => (await fetchPage()) !== null

/** Reloads the page if the server responds, and returns whether it does. Offline, the page stays as it is. */
export async function reloadPage(): Promise<boolean> {
  const answers = await serverAnswers()
  if (answers) location.reload()
  return answers
}

/** Reloads the page if the server has a new release, at most once per release and tab. */
export async function reloadForRelease(): Promise<void> {
  const { pathname } = new URL(
    document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '',
    location.href,
  )
  const page = readStored(RELOADED, 'sessionStorage') === pathname ? null : await fetchPage()
  if (page === null || page.includes(pathname)) return
  // Without storage, the reload might repeat forever.
  if (writeStored(RELOADED, pathname, 'sessionStorage')) location.reload()
}
