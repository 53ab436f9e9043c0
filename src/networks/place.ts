import type { Config } from '../core/config.ts'

/**
 * The addresses of a network: its own, the sandbox's, or the real ones. The browser goes to `address`, the server to `inside`.
 */
export type Places = (own: string | undefined, path: string, real: string, from?: 'address' | 'inside') => string

export const placesOf =
  ({ sandbox }: Config, at: () => { address: string; inside: string }): Places =>
  (own, path, real, from = 'inside') =>
    own ?? (sandbox ? `${at()[from]}/sandbox/${path}` : real)
