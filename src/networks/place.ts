import type { Config } from '../core/config.ts'

/** Where a network is reached: at an address of its own, in the sandbox, or for real. The browser goes to `address`, we to `inside`. */
export type Places = (own: string | undefined, path: string, real: string, from?: 'address' | 'inside') => string

export const placesOf =
  ({ sandbox }: Config, at: () => { address: string; inside: string }): Places =>
  (own, path, real, from = 'inside') =>
    own ?? (sandbox ? `${at()[from]}/sandbox/${path}` : real)
