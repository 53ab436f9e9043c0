import { pino } from 'pino'

export type Log = pino.Logger

/** Names of fields that could hold a secret, anywhere in a log entry. */
const secretNames = [
  'password',
  'newPassword',
  'currentPassword',
  'accessToken',
  'access_token',
  'refreshToken',
  'refresh_token',
  'authorization',
  'cookie',
  'set-cookie',
  'client_secret',
  'appsecret_proof',
  'code',
  'state',
  'token',
  'userToken',
  'url_token',
]

const paths = secretNames.flatMap((name) =>
  name === 'code' || name === 'state'
    ? [`body.${name}`, `query.${name}`]
    : [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`],
)

/**
 * The query of an address can contain a code or a token, and so can the path of a mailed link. A logged address has
 * neither.
 */
const withoutSecrets = (url: string) =>
  (url.split('?', 1)[0] as string).replace(
    /^((?:\/app\/(?:reset|invite|undo|review|reports)|(?:\/api\/v1)?\/(?:invitations|review|reports))\/)[^/]+/,
    '$1[secret]',
  )

/** The fields of a database error, besides its message, that contain written values. */
const TELLING = ['where', 'detail', 'hint', 'internalQuery']

interface Thrown {
  message?: string
  code?: unknown
  severity?: unknown
  cause?: unknown
  errors?: unknown[]
}

/** An error for the log. A database error is logged without any values. */
function serializeError(error: Error) {
  return withoutValues(pino.stdSerializers.err(error), valuesIn(error))
}

/** The values that an error message quotes because they do not fit their type (class 22). */
function valuesIn(thrown: unknown): string[] {
  if (typeof thrown !== 'object' || thrown === null) return []
  const { message = '', code, severity, cause, errors = [] } = thrown as Thrown
  const own = severity !== undefined && String(code).startsWith('22') ? [message] : []
  return [...own, ...[cause, ...errors].flatMap(valuesIn)]
}

function withoutValues<T>(told: T, messages: readonly string[]): T {
  if (typeof told === 'string') {
    const clean = (text: string, message: string) => text.replaceAll(message, message.replace(/".*"/s, '"[value]"'))
    return messages.reduce(clean, told) as T
  }
  if (Array.isArray(told)) return told.map((each: unknown) => withoutValues(each, messages)) as T
  if (typeof told !== 'object' || told === null) return told
  const kept = Object.entries(told).filter(([name]) => !('severity' in told && TELLING.includes(name)))
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutValues(value, messages)])) as T
}

/** Writes lines of JSON to standard output. Fields named like a secret are never written. */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths, censor: '[secret]' },
      serializers: {
        err: serializeError,
        req: (request: { method: string; url: string; ip?: string }) => ({
          method: request.method,
          url: withoutSecrets(request.url),
          ip: request.ip,
        }),
        res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
      },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  )
}
