// Parts of the app that are fetched when they are first needed: offline, or after a new release, they may not be there.

const MISSING = 'PartMissing'

/** Whether a part of the app could not be fetched. */
export const isPartMissing = (error: unknown) => error instanceof Error && error.name === MISSING

/** Fetched at the start, because nothing can be fetched when it is needed. */
let release: Promise<typeof import('./release.ts')>

/** Loads the page again if the server answers; offline the page stays as it is. Answers whether it loads. */
export const reloadPage = async () => (await release).reloadPage()

/** Whether the server can be reached. */
export const serverAnswers = async () => (await release).serverAnswers()

/**
 * Names the error of a part that could not be fetched, so that the screen shows it with a retry. The router knows such errors
 * by their message and would load the whole page again: offline the browser would then show its own error page.
 */
export function watchParts(): void {
  release = import('./release.ts')
  addEventListener('vite:preloadError', ({ payload }) => {
    Object.assign(payload, { name: MISSING, message: 'A part of the app could not be fetched.' })
    void release.then((known) => known.reloadForRelease())
  })
}
