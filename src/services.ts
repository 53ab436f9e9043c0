import type { Config } from './core/config.ts'
import type { Networks } from './networks/network.ts'
import type { CallBudget } from './delivery/budget.ts'
import type { Precedence } from './delivery/precedence.ts'
import type { Clock } from './core/platform/clock.ts'
import type { Crypto } from './core/platform/crypto.ts'
import type { Events } from './core/platform/events.ts'
import type { Log } from './core/platform/log.ts'
import type { IdentityProvider } from './team/identity/openid.ts'
import type { Mail } from './core/platform/mail.ts'
import type { Model } from './core/platform/model/model.ts'
import type { Payments } from './core/platform/payments.ts'
import type { Sms } from './core/platform/sms.ts'
import type { Partials } from './core/platform/partials.ts'
import type { Storage } from './core/platform/storage.ts'
import type { Tokens } from './core/platform/tokens.ts'

/** The ways to the outside world and to secrets. Operations name those that they need: `Pick<Ports, 'networks'>`. */
export interface Ports {
  networks: Networks
  providers: readonly IdentityProvider[]
  budget: CallBudget
  precedence: Precedence
  storage: Storage
  /** Uploads that come in pieces. */
  partials: Partials
  crypto: Crypto
  mail: Mail
  model: Model
  payments: Payments
  sms: Sms
  tokens: Tokens
  settings: Settings
}

/** What operations may know of the configuration. */
export interface Settings {
  defaultPlan: string
  passwordMinLength: number
  /** KiB of memory that hashing a password takes. */
  passwordKib: number
  timeScale: number
  /** Tries that one network address has in a minute where a sign-in can be guessed. */
  triesPerAddress: number
  /** One-time codes that one network address has sent in an hour. */
  codesPerAddress: number
  /** What one person may ask of the model in a minute. */
  aiCallsPerMinute: number
  /** Whether networks are the real ones, not the sandbox's. */
  realNetworks: boolean
  /** Where people and networks reach this service, without a slash at the end; known once it listens. */
  publicUrl(): string
  /** Where what is served of files can be had by its key, without a slash at the end. */
  filesUrl(): string
  /** The address registered at a network for its consent page, when it is not the usual one. */
  callbackUrl(platform: string): string | undefined
  /** Whether networks can fetch files from `publicUrl`: over https, or because the networks are the sandbox's. */
  publicMedia(): boolean
  /** Whether this service answers at `publicUrl`, asked from here. */
  reachesItself(): Promise<boolean>
}

/** Everything that the process is made of. */
export interface Services extends Ports {
  config: Config
  clock: Clock
  events: Events
  log: Log
  /** Aborted when the grace of a stop is over: what still waits answers now. */
  stopping: AbortSignal
}
