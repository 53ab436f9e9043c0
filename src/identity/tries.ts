import { type Limit, networkOf } from '../platform/limits.ts'
import type { Scope } from '../platform/scope.ts'
import type { Ports } from '../services.ts'

/** Tries at one account, or at what might be one: five in 15 minutes, after which a stranger has not locked anybody out. */
export const perAccount = (what: string, whose: string): Limit => ({
  key: `${what}:${whose}`,
  tries: 5,
  seconds: 15 * 60,
})

/** The network address that a request comes from. */
export const addressOf = ({ actor }: Pick<Scope, 'actor'>) => networkOf(actor.kind === 'system' ? undefined : actor.ip)

/** Tries of one network address, wherever a sign-in can be guessed. */
export const perAddress = (scope: Pick<Scope, 'actor'>, { settings }: Pick<Ports, 'settings'>): Limit => ({
  key: `sign-in:${addressOf(scope)}`,
  tries: settings.triesPerAddress,
  seconds: 60,
})
