import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import * as z from 'zod'

// The only reader of the environment. All faults are reported at once.

const Text = z.string().trim().min(1)
const Database = Text.regex(/^postgres(ql)?:\/\/./, 'must be postgres://…')
const Url = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/(?<!\/)\/+$/, ''))
const Secret = z.string().refine((text) => Buffer.byteLength(text) >= 32, 'must have at least 32 bytes')
const Key = z.string().regex(/^[0-9a-f]{64}$/i, 'must be exactly 64 hexadecimal characters')
const Keys = Text.transform((text, context): string[] => {
  const keys = text.split(/[\s,]+/).filter(Boolean)
  if (!keys.every((key) => Key.safeParse(key).success))
    context.addIssue('must be keys of exactly 64 hexadecimal characters, separated by commas')
  return keys
})
const Scopes = Text.transform((text) => text.split(/[\s,]+/).filter(Boolean))
const Proxies = Text.transform((text, context): number | string[] => {
  if (text === 'true') return 1
  if (text === 'false') return 0
  if (/^\d$/.test(text)) return Number(text)
  const addresses = text.split(/[\s,]+/).filter(Boolean)
  if (!addresses.every(isNetwork)) context.addIssue('must be false, true, a number of proxies, or their addresses')
  return addresses
})

/** The minimum memory for argon2id with two passes that OWASP recommends, in KiB. */
const PASSWORD_KIB = 19_456

/**
 * The least calls per hour. With fewer, a carousel of ten videos or a renewal would never get the calls that it reserves.
 */
export const LEAST_CALLS_PER_HOUR = 40

