import * as z from 'zod'

/**
 * Roles in a workspace. The first four are ordered; CLIENT is outside the order and passes only where a gate names it.
 */
export const ROLES = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT'] as const
export type Role = (typeof ROLES)[number]

export type Feature =
  | 'publishing'
  | 'approvals'
  | 'ai_content'
  | 'ai_suggestions'
  | 'auto_reply'
  | 'analytics'
  | 'audience'
  | 'ecommerce'
  | 'competitors'
  | 'ab_testing'
  | 'predictions'
  | 'workflows'
  | 'api_access'

export type Quota = 'posts' | 'ai_credits' | 'ai_generations' | 'social_accounts' | 'members' | 'media_bytes'

/**
 * The callers of an endpoint. `public`: anyone. `either`: anyone, but a token that is sent must be valid. `signed-in`:
 * the caller's own data, no workspace. `super-admin`: the operators. An object: at least this role in the requested
 * workspace, then the features in its plan, then room in its quotas, in this order. Where the parameter `own` names the
 * caller, every member passes the role check.
 */
export type Gate =
  | 'public'
  | 'either'
  | 'signed-in'
  | 'super-admin'
  | {
      role: Exclude<Role, 'CLIENT'>
      client?: true
      own?: string
      feature?: Feature | readonly Feature[]
      quota?: Quota | readonly Quota[]
      /** The amount taken from the first quota, if more than one. Its refusal includes it. */
      cost?: number
    }

/**
 * Fastify's route options without the handler. An endpoint validates, documents, types the web client and carries the
 * gate.
 */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /**
   * `goesOn`: the work outlives the request, and a repeat with the same Idempotency-Key receives the work already
   * begun.
   * `shownOnce`: secret fields of the answer; a repeat answers null for them, because they are stored nowhere.
   */
  config: { gate: Gate; ownOrigin?: true; goesOn?: true; shownOnce?: readonly string[] }
  schema: {
    operationId: string
    summary: string
    /** What the summary has no room for, in one to three sentences. */
    description?: string
    tags: readonly string[]
    params?: z.ZodType
    querystring?: z.ZodType
    body?: z.ZodType
    consumes?: readonly string[]
    produces?: readonly string[]
    response: Record<number, z.ZodType>
  }
}

// ---- shared by many endpoints

export const Id = z.uuid()
export const IdParams = z.object({ id: z.string() })

/** The media type of a piece of an upload. Like a file in a form, it may take longer than a JSON body. */
export const PIECE_TYPE = 'application/offset+octet-stream'

const FIRST_TIME = new Date('1970-01-01T00:00:00Z')
const END_OF_TIME = new Date('3000-01-01T00:00:00Z')

/** A time in a request: RFC 3339 with any offset; in code a Date. Databases and calendars end before such texts do. */
export const Time = z.iso
  .datetime({ offset: true, error: 'Must be an RFC 3339 time with an offset, such as 2026-11-24T09:00:00Z' })
  .transform((text) => new Date(text))
  .refine((at) => at >= FIRST_TIME && at < END_OF_TIME, 'Must be between the years 1970 and 2999')

/** A time in an answer: UTC, milliseconds, Z. */
export const Timestamp = z.iso.datetime({ precision: 3 })

/** A time of day, HH:MM. */
export const TimeOfDay = z.stringFormat('time-of-day', /^([01]\d|2[0-3]):[0-5]\d$/, {
  error: 'Must be a time of day as HH:MM',
})

export const Empty = z.null().describe('No content')

/** An empty body, or an empty object. */
export const NoBody = z.strictObject({}).optional()

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ data: z.array(item), nextCursor: z.string().nullable() })

export const PageQuery = {
  limit: z.coerce.number().int().min(1).max(100).default(25),
  cursor: z.string().max(1000).optional(),
}

/** The query of a list of a workspace without filters. */
export const ListQuery = z.strictObject({ workspaceId: z.string().optional(), ...PageQuery })

export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    requestId: z.string(),
    errors: z.array(z.looseObject({ path: z.string(), code: z.string(), message: z.string() })).optional(),
    cost: z.number().optional().describe('With quota_exceeded: the amount that was requested, if more than one'),
  })
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof Problem>

type Shape = Record<string, z.ZodType>
type ReadOnly<R extends Shape, W extends Shape> = { [K in Exclude<keyof R, keyof W>]: z.ZodOptional<z.ZodUnknown> }

/** The body of a PATCH: the writable fields, plus the resource's other fields, which may be sent back unchanged. */
export function patchOf<W extends Shape, R extends Shape>(writable: W, resource: z.ZodObject<R>) {
  const rest = Object.keys(resource.shape).filter((key) => !(key in writable))
  const readOnly = Object.fromEntries(rest.map((key) => [key, z.unknown().optional()])) as ReadOnly<R, W>
  return z.strictObject({ ...readOnly, ...writable })
}
