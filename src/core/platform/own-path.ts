const BASE = 'http://own.invalid'

/** Turns any input into a path of our own app, so that a redirect never leads to another site. */
export function ownPath(path: string): string {
  if (!path.startsWith('/app')) return '/app'
  const url = new URL(path, BASE)
  return url.origin === BASE && /^\/app(\/|$)/.test(url.pathname) ? url.pathname + url.search : '/app'
}

/** The path with these parameters in its query. */
export function withQuery(path: string, params: Record<string, string>): string {
  const url = new URL(path, BASE)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return url.pathname + url.search
}
