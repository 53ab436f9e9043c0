/** The page that a person wanted before they were asked to sign in: a path of this app. */
export interface WantedPage {
  to?: string
}

/** Reads the wanted page from the search of an address. Anything but a path of this app is left out. */
export const readWanted = ({ to }: Record<string, unknown>): WantedPage =>
  typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {}

/** The page for a new account: the wanted one, unless it is in a workspace, which a new account cannot open. */
export const wantedByNew = (to: string | undefined) => (to && !/^\/w\//.test(to) ? to : undefined)
