import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { query } from '../platform/db.ts'
import { type Actor, NO_WORKSPACE, type Scopes, type Scope, type Standing } from '../platform/scope.ts'
import type { Tokens } from '../platform/tokens.ts'
import { type Gate, type Quota, type Role, ROLES } from './endpoint.ts'
import { createRequestLimit } from './request-limit.ts'
import { admit, type GateFacts, passing, type Refusal } from './rules.ts'

/** The caller that the gate admitted. */
export interface Caller {
  userId: string
  sessionId: string
  role: Role | null
  emailConfirmed: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Access for this request; without a workspace on public routes and for the caller's own data. */
    scope: Scope
    /** The signed-in caller; null on public routes. */
    caller: Caller | null
    /** The gate decided before the whole body had arrived. */
    arrivesLater: boolean
  }
  interface FastifyContextConfig {
    gate?: Gate
    ownOrigin?: true
    goesOn?: true
    shownOnce?: readonly string[]
  }
}

interface FactsRow {
  quota: Quota | null
  userId: string
  disabled: boolean
  isSuperAdmin: boolean
  emailConfirmed: boolean
  workspaceId: string | null
  role: Role | null
  plan: string | null
  features: string[] | null
  quotaLimit: number | null
  quotaUsed: number
  quotaResetsAt: Date | null
}

const Uuid = z.uuid()
const isUuid = (text: string) => Uuid.safeParse(text).success

export interface GateParts {
  scopes: Scopes
  tokens: Tokens
  now(): Date
  isOwnOrigin(request: FastifyRequest): boolean
  /** Requests per minute and person. */
  requestsPerMinute: number
}

/**
 * Decides before the body is read, in this order: identity, role in the workspace, feature of the plan, quotas. A caller
 * who fails several gates sees the first refusal. The server refuses to start with a route that has no gate, or an API
 * route that has no operation id.
 */
export function registerGate(app: FastifyInstance, { scopes, tokens, now, isOwnOrigin, requestsPerMinute }: GateParts) {
  const countRequest = createRequestLimit(scopes, requestsPerMinute, now)
  app.decorateRequest('scope', null as unknown as Scope)
  app.decorateRequest('caller', null)
  app.decorateRequest('arrivesLater', false)

  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', async () => {
    for (const { method, url, config, schema } of routes) {
      if (!config?.gate) throw new Error(`${String(method)} ${url} has no gate`)
      if (url.startsWith('/api/') && !schema?.operationId) {
        throw new Error(`${String(method)} ${url} has no operationId`)
      }
    }
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { gate, ownOrigin } = request.routeOptions.config
    if (!gate) return done() // no route: the not-found handler answers
    if (ownOrigin && !isOwnOrigin(request)) return done(new AppError('origin_refused'))
    if (gate !== 'public' && (gate !== 'either' || request.headers.authorization !== undefined)) {
      pass(gate, request, reply).then(() => done(), done)
      return
    }
    request.scope = scopes.scope(NO_WORKSPACE, { kind: 'anonymous', ip: request.ip, requestId: request.id })
    done()
  })

  async function pass(gate: Exclude<Gate, 'public'>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const claims = await tokens.verifyAccess(bearer(request), now())
    const asked = typeof gate === 'object' ? askedWorkspace(request) : undefined
    if (asked !== undefined && !isUuid(asked)) throw new AppError('not_found')
    const rows = await scopes.ask('gate', factsFor(claims.sessionId, asked ?? null, quotasOf(gate)))
    const [facts] = rows
    if (!facts || facts.userId !== claims.userId) throw new AppError('session_revoked')
    if (facts.disabled) throw new AppError('account_disabled')
    await countRequest(claims.userId, reply)

    const actorWith = (standing: Standing): Actor => ({
      kind: 'user',
      ...claims,
      standing,
      ip: request.ip,
      requestId: request.id,
    })
    const { role, emailConfirmed } = facts
    request.caller = { userId: claims.userId, sessionId: claims.sessionId, role, emailConfirmed }
    if (gate === 'super-admin' && !facts.isSuperAdmin) throw new AppError('super_admin_required')
    if (gate === 'signed-in' || gate === 'super-admin' || gate === 'either') {
      assertIds(request)
      request.scope =
        gate === 'super-admin'
          ? scopes.adminScope(actorWith('operator'))
          : scopes.scope(NO_WORKSPACE, actorWith('session'))
      return
    }
    if (!role && asked === undefined) throw new AppError('no_workspace')
    const params = request.params as Record<string, string>
    const own = gate.own !== undefined && params[gate.own]?.toLowerCase() === claims.userId
    const refusal = admit(gate, asGateFacts(rows), own)
    if (refusal) throw await refusalError(gate, refusal)
    const workspaceId = facts.workspaceId as string
    // The handler may decide by the role that was read here, so its transactions fail if the role is lower by then.
    const seen = role as Role
    const roles = (own ? ROLES : passing(gate)).filter((each) => ROLES.indexOf(each) <= ROLES.indexOf(seen))
    const features = [gate.feature ?? []].flat()
    request.scope = scopes.scope(workspaceId, actorWith({ workspaceId, roles, least: seen, features }))
    assertIds(request)
  }

  /** The error of a refusal, with the plans that have a missing feature, or what the operation would cost. */
  async function refusalError(gate: Exclude<Gate, string>, refusal: Refusal): Promise<AppError> {
    const { code, ...more } = refusal
    if (code === 'feature_not_in_plan')
      return new AppError(code, undefined, { ...more, plans: await plansWith(refusal) })
    const isOfCost = refusal.code === 'quota_exceeded' && refusal.quota === quotasOf(gate)[0]
    return new AppError(code, undefined, { ...more, ...(isOfCost && gate.cost && { cost: gate.cost }) })
  }

  // A sender can delay the body for as long as the limits allow, so a standing that has ended in the meantime is
  // refused first. The transaction of the effect refuses a standing that ends later.
  app.addHook('onRequest', (request, _reply, done) => {
    request.arrivesLater = !request.raw.complete
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.arrivesLater || request.method === 'GET' || !request.caller) return done()
    request.scope.confirm().then(() => done(), done)
  })

  // Any body may repeat the workspace of the request, also one whose schema has no such field.
  app.addHook('preValidation', (request, _reply, done) => {
    const body = request.body as { workspaceId?: unknown } | null | undefined
    const isOfWorkspace = typeof request.routeOptions.config.gate === 'object'
    const asked = isOfWorkspace ? request.scope.workspaceId : workspaceInPath(request)
    if (asked === undefined || !body || typeof body !== 'object') return done()
    const { workspaceId, ...rest } = body
    if (typeof workspaceId !== 'string') return done()
    request.body = rest
    if (workspaceId === asked) return done()
    const errors = [
      { path: '/workspaceId', code: 'workspace_mismatch', message: 'This isn’t the workspace of the request.' },
    ]
    done(new AppError('workspace_mismatch', undefined, { errors }))
  })

  async function plansWith(refusal: { feature?: string }): Promise<string[]> {
    const rows = await scopes.ask(
      'gate',
      query<{ planId: string }>`select plan_id from plan_feature join plan on plan.id = plan_id
        where feature_id = ${refusal.feature ?? ''} order by plan.position`,
    )
    return rows.map((row) => row.planId)
  }
}