const Environment = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: Text.default('127.0.0.1'),
  PUBLIC_URL: Url.optional(),
  DATA_DIR: Text.default('.data'),
  DATABASE_URL: Database.optional(),
  DATABASE_DIRECT_URL: Database.optional(),
  ROLE: z.enum(['all', 'api', 'worker']).default('all'),
  SANDBOX: z.enum(['on', 'off']).optional(),
  SANDBOX_TOKEN: Text.optional(),
  METRICS_TOKEN: Text.optional(),
  DEFAULT_PLAN: z.enum(['free', 'pro', 'business']).default('pro'),
  BILLING: z.enum(['open', 'managed']).optional(),
  PASSWORD_MIN_LENGTH: z.coerce.number().int().min(8).max(64).default(10),
  PASSWORD_KIB: z.coerce.number().int().min(64).max(1_048_576).default(PASSWORD_KIB),
  HUMAN_AGENT: z.enum(['on', 'off']).optional(),
  NETWORK_CALLS_PER_HOUR: z.coerce.number().int().min(LEAST_CALLS_PER_HOUR).max(100_000).default(200),
  REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(600),
  AI_CALLS_PER_MINUTE: z.coerce.number().int().min(1).default(20),
  CLASSIFICATIONS_PER_MINUTE: z.coerce.number().int().min(1).default(60),
  SIGN_IN_TRIES_PER_MINUTE: z.coerce.number().int().min(1).default(60),
  CODES_PER_HOUR: z.coerce.number().int().min(1).default(20),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  TRUST_PROXY: Proxies.default(0),
  TIME_SCALE: z.coerce.number().min(1).max(20).default(1),
  PRIVATE_LINKS: z.enum(['on', 'off']).default('off'),
  JWT_SECRET: Secret.optional(),
  JWT_REFRESH_SECRET: Secret.optional(),
  ENCRYPTION_KEY: Key.optional(),
  ENCRYPTION_KEY_PREVIOUS: Keys.default([]),
  IDP_A_CLIENT_ID: Text.optional(),
  IDP_A_CLIENT_SECRET: Text.optional(),
  IDP_A_ISSUER: Url.optional(),
  IDP_B_CLIENT_ID: Text.optional(),
  IDP_B_CLIENT_SECRET: Text.optional(),
  IDP_B_TENANT_ID: Text.optional(),
  IDP_B_ISSUER: Url.optional(),
  GRAPH_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/)
    .refine((text) => Number.parseInt(text.slice(1), 10) >= 19, 'must be v19.0 or later')
    .default('v25.0'),
  NET_PAGE_APP_ID: Text.optional(),
  NET_PAGE_APP_SECRET: Text.optional(),
  NET_PAGE_VERIFY_TOKEN: Text.optional(),
  NET_PAGE_GRAPH_URL: Url.optional(),
  NET_PAGE_DIALOG_URL: Url.optional(),
  NET_PAGE_VIDEO_URL: Url.optional(),
  NET_PAGE_UPLOAD_URL: Url.optional(),
  NET_PAGE_CALLBACK_URL: Url.optional(),
  NET_PAGE_SCOPES: Scopes.optional(),
  NET_PHOTO_CALLBACK_URL: Url.optional(),
  NET_PHOTO_SCOPES: Scopes.optional(),
  NET_VIDEO_CLIENT_KEY: Text.optional(),
  NET_VIDEO_CLIENT_SECRET: Text.optional(),
  NET_VIDEO_API_URL: Url.optional(),
  NET_VIDEO_AUTH_URL: Url.optional(),
  NET_VIDEO_UPLOAD_URL: Url.optional(),
  NET_VIDEO_CALLBACK_URL: Url.optional(),
  NET_VIDEO_SCOPES: Scopes.optional(),
  S3_ENDPOINT: Url.optional(),
  S3_REGION: Text.default('auto'),
  S3_BUCKET: Text.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket').optional(),
  S3_ACCESS_KEY_ID: Text.optional(),
  S3_SECRET_ACCESS_KEY: Text.optional(),
  S3_PUBLIC_URL: Url.optional(),
  AI_PROVIDER: z.enum(['openai-compatible', 'anthropic']).default('openai-compatible'),
  AI_BASE_URL: Url.optional(),
  AI_API_KEY: Text.optional(),
  AI_MODEL: Text.optional(),
  AI_IMAGE_MODEL: Text.optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be smtp://… or smtps://…' }).optional(),
  MAIL_FROM: Text.regex(
    /^[^\s@<>]+@[^\s@<>]+$|^[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>$/,
    'must be an address, or a name and <an address>',
  ).optional(),
  CONTACT_EMAIL: z.email().optional(),
  SMS_BASE_URL: Url.optional(),
  SMS_ACCOUNT_SID: Text.optional(),
  SMS_AUTH_TOKEN: Text.optional(),
  SMS_FROM: Text.regex(
    /^\+[1-9]\d{4,14}$|^MG[0-9a-f]{32}$/,
    'must be a number as +491701234567, or the SID of a messaging service',
  ).optional(),
})

/** Whether a text is an IP address or a network such as 10.0.0.0/8. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '1', ...more] = text.split('/')
  const most = isIP(address) === 6 ? 128 : 32
  return isIP(address) > 0 && /^[1-9]\d*$/.test(bits) && Number(bits) <= most && more.length === 0
}

const bucket = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

/** Settings of one account at a provider: all of a row are set, or none. */
const setTogether = [
  ['NET_PAGE_APP_ID', 'NET_PAGE_APP_SECRET'],
  ['NET_VIDEO_CLIENT_KEY', 'NET_VIDEO_CLIENT_SECRET'],
  ['IDP_A_CLIENT_ID', 'IDP_A_CLIENT_SECRET'],
  ['IDP_B_CLIENT_ID', 'IDP_B_CLIENT_SECRET', 'IDP_B_TENANT_ID'],
  bucket,
  ['SMS_ACCOUNT_SID', 'SMS_AUTH_TOKEN', 'SMS_FROM'],
] as const

/** The addresses that get tokens, codes, passwords or the secrets of our apps. */
const secretReceivers = [
  'PUBLIC_URL',
  'NET_PAGE_GRAPH_URL',
  'NET_PAGE_VIDEO_URL',
  'NET_PAGE_UPLOAD_URL',
  'NET_PAGE_DIALOG_URL',
  'NET_PAGE_CALLBACK_URL',
  'NET_PHOTO_CALLBACK_URL',
  'NET_VIDEO_API_URL',
  'NET_VIDEO_UPLOAD_URL',
  'NET_VIDEO_AUTH_URL',
  'NET_VIDEO_CALLBACK_URL',
  'SMS_BASE_URL',
] as const

