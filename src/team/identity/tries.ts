import { type Limit, networkOf, providerBlockOf } from '../../core/platform/limits.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'

/** Tries per account, or per address that might be one: five in 15 minutes. */
export const perAccount = (what: string, whose: string): Limit => ({
  key: `${what}:${whose}`,
  tries: 5,
  seconds: 15 * 60,
})

/** The network address of a request. */
export const addressOf = ({ actor }: Pick<Scope, 'actor'>) => networkOf(actor.kind === 'system' ? undefined : actor.ip)

/**
 * The person or network responsible for a request, since strangers may name somebody else's address: the signed-in
 * person, otherwise the network.
 */
export const doerOf = ({ actor }: Pick<Scope, 'actor'>, userId: string | null = null) =>
  userId ?? providerBlockOf(actor.kind === 'system' ? undefined : actor.ip)

/** Tries per network address, wherever a sign-in can be guessed. */
export const perAddress = (scope: Pick<Scope, 'actor'>, { settings }: Pick<Ports, 'settings'>): Limit => ({
  key: `sign-in:${addressOf(scope)}`,
  tries: settings.triesPerAddress,
  seconds: 60,
})

/** Accounts that one network address may request, whatever the outcome: each costs a hash, a workspace and a letter. */
export const newAccounts = (scope: Pick<Scope, 'actor'>, { settings }: Pick<Ports, 'settings'>): Limit => ({
  key: `accounts from ${addressOf(scope)}`,
  tries: settings.triesPerAddress,
  seconds: 60,
})
