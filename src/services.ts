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

/** The ways to the outside world and to secrets. Operations name the ones that they need: `Pick<Ports, 'networks'>`. */
export interface Ports {
  networks: Networks
  providers: readonly IdentityProvider[]
  budget: CallBudget
  precedence: Precedence
  storage: Storage
  /** Uploads that arrive in pieces. */
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
  /** KiB of memory for hashing a password. */
  passwordKib: number
  timeScale: number
  /** Failed tries per minute from one network address, where a sign-in could be guessed. */
  triesPerAddress: number
  /** One-time codes per hour that one network address may request. */
  codesPerAddress: number
  /** Calls to the model per minute and person. */
  aiCallsPerMinute: number
  /** Messages of customers that the model classifies per minute and workspace. */
  classificationsPerMinute: number
  /** Whether the networks let people write under the tag HUMAN_AGENT, after the ordinary window of a customer. */
  humanAgent: boolean
  /** Whether the networks are the real ones, not those of the sandbox. */
  realNetworks: boolean
  /** Where people and networks reach this service, without a trailing slash. Known once the service listens. */
  publicUrl(): string
  /** The base address for served files, followed by their keys, without a trailing slash. */
  filesUrl(): string
  /** The address registered at a network for its consent page, if it is not the usual one. */
  callbackUrl(platform: string): string | undefined
  /**
   * Whether networks can fetch files from this service: over https, or because the networks are those of the sandbox.
   */
  publicMedia(): boolean
  /** Whether this service answers at `publicUrl`, tested from here. */
  reachesItself(): Promise<boolean>
}

/** All parts of the process. */
export interface Services extends Ports {
  config: Config
  clock: Clock
  events: Events
  log: Log
  /** Aborted when the grace of a stop has passed, so that waiting requests answer now. */
  stopping: AbortSignal
}