const productionNeeds = ['JWT_SECRET', 'JWT_REFRESH_SECRET', 'ENCRYPTION_KEY'] as const

/** Machines generate secrets; people may choose tokens. */
const secrets = [...productionNeeds, 'ENCRYPTION_KEY_PREVIOUS'] as const
/** The secrets that a setting holds: previous keys are a list. */
const secretsIn = (name: (typeof secrets)[number], text = '') =>
  (name === 'ENCRYPTION_KEY_PREVIOUS' ? text.split(/[\s,]+/) : [text]).filter(Boolean)
const tokens = ['SANDBOX_TOKEN', 'METRICS_TOKEN', 'NET_PAGE_VERIFY_TOKEN'] as const
const TOKEN_LENGTH = 16
/** The minimum entropy of a secret, in bits per character. 64 random hexadecimal digits have 3.8 of 4 bits. */
const LEAST_BITS = 3
/** The minimum entropy of a token. Tokens are short, so characters repeat by chance. */
const LEAST_TOKEN_BITS = 2

/**
 * Whether a secret has few distinct characters, repeats a piece, follows the alphabet, or contains a placeholder word.
 */
function isPredictable(secret: string, leastBits: number): boolean {
  const points = Array.from(secret, (character) => character.charCodeAt(0))
  const near = points.filter((point, index) => index > 0 && Math.abs(point - points[index - 1]!) <= 1).length
  return (
    bitsOf(secret) < leastBits ||
    near > (secret.length * 3) / 4 ||
    isRepeated(secret) ||
    isRepeated(secret.slice(0, -1)) ||
    /change.?me|secret|password|example/i.test(secret)
  )
}

/** Whether a text is a shorter one, written at least twice. */
const isRepeated = (text: string): boolean => `${text}${text}`.indexOf(text, 1) < text.length

/** The Shannon entropy of a text's characters, in bits per character. */
function bitsOf(text: string): number {
  const shares = [...new Set(text)].map((character) => (text.split(character).length - 1) / text.length)
  return shares.reduce((sum, share) => sum - share * Math.log2(share), 0)
}

/** Whether a host name means this machine. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** Whether an address uses plain http and is not on this machine. */
function isPlainPublic(address: string): boolean {
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' }
  return protocol === 'http:' && !isLoopback(hostname)
}

interface IdpConfig {
  clientId: string | undefined
  clientSecret: string | undefined
  issuer: string | undefined
}

export interface S3Config {
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** The address that serves the files without this service, if any. */
  publicUrl: string | undefined
}

