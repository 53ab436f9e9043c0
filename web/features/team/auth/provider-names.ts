import type { ProviderName } from '../../../../src/team/identity/api.ts'

/** The names of the identity providers. Nothing else in the app defines them. */
export const PROVIDERS: Record<ProviderName, { name: string; letter: string }> = {
  IDP_A: { name: 'Google', letter: 'A' },
  IDP_B: { name: 'Microsoft', letter: 'B' },
}

export const isProvider = (name: string): name is ProviderName => name in PROVIDERS
