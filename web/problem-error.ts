import type { Code, Fault } from '../src/core/errors.ts'

export type ErrorCode = Code | 'offline' | 'rate_limited' | 'unknown'

/** An error response of the service, or `offline` when there was no response. */
export class ProblemError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly requestId: string | null
  readonly errors: Fault[]
  readonly retryAfter: number | null
  readonly problem: Record<string, unknown>

  constructor(status: number, problem: Record<string, unknown>, retryAfter: number | null = null) {
    super(typeof problem['detail'] === 'string' ? problem['detail'] : String(problem['title'] ?? status))
    this.name = 'ProblemError'
    this.status = status
    this.code = (typeof problem['code'] === 'string' ? problem['code'] : 'unknown') as ErrorCode
    this.requestId = typeof problem['requestId'] === 'string' ? problem['requestId'] : null
    this.errors = Array.isArray(problem['errors']) ? (problem['errors'] as Fault[]) : []
    this.retryAfter = retryAfter
    this.problem = problem
  }
}

export const isProblem = (error: unknown, ...codes: ErrorCode[]): error is ProblemError =>
  error instanceof ProblemError && (codes.length === 0 || codes.includes(error.code))

/** The error of a response, whether or not its body is a problem document. */
export function problemOf(status: number, text: string, retryAfter: string | null = null): ProblemError {
  let problem: Record<string, unknown>
  try {
    const parsed: unknown = JSON.parse(text)
    problem = parsed && typeof parsed === 'object' ? (parsed as Record<string, unknown>) : { title: text }
  } catch {
    problem = { title: `HTTP ${status}` }
  }
  return new ProblemError(status, problem, retryAfter ? Number(retryAfter) || null : null)
}

/** The error of a request without a response. */
export const offline = (error: unknown) => new ProblemError(0, { code: 'offline', title: String(error) })

/** Whether the service is unreachable or overloaded, so that a retry may soon succeed. A proxy's error has no code. */
export const isAway = (error: unknown) =>
  isProblem(error, 'offline', 'unavailable') || (isProblem(error, 'unknown') && [502, 503, 504].includes(error.status))
