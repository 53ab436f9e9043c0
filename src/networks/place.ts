import type { Config } from '../core/config.ts'

/**
 * Returns the address of a network: its own setting, the sandbox's, or the real one. Browsers use `address`, the server
 * uses `inside`.
 */
export type Places = (own: string | undefined, path: string, real: string, from?: 'address' | 'inside') => string

export const placesOf =
  ({ sandbox }: Config, at: () => { address: string; inside: string }): Places =>
  (own, path, real, from = 'inside') =>
    own ?? (sandbox ? `${at()[from]}/sandbox/${path}` : real)

/**
 * Returns the address for the bytes of a file. A network names one for each upload. A base address of the operator
 * replaces its host, and comes before its path unless the path already begins with it.
 */
export function uploadAddress(named: string, own: string | undefined): string {
  if (!own) return named
  const { pathname, search } = new URL(named)
  const { origin, pathname: base } = new URL(own)
  const prefix = base === '/' ? '' : base
  return `${origin}${pathname.startsWith(`${prefix}/`) ? '' : prefix}${pathname}${search}`
}