export interface Config {
  environment: 'development' | 'production' | 'test'
  port: number
  host: string
  /** As configured. Without it, the address is the one that the server listens on. */
  publicUrl: string | undefined
  dataDir: string
  /** Undefined: the embedded server in `dataDir`. */
  databaseUrl: string | undefined
  databaseDirectUrl: string | undefined
  role: 'all' | 'api' | 'worker'
  sandbox: { token: string | undefined } | null
  /** Grants access to the metrics. Without a token, only this machine may read them. */
  metricsToken: string | undefined
  defaultPlan: string
  /** Whether owners choose plans themselves or the operator assigns them. */
  billing: 'open' | 'managed'
  passwordMinLength: number
  /** Whether the networks let people write under the tag HUMAN_AGENT, after the ordinary window of a customer. */
  humanAgent: boolean
  /** Calls to a network per hour and connected person. */
  networkCallsPerHour: number
  /** KiB of memory for hashing a password. */
  passwordKib: number
  /** Requests per minute and person. */
  requestsPerMinute: number
  /** Calls to the model per minute and person. */
  aiCallsPerMinute: number
  /** Messages of customers that the model classifies per minute and workspace. */
  classificationsPerMinute: number
  /** Failed tries per minute from one network address, where a sign-in could be guessed. */
  signInTriesPerMinute: number
  /** One-time codes per hour that one network address may request. */
  codesPerHour: number
  logLevel: string
  /** The number of proxies in front of the server, or their addresses. */
  trustProxy: number | string[]
  timeScale: number
  /** Whether link previews may read pages in private networks. Never in production. */
  privateLinks: boolean
  jwtSecret: string
  jwtRefreshSecret: string
  encryptionKey: string
  /** The keys before it, which still open what they sealed. */
  encryptionKeysPrevious: string[]
  idpA: IdpConfig
  idpB: IdpConfig & { tenantId: string | undefined }
  graphVersion: string
  netPage: {
    appId: string | undefined
    appSecret: string | undefined
    verifyToken: string | undefined
    graphUrl: string | undefined
    dialogUrl: string | undefined
    videoUrl: string | undefined
    uploadUrl: string | undefined
    scopes: string[] | undefined
  }
  netPhoto: { scopes: string[] | undefined }
  netVideo: {
    clientKey: string | undefined
    clientSecret: string | undefined
    apiUrl: string | undefined
    authUrl: string | undefined
    uploadUrl: string | undefined
    scopes: string[] | undefined
  }
  /** The address to which each network's consent page sends the browser back, if not our own. */
  callbackUrls: Readonly<Record<string, string | undefined>>
  /** The storage of files. Undefined: a folder in `dataDir`. */
  s3: S3Config | undefined
  ai: {
    provider: 'openai-compatible' | 'anthropic'
    /** As configured. Without it, the provider's default. */
    baseUrl: string | undefined
    apiKey: string | undefined
    model: string | undefined
    imageModel: string | undefined
  }
  smtpUrl: string | undefined
  /** The sender of mail. Required with `smtpUrl`, except when the sandbox is on. */
  mailFrom: string | undefined
  /** The address for questions about a plan without a price. */
  contactEmail: string | undefined
  sms: {
    /** As configured. Without it, the provider's default or the sandbox. */
    baseUrl: string | undefined
    account: { accountSid: string; authToken: string; from: string } | undefined
  }
}

/** All faults of the settings, one per line. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The settings are invalid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

type Given = Readonly<Partial<Record<keyof z.infer<typeof Environment>, string>>>

/** The faults of settings together, in any environment. */
function faultsOf(given: Given, production: boolean, sandboxOn: boolean): string[] {
  const faults: string[] = []
  if (!production && given.JWT_SECRET && given.JWT_SECRET === given.JWT_REFRESH_SECRET)
    faults.push('JWT_REFRESH_SECRET: must differ from JWT_SECRET')
  for (const names of setTogether) {
    const missing = names.filter((name) => !given[name])
    if (missing.length > 0 && missing.length < names.length) faults.push(`${names.join(', ')}: set all or none`)
  }
  if (given.SMTP_URL && !given.MAIL_FROM && !sandboxOn) faults.push('MAIL_FROM: is required with SMTP_URL')
  if (given.S3_PUBLIC_URL && !bucket.some((name) => given[name])) faults.push('S3_PUBLIC_URL: requires a bucket')
  return faults
}

