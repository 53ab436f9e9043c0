import type { FastifyRequest } from 'fastify'
import { queryOf } from '../http.ts'
import { refuse } from './errors.ts'

/**
 * The parameters of a Graph call from any source. Values are strings in forms and queries, and of any type in JSON
 * bodies.
 */
export type Params = Map<string, unknown>

/** Merges query and body. The body has priority, as on the real host. */
export function readParams(request: FastifyRequest): Params {
  const params: Params = new Map(queryOf(request))
  const { body } = request
  if (body instanceof URLSearchParams || body instanceof FormData)
    for (const [key, value] of body) params.set(key, value)
  else if (isRecord(body)) for (const [key, value] of Object.entries(body)) params.set(key, value)
  return params
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a text parameter, converting numbers. Undefined if it is missing. */
export function text(params: Params, name: string): string | undefined {
  const value = params.get(name)
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw refuse.parameter(`Param ${name} must be a string`)
}

export function flag(params: Params, name: string): boolean | undefined {
  const value = params.get(name)
  if (value === undefined || value === null || value === '') return undefined
  if (value === true || value === 'true' || value === '1' || value === 1) return true
  if (value === false || value === 'false' || value === '0' || value === 0) return false
  throw refuse.parameter(`Param ${name} must be a boolean`)
}

/** Returns `limit`, which is 1 to 100, and 25 by default. */
export function limit(params: Params): number {
  const value = text(params, 'limit')
  if (value === undefined || value === '') return 25
  if (/^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= 100) return Number(value)
  throw refuse.parameter('Param limit must be a number between 1 and 100')
}

/** Returns `since` or `until` in milliseconds. They are seconds since 1970, or a date as text. */
export function instant(params: Params, name: string): number | undefined {
  const value = text(params, name)
  if (value === undefined || value === '') return undefined
  const at = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value)
  if (Number.isNaN(at)) throw refuse.parameter(`Param ${name} must be a valid timestamp`)
  return at
}

/**
 * Returns a list parameter in any of its forms: a JSON array, such an array as text, values separated by commas, or one
 * entry per field (`attached_media[0]={"media_fbid":"1"}`, in the order of the numbers).
 */
export function list(params: Params, name: string): unknown[] | undefined {
  const value = parsed(params.get(name), name)
  if (Array.isArray(value)) return value as unknown[]
  if (typeof value === 'string' && value !== '') return value.split(',').map((item) => item.trim())
  if (value !== undefined && value !== null && value !== '') throw refuse.parameter(`Param ${name} must be an array.`)
  const numbered = [...params]
    .map(([key, item]) => ({ at: /^(\w+)\[(\d+)\]$/.exec(key), item }))
    .filter(({ at }) => at?.[1] === name)
    .toSorted((a, b) => Number(a.at?.[2]) - Number(b.at?.[2]))
    .map(({ item }) => parsed(item, name))
  return numbered.length > 0 ? numbered : undefined
}

/** Parses objects and arrays, which are JSON text in forms and queries. */
function parsed(value: unknown, name: string): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    throw refuse.parameter(`Param ${name} must be valid JSON`)
  }
}
