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

/** Answers 201 with a new resource, its address, and its version if it has one. `collection`: its path in the API. */
export const sendCreated = <T extends { id: string; version?: number }>(
  reply: FastifyReply,
  collection: string,
  resource: T,
) => {
  if (resource.version !== undefined) reply.header('etag', `"${resource.version}"`)
  return reply.code(201).header('location', `/api/v1${collection}/${resource.id}`).send(resource)
}