/** The faults of settings that other environments accept. */
function productionFaults(given: Given, sandboxOn: boolean): string[] {
  const faults: string[] = []
  for (const name of productionNeeds) if (!given[name]) faults.push(`${name}: is required in production`)
  if (sandboxOn && !given.SANDBOX_TOKEN) faults.push('SANDBOX_TOKEN: is required when the sandbox is on in production')
  const values = secrets.flatMap((name) => secretsIn(name, given[name]).map((value) => ({ name, value })))
  for (const [index, { name, value }] of values.entries()) {
    if (isPredictable(value, LEAST_BITS))
      faults.push(`${name}: must be random, for example from \`openssl rand -hex 32\``)
    const same = values.slice(0, index).find((earlier) => earlier.value === value)
    if (same) faults.push(`${name}: must ${same.name === name ? 'name each key once' : `differ from ${same.name}`}`)
  }
  for (const name of tokens) {
    if (given[name] && given[name].length < TOKEN_LENGTH)
      faults.push(`${name}: must have at least ${TOKEN_LENGTH} characters in production`)
    else if (given[name] && isPredictable(given[name], LEAST_TOKEN_BITS))
      faults.push(`${name}: must be random, for example from \`openssl rand -hex 16\``)
  }
  for (const name of secretReceivers)
    if (given[name] && isPlainPublic(given[name])) faults.push(`${name}: must be https in production`)
  for (const name of ['IDP_A_ISSUER', 'IDP_B_ISSUER'] as const)
    if (given[name]?.startsWith('http:')) faults.push(`${name}: must be https in production`)
  if (given.TIME_SCALE && Number(given.TIME_SCALE) !== 1) faults.push('TIME_SCALE: is for tests only')
  if (given.PRIVATE_LINKS === 'on') faults.push('PRIVATE_LINKS: is for tests only')
  if (Number(given.PASSWORD_KIB ?? PASSWORD_KIB) < PASSWORD_KIB)
    faults.push(`PASSWORD_KIB: less than ${PASSWORD_KIB} is for tests only`)
  return faults
}

