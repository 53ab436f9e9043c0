import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** The version that If-Match requires; undefined for an unconditional edit. */
export function ifMatch(request: FastifyRequest): number | undefined {
  const header = request.headers['if-match']
  if (header === undefined || header === '*') return undefined
  const version = /^(?:W\/)?"?(\d+)"?$/.exec(header)?.[1]
  if (version === undefined) throw new AppError('malformed_request', 'If-Match must be an ETag of the resource.')
  return Number(version)
}

/** Answers with a resource and its version as ETag. */
export const sendVersioned = <T extends { version: number }>(reply: FastifyReply, resource: T) =>
  reply.header('etag', `"${resource.version}"`).send(resource)
