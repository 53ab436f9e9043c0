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
