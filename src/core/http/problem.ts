import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import { AppError, type Code, errors, type Fault, pointer } from '../errors.ts'
import { isLost } from '../platform/db.ts'

/** Our codes for errors of Fastify itself. */
const ofFastify: Readonly<Record<string, Code>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_REQ_FILE_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_INVALID_MULTIPART_CONTENT_TYPE: 'unsupported_media_type',
}

/** Converts any error into one of ours. */
export function asAppError(error: FastifyError | AppError): AppError {
  if (error instanceof AppError) return error
  // A lost database has an error of its own by now, so this is the storage or a provider.
  if (isLost(error))
    return new AppError('unavailable', 'A part of the service isn’t responding right now. Try again shortly.', {
      retryAfter: 2,
    })
  const known = ofFastify[error.code]
  if (known) return new AppError(known)
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500)
    return new AppError('malformed_request', error.message)
  return new AppError('internal')
}

/** All faults that a schema found in a value, each with a JSON pointer. */
export function faultsOf(error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: pointer([...issue.path, key]),
        code: 'unknown_field',
        message: `Unknown field ${key}.`,
      }))
    }
    return [{ path: pointer(issue.path), code: codeOf(issue), message: issue.message }]
  })
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'Must be a UUID',
  email: 'Must be an email address',
  url: 'Must be a URL',
}
const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item', set: 'item' }

/** Says what a schema expects, for schemas without a message of their own. */
export const expectation: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `${issue.input === undefined ? 'Required, must be' : 'Must be'} ${kindOf(issue)}`
    case 'invalid_value':
      return `${issue.values.length === 1 ? 'Must be' : 'Must be one of'} ${issue.values.map(String).join(', ')}`
    case 'too_big':
      return boundOf(issue.inclusive === false ? 'Less than' : 'At most', issue.maximum, issue.origin)
    case 'too_small':
      return boundOf(issue.inclusive === false ? 'More than' : 'At least', issue.minimum, issue.origin)
    case 'invalid_format':
      return FORMATS[issue.format] ?? (issue.pattern ? `Must match ${issue.pattern}` : undefined)
    case 'unrecognized_keys':
      return `Unknown field ${issue.keys.join(', ')}`
    case 'invalid_union':
      return unionOf(issue.errors)
    default:
      return undefined
  }
}

const kindOf = ({ expected }: { expected: string }) => KINDS[expected] ?? expected

function boundOf(word: string, bound: number | bigint, origin: string): string {
  const unit = UNITS[origin]
  return `${word} ${bound}${unit ? ` ${unit}${Number(bound) === 1 ? '' : 's'}` : ''}`
}

/** The message of the closest alternative; if none is close, the kinds of all alternatives. */
function unionOf(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const issues = alternatives.flat()
  const near = issues.find(({ code, path }) => code !== 'invalid_type' || path.length > 0)
  if (near) return [...near.path, near.message].join(': ')
  const kinds = issues.flatMap((issue) => (issue.code === 'invalid_type' ? kindOf(issue) : []))
  return kinds.length > 0 ? `Must be ${kinds.join(' or ')}` : undefined
}

/**
 * The code of a fault. A format named `…_format` and a rule with `params.code` have codes of their own, so that the web
 * app can say in any language what they expect.
 */
function codeOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_big':
      return issue.origin === 'string' ? 'too_long' : issue.origin === 'array' ? 'too_many' : 'too_large'
    case 'too_small':
      return issue.origin === 'string' ? 'too_short' : issue.origin === 'array' ? 'too_few' : 'too_small'
    case 'invalid_type':
      return issue.input === undefined ? 'required' : 'wrong_type'
    case 'invalid_value':
      return 'not_allowed'
    case 'invalid_format':
      if (issue.format === 'email') return 'email_format'
      return /_format$/.test(issue.format) ? issue.format : 'wrong_format'
    case 'custom':
      return typeof issue.params?.['code'] === 'string' ? issue.params['code'] : 'invalid'
    default:
      return 'invalid'
  }
}

/** The body of the answer that describes an error. */
export function problemOf(
  request: FastifyRequest,
  { code, status, message, more: { retryAfter: _, ...more } }: AppError,
) {
  return {
    type: `/docs/errors#${code}`,
    title: errors[code][1],
    status,
    detail: message,
    code,
    requestId: request.id,
    ...more,
  }
}

/** Seconds after which to try again what is down for a moment, and what an operator has to set up first. */
export const AGAIN = { unavailable: 2, others: 3_600 } as const

const retryAfterOf = ({ status, code, more }: AppError) =>
  more.retryAfter ?? (status === 503 ? AGAIN[code === 'unavailable' ? code : 'others'] : undefined)

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: AppError) {
  const retryAfter = retryAfterOf(error)
  if (error.status === 401 && error.code !== 'invalid_credentials') {
    reply.header('www-authenticate', error.code === 'token_expired' ? 'Bearer error="invalid_token"' : 'Bearer')
  }
  if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter))
  // The handler may have set these for the answer that failed.
  for (const name of ['etag', 'accept-ranges', 'content-range', 'content-disposition']) reply.removeHeader(name)
  return reply
    .header('cache-control', 'no-store')
    .code(error.status)
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(request, error)))
}

/**
 * The only place that turns errors into answers. Unexpected errors are logged, and their answers do not contain the
 * message.
 */
export function registerProblems(app: FastifyInstance) {
  const patterns = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    let entry = patterns.get(url)
    if (!entry) {
      const source = url.replace(/:\w+(\([^/]*\))?/g, '[^/]+').replaceAll('*', '.*')
      patterns.set(url, (entry = { pattern: new RegExp(`^${source}$`), methods: new Set() }))
    }
    for (const each of [method].flat()) entry.methods.add(each)
  })

  app.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const problem = asAppError(error)
    // An `unavailable` without a cause is a refusal and no fault, and many of them must not fill the log with stacks.
    const isRefusal = problem === error && problem.code === 'unavailable' && problem.cause === undefined
    if (isRefusal) request.log.warn({ why: problem.message }, 'refused')
    else if (problem.status >= 500) request.log.error({ err: error }, 'a request failed')
    request.refusedByStanding = problem.ofStanding
    return sendProblem(request, reply, problem)
  })

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    const methods = [...patterns.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((entry) => [...entry.methods])
    if (methods.length > 0 && !methods.includes(request.method)) {
      return sendProblem(
        request,
        reply.header('allow', [...new Set(methods)].join(', ')),
        new AppError('method_not_allowed'),
      )
    }
    return sendProblem(request, reply, new AppError('not_found'))
  })
}
