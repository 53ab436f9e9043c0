import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** The HTTP parts that all stand-ins share, independent of the app that mounts the sandbox. */

/** Ends a request with this status. */
export class HttpError extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

/** Parses the query from the URL, independent of the app's query parser. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.raw.url ?? '/', 'http://sandbox.invalid').searchParams
}

/** Returns the fields of a form; empty if the body is not a form. */
export const formOf = ({ body }: FastifyRequest) => (body instanceof URLSearchParams ? body : new URLSearchParams())

/** Compares secrets in constant time. */
export function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
