import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** The HTTP parts of each stand-in, independent of the app that mounts the sandbox. */

/** Ends a request with this status. */
export class HttpError extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

/** The query as it stands in the URL, whatever query parser the app has. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.raw.url ?? '/', 'http://sandbox.invalid').searchParams
}

/** The fields of a form; an empty one when the body is no form. */
export const formOf = ({ body }: FastifyRequest) => (body instanceof URLSearchParams ? body : new URLSearchParams())

/** Compares secrets in a time that does not tell where they differ. */
export function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
