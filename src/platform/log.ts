import { pino } from 'pino'

export type Log = pino.Logger

/** Names under which a secret could be logged by mistake, anywhere in what is logged. */
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

/** A query can carry a code or a token, and so does the path of a link that was mailed: a logged address has none. */
const withoutSecrets = (url: string) =>
  (url.split('?', 1)[0] as string).replace(
    /^((?:\/app\/(?:reset|invite)|(?:\/api\/v1)?\/invitations)\/)[^/]+/,
    '$1[secret]',
  )

/** Lines of JSON to standard output. What is named like a secret is never written. */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths, censor: '[secret]' },
      serializers: {
        err: pino.stdSerializers.err,
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
