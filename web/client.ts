import endpoints from 'virtual:endpoints'
import type * as z from 'zod'
import { offline, problemOf } from './problem-error.ts'
import { session } from './session.ts'

export { isProblem, ProblemError, problemOf } from './problem-error.ts'

type Slices = typeof import('./endpoints.ts')
type Merge<T> = (T extends unknown ? (value: T) => void : never) extends (value: infer All) => void ? All : never
type EndpointsOf<S> = { [K in keyof S as S[K] extends { method: string; url: string } ? K : never]: S[K] }
type Contract = Merge<{ [N in keyof Slices]: EndpointsOf<Slices[N]> }[keyof Slices]>

/** The operations of the contract, by operationId. */
export type Operation = keyof Contract

type Schema<O extends Operation> = Contract[O] extends { schema: infer S } ? S : never
type Part<O extends Operation, K extends string> =
  Schema<O> extends { [P in K]: infer S extends z.ZodType } ? z.input<S> : undefined
type Success<O extends Operation> =
  Schema<O> extends { response: infer R } ? R[Extract<keyof R, 200 | 201 | 202 | 204>] : never

/** The successful response of an operation, as JSON. */
export type Answer<O extends Operation> = Success<O> extends z.ZodType ? z.output<Success<O>> : never

export interface CallOptions<O extends Operation> {
  workspace?: string
  params?: Part<O, 'params'>
  query?: Part<O, 'querystring'>
  body?: Part<O, 'body'>
  /** The version that an edit is based on. The service rejects an outdated one with 412 `stale_version`. */
  ifMatch?: number
  /** A repeated POST with the same key returns the response of the first one. */
  idempotencyKey?: string
  /** Whether the request is sent to its end even if the page is left meanwhile. */
  keepalive?: boolean
  signal?: AbortSignal
}

/** The URL of an operation with its parameters filled in. */
export function address(operation: Operation, params?: unknown, query?: unknown): string {
  const entry = endpoints[operation]
  if (!entry) throw new Error(`No such operation: ${operation}`)
  const values = (params ?? {}) as Record<string, string>
  const path = entry[1].replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries((query ?? {}) as Record<string, unknown>))
    if (value !== undefined && value !== null && value !== '') search.set(key, String(value))
  return `/api/v1${path}${search.size ? `?${search}` : ''}`
}

/**
 * `fetch` with the session's access token. Renews the token and retries once if the service rejects it. Throws
 * `offline`.
 */
export async function authorizedFetch(url: string, init: RequestInit & { headers: Record<string, string> }) {
  const plain: Record<string, string> = init.headers
  const send = async () => {
    const token = await session.token()
    const headers: Record<string, string> = { ...plain }
    if (token) headers['authorization'] = `Bearer ${token}`
    try {
      return await fetch(url, { ...init, headers })
    } catch (error) {
      if (init.signal?.aborted) throw error
      throw offline(error)
    }
  }
  const response = await send()
  if (response.status !== 401 || !session.signedIn() || !(await isAboutSession(response))) return response
  return (await session.renew()) ? send() : response
}

/** The service also answers a wrong code with 401. Such a response neither renews nor ends the session. */
async function isAboutSession(response: Response): Promise<boolean> {
  const { code } = problemOf(response.status, await response.clone().text())
  return code !== 'invalid_code' && code !== 'code_exhausted'
}

const PUBLIC: ReadonlySet<string> = new Set([
  'register',
  'login',
  'loginByPhone',
  'refresh',
  'logout',
  'getConfig',
  'forgotPassword',
  'resetPassword',
  'listOtherWays',
  'endOtherWays',
  'undoChange',
  'getInvitation',
  'getReview',
  'approveReview',
  'rejectReview',
  'commentReview',
  'getSharedReport',
])

/** Calls one operation of the contract. Throws ProblemError. */
export async function call<O extends Operation>(operation: O, options: CallOptions<O> = {}): Promise<Answer<O>> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (options.workspace) headers['x-workspace-id'] = options.workspace
  if (options.ifMatch !== undefined) headers['if-match'] = `"${options.ifMatch}"`
  if (options.idempotencyKey) headers['idempotency-key'] = options.idempotencyKey
  if (options.body !== undefined) headers['content-type'] = 'application/json'
  const init = {
    method: endpoints[operation]?.[0] ?? 'GET',
    headers,
    body: options.body === undefined ? undefined : JSON.stringify(options.body),
    keepalive: options.keepalive,
    signal: options.signal,
  }
  const url = address(operation, options.params, options.query)
  const response = PUBLIC.has(operation) ? await plainFetch(url, init) : await authorizedFetch(url, init)
  const text = response.status === 204 ? '' : await response.text()
  if (!response.ok) {
    const problem = problemOf(response.status, text, response.headers.get('retry-after'))
    const aboutCode = problem.code === 'invalid_code' || problem.code === 'code_exhausted'
    if (problem.status === 401 && !PUBLIC.has(operation) && !aboutCode) session.lost(problem.code)
    throw problem
  }
  return (text ? JSON.parse(text) : null) as Answer<O>
}

interface Page<T> {
  data: T[]
  nextCursor: string | null
}

/** Returns everything that a list has. `load` loads one page. */
export async function allPages<T>(load: (query: { limit: number; cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Page<T> = await load({ limit: 100, ...(cursor && { cursor }) })
    all.push(...page.data)
    cursor = page.nextCursor
  }
  return all
}

async function plainFetch(url: string, init: RequestInit) {
  try {
    return await fetch(url, init)
  } catch (error) {
    throw offline(error)
  }
}