/**
 * Reads the settings. Throws one ConfigError with every fault. Outside production, missing secrets are generated once
 * and kept.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given: Given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const production = given.NODE_ENV === 'production'
  const sandboxOn = given.SANDBOX ? given.SANDBOX === 'on' : !production
  const parsed = Environment.safeParse(given)
  const faults = [
    ...(parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? []),
    ...(production ? productionFaults(given, sandboxOn) : []),
    ...faultsOf(given, production, sandboxOn),
  ]
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults)

  const env = parsed.data
  const dataDir = resolve(env.DATA_DIR)
  const own = production ? undefined : ownSecrets(dataDir)
  const secret = (name: (typeof productionNeeds)[number]) => env[name] ?? own?.[name] ?? ''
  return {
    environment: env.NODE_ENV,
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.PUBLIC_URL,
    dataDir,
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
    role: env.ROLE,
    sandbox: sandboxOn ? { token: env.SANDBOX_TOKEN } : null,
    metricsToken: env.METRICS_TOKEN,
    defaultPlan: env.DEFAULT_PLAN,
    billing: env.BILLING ?? (production ? 'managed' : 'open'),
    passwordMinLength: env.PASSWORD_MIN_LENGTH,
    // Real networks grant the tag only on request, and refuse it to others.
    humanAgent: env.HUMAN_AGENT ? env.HUMAN_AGENT === 'on' : sandboxOn,
    networkCallsPerHour: env.NETWORK_CALLS_PER_HOUR,
    passwordKib: env.PASSWORD_KIB,
    requestsPerMinute: env.REQUESTS_PER_MINUTE,
    aiCallsPerMinute: env.AI_CALLS_PER_MINUTE,
    classificationsPerMinute: env.CLASSIFICATIONS_PER_MINUTE,
    // All users of a sandbox come from the same address.
    signInTriesPerMinute: env.SIGN_IN_TRIES_PER_MINUTE * (sandboxOn ? 10 : 1),
    codesPerHour: env.CODES_PER_HOUR * (sandboxOn ? 10 : 1),
    // A person at a terminal wants to see the address; an operator wants everything.
    logLevel: env.LOG_LEVEL ?? (production ? 'info' : 'warn'),
    trustProxy: env.TRUST_PROXY,
    timeScale: env.TIME_SCALE,
    privateLinks: env.PRIVATE_LINKS === 'on',
    jwtSecret: secret('JWT_SECRET'),
    jwtRefreshSecret: secret('JWT_REFRESH_SECRET'),
    encryptionKey: secret('ENCRYPTION_KEY'),
    encryptionKeysPrevious: env.ENCRYPTION_KEY_PREVIOUS,
    idpA: { clientId: env.IDP_A_CLIENT_ID, clientSecret: env.IDP_A_CLIENT_SECRET, issuer: env.IDP_A_ISSUER },
    idpB: {
      clientId: env.IDP_B_CLIENT_ID,
      clientSecret: env.IDP_B_CLIENT_SECRET,
      tenantId: env.IDP_B_TENANT_ID,
      issuer: env.IDP_B_ISSUER,
    },
    graphVersion: env.GRAPH_VERSION,
    netPage: {
      appId: env.NET_PAGE_APP_ID,
      appSecret: env.NET_PAGE_APP_SECRET,
      verifyToken: env.NET_PAGE_VERIFY_TOKEN,
      graphUrl: env.NET_PAGE_GRAPH_URL,
      dialogUrl: env.NET_PAGE_DIALOG_URL,
      videoUrl: env.NET_PAGE_VIDEO_URL,
      uploadUrl: env.NET_PAGE_UPLOAD_URL,
      scopes: env.NET_PAGE_SCOPES,
    },
    netPhoto: { scopes: env.NET_PHOTO_SCOPES },
    netVideo: {
      clientKey: env.NET_VIDEO_CLIENT_KEY,
      clientSecret: env.NET_VIDEO_CLIENT_SECRET,
      apiUrl: env.NET_VIDEO_API_URL,
      authUrl: env.NET_VIDEO_AUTH_URL,
      uploadUrl: env.NET_VIDEO_UPLOAD_URL,
      scopes: env.NET_VIDEO_SCOPES,
    },
    callbackUrls: {
      NET_PAGE: env.NET_PAGE_CALLBACK_URL,
      NET_PHOTO: env.NET_PHOTO_CALLBACK_URL,
      NET_VIDEO: env.NET_VIDEO_CALLBACK_URL,
    },
    s3:
      env.S3_ENDPOINT && env.S3_BUCKET && env.S3_ACCESS_KEY_ID && env.S3_SECRET_ACCESS_KEY
        ? {
            endpoint: env.S3_ENDPOINT,
            region: env.S3_REGION,
            bucket: env.S3_BUCKET,
            accessKeyId: env.S3_ACCESS_KEY_ID,
            secretAccessKey: env.S3_SECRET_ACCESS_KEY,
            publicUrl: env.S3_PUBLIC_URL,
          }
        : undefined,
    ai: {
      provider: env.AI_PROVIDER,
      baseUrl: env.AI_BASE_URL,
      apiKey: env.AI_API_KEY,
      model: env.AI_MODEL,
      imageModel: env.AI_IMAGE_MODEL,
    },
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    contactEmail: env.CONTACT_EMAIL,
    sms: {
      baseUrl: env.SMS_BASE_URL,
      account:
        env.SMS_ACCOUNT_SID && env.SMS_AUTH_TOKEN && env.SMS_FROM
          ? { accountSid: env.SMS_ACCOUNT_SID, authToken: env.SMS_AUTH_TOKEN, from: env.SMS_FROM }
          : undefined,
    },
  }
}

const Secrets = z.object({ JWT_SECRET: Secret, JWT_REFRESH_SECRET: Secret, ENCRYPTION_KEY: Key })

/**
 * The secrets of this data directory: generated at the first start, readable only by their owner, never changed. They
 * replace settings that are missing.
 */
function ownSecrets(dataDir: string): z.infer<typeof Secrets> {
  const file = join(dataDir, 'secrets.json')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const made = {
      JWT_SECRET: randomBytes(32).toString('hex'),
      JWT_REFRESH_SECRET: randomBytes(32).toString('hex'),
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    }
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flush: true })
    try {
      // Unlike a rename, a link never replaces a file that another process has just created.
      linkSync(draft, file)
    } catch (error) {
      if (!existsSync(file)) throw error
    } finally {
      rmSync(draft)
    }
  }
  const text = readFileSync(file, 'utf8')
  try {
    return Secrets.parse(JSON.parse(text))
  } catch {
    // Without the cause, which would show a part of the file.
    throw new ConfigError([`${file}: is damaged; restore it, or the stored tokens cannot be opened`])
  }
}