const quotasOf = (gate: Exclude<Gate, 'public'>): readonly Quota[] =>
  typeof gate === 'object' ? [gate.quota ?? []].flat() : []

/** Selects the facts about a session in a workspace: one row for each quota, in their order, or one row without. */
const factsFor = (sessionId: string, workspaceId: string | null, quotas: readonly Quota[]) =>
  quotas.length > 1
    ? query<FactsRow>`select q.id as quota, f.* from unnest(${quotas}::text[]) with ordinality q(id, place),
        gate_facts(${sessionId}, ${workspaceId}, q.id) f order by q.place`
    : query<FactsRow>`select ${quotas[0] ?? null}::text as quota, f.*
        from gate_facts(${sessionId}, ${workspaceId}, ${quotas[0] ?? null}) f`

/** Reads a person's facts in a workspace for a return from a consent page, which carries no access token. */
export const gateFacts =
  (scopes: Pick<Scopes, 'ask'>, quota: Quota) =>
  async (userId: string, workspaceId: string): Promise<GateFacts> =>
    asGateFacts(
      await scopes.ask(
        'gate',
        query<FactsRow>`select ${quota}::text as quota, f.* from member_facts(${userId}, ${workspaceId}, ${quota}) f`,
      ),
    )

/** The role that a session now gives in a workspace; null if the session has ended. */
export const roleOfSession =
  (scopes: Pick<Scopes, 'ask'>) =>
  async (sessionId: string, workspaceId: string): Promise<Role | null> =>
    asGateFacts(await scopes.ask('gate', factsFor(sessionId, workspaceId, []))).role

function asGateFacts(rows: readonly FactsRow[]): GateFacts {
  const [facts] = rows
  return {
    role: facts && !facts.disabled ? facts.role : null,
    plan: facts?.plan ?? null,
    features: facts?.features ?? [],
    quotas: rows.flatMap(({ quota, quotaLimit, quotaUsed, quotaResetsAt }) =>
      quota === null
        ? []
        : [{ quota, limit: quotaLimit, used: quotaUsed, resetsAt: quotaResetsAt?.toISOString() ?? null }],
    ),
  }
}

/** Throws `not_found` for an id in the path that is not a UUID. */
function assertIds({ params }: FastifyRequest): void {
  for (const [name, value] of Object.entries(params as Record<string, string>)) {
    if (/id$/i.test(name) && !isUuid(value)) throw new AppError('not_found')
  }
}

function bearer(request: FastifyRequest): string {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || !token) throw new AppError('unauthenticated')
  return token
}

/** From the path, else the header, else the query. Undefined selects the caller's default. */
function askedWorkspace(request: FastifyRequest): string | undefined {
  const inPath = workspaceInPath(request)
  if (inPath) return inPath
  const header = request.headers['x-workspace-id']
  if (typeof header === 'string' && header !== '') return header
  const { workspaceId } = request.query as { workspaceId?: unknown }
  return typeof workspaceId === 'string' && workspaceId !== '' ? workspaceId : undefined
}

const workspaceInPath = ({ params, routeOptions }: FastifyRequest): string | undefined =>
  routeOptions.url?.startsWith('/api/v1/workspaces/:id') ? (params as { id?: string }).id : undefined
