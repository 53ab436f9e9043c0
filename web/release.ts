// Whether the server still has the release that this page is of.

const RELOADED = 'parley.reloaded'

/** The page as the server has it now; null where it does not answer. */
const fetchPage = () =>
  fetch('/app/', { cache: 'no-store' }).then(
    (answer) => (answer.ok ? answer.text() : null),
    () => null,
  )

/** Whether the server can be reached. */
export const serverAnswers = async () => (await fetchPage()) !== null

/** Loads the page again if the server answers; offline the page stays as it is. Answers whether it loads. */
export async function reloadPage(): Promise<boolean> {
  const answers = await serverAnswers()
  if (answers) location.reload()
  return answers
}

/** After a new release: once for each release that this tab meets. */
export async function reloadForRelease(): Promise<void> {
  const { pathname } = new URL(
    document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '',
    location.href,
  )
  const page = sessionStorage.getItem(RELOADED) === pathname ? null : await fetchPage()
  if (page === null || page.includes(pathname)) return
  sessionStorage.setItem(RELOADED, pathname)
  location.reload()
}
