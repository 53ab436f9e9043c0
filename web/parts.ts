// Lazily loaded parts of the app. They may be unavailable offline or after a new release.

const MISSING = 'PartMissing'

/** Whether an error means that a part of the app could not be loaded. */
export const isPartMissing = (error: unknown) => error instanceof Error && error.name === MISSING

/** Loaded at startup, because it is needed when nothing else can be loaded. */
let release: Promise<typeof import('./release.ts')>

/** Reloads the page if the server responds, and returns whether it does. Offline, the page stays as it is. */
export const reloadPage = async () => (await release).reloadPage()

/** Whether the server can be reached. */
export const serverAnswers = async () => (await release).serverAnswers()

/**
 * Renames the error of a part that failed to load, so that the screen shows it with a retry. The router recognises such
 * errors by their message and would reload the whole page, which offline shows the browser's own error page.
 */
export function watchParts(): void {
  release = import('./release.ts')
  addEventListener('vite:preloadError', ({ payload }) => {
    Object.assign(payload, { name: MISSING, message: 'A part of the app could not be fetched.' })
    void release.then((known) => known.reloadForRelease())
  })
}
