// Finds changes of the API's description that break a client: an operation, field, parameter, error code or enum value
// is removed, a request must contain more or may contain less than before, or an answer guarantees less. Additions
// break no client. A new enum value counts as an addition in answers too, since clients are told to expect unknown
// values.

export interface Description {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
  'x-errors'?: Record<string, { status: number }>
}

interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: Body & { required?: boolean }
  responses: Record<string, Body>
  security?: Record<string, string[]>[]
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema
}

interface Body {
  content?: Record<string, { schema?: Schema }>
}

interface Schema {
  $ref?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  items?: Schema
  format?: string
  pattern?: string
  [keyword: string]: unknown
}

/** Whether clients send values of a schema, or read them. */
type Side = 'sent' | 'answered'

/** A description before and after. */
interface Change {
  older: Description
  newer: Description
}

/**
 * Returns what a client of the older description would miss in the newer one, one line each. Empty if nothing breaks.
 */
export function breaksOf(older: Description, newer: Description): string[] {
  const change = { older, newer }
  const operations = Object.entries(older.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, before]) => {
      const name = `${method.toUpperCase()} ${path}`
      const after = newer.paths[path]?.[method]
      return after ? operationBreaks(change, name, before, after) : [`${name} was removed`]
    }),
  )
  const codes = Object.entries(older['x-errors'] ?? {}).flatMap(([code, { status }]) => {
    const after = newer['x-errors']?.[code]
    if (!after) return [`error ${code} was removed`]
    return after.status === status ? [] : [`error ${code} changed its status from ${status} to ${after.status}`]
  })
  return [...operations, ...codes]
}

function operationBreaks(change: Change, name: string, before: Operation, after: Operation): string[] {
  const breaks: string[] = []
  if (before.operationId !== after.operationId) {
    breaks.push(`${name}: the operation ${before.operationId} was renamed to ${after.operationId}`)
  }
  if (isOpen(before) && !isOpen(after)) breaks.push(`${name} now requires sign-in`)
  breaks.push(...parameterBreaks(change, name, before, after), ...requestBreaks(change, name, before, after))
  for (const [status, body] of Object.entries(before.responses)) {
    const place = `${name} ${status}`
    const now = after.responses[status]
    breaks.push(...(now ? contentBreaks(change, place, 'answered', body, now) : [`${place} was removed`]))
  }
  return breaks
}

const isOpen = ({ security = [] }: Operation) =>
  security.length === 0 || security.some((way) => Object.keys(way).length === 0)

function parameterBreaks(change: Change, name: string, before: Operation, after: Operation): string[] {
  const find = ({ parameters = [] }: Operation, wanted: Parameter) =>
    parameters.find((parameter) => parameter.in === wanted.in && parameter.name === wanted.name)
  const kept = (before.parameters ?? []).flatMap((parameter) => {
    const now = find(after, parameter)
    const place = `${name} ${parameter.in} ${parameter.name}`
    return now ? schemaBreaks(change, place, 'sent', parameter.schema, now.schema) : [`${place} was removed`]
  })
  const demanded = (after.parameters ?? [])
    .filter((parameter) => parameter.required && !find(before, parameter)?.required)
    .map((parameter) => `${name} ${parameter.in} ${parameter.name} is now required`)
  return [...kept, ...demanded]
}

function requestBreaks(change: Change, name: string, before: Operation, after: Operation): string[] {
  const [body, now] = [before.requestBody, after.requestBody]
  const place = `${name} body`
  const demanded = now?.required && !body?.required ? [`${place} is now required`] : []
  if (!body) return demanded
  return [...demanded, ...(now ? contentBreaks(change, place, 'sent', body, now) : [`${place} was removed`])]
}

function contentBreaks(change: Change, place: string, side: Side, before: Body, after: Body): string[] {
  return Object.entries(before.content ?? {}).flatMap(([type, { schema = {} }]) => {
    const now = after.content?.[type]
    return now ? schemaBreaks(change, place, side, schema, now.schema ?? {}) : [`${place} is no longer ${type}`]
  })
}

/** `seen` holds the pairs of named schemas that are being compared, since a schema may contain itself. */
function schemaBreaks(
  change: Change,
  place: string,
  side: Side,
  before: Schema,
  after: Schema,
  seen: readonly string[] = [],
): string[] {
  const pair = `${before.$ref} ${after.$ref}`
  if (before.$ref && seen.includes(pair)) return []
  const within = before.$ref ? [...seen, pair] : seen
  const olderWays = waysOf(before, change.older)
  const newerWays = waysOf(after, change.newer)
  const lost = olderWays.flatMap((way) => {
    const sameKind = newerWays.filter((candidate) => holds(candidate, way, side))
    const found = sameKind.map((candidate) => wayBreaks(change, place, side, way, candidate, within))
    // Among several shapes of a type, the one with the fewest breaks is the successor.
    return found.toSorted((a, b) => a.length - b.length)[0] ?? [`${place} is no longer ${kindOf(way)}`]
  })
  if (side === 'sent') return lost
  const added = newerWays.filter((way) => !olderWays.some((candidate) => holds(candidate, way, 'sent')))
  return [...lost, ...added.map((way) => `${place} may now be ${kindOf(way)}`)]
}

/** Returns the alternatives that a schema allows, each of one type. */
function waysOf(schema: Schema, description: Description): Schema[] {
  if (schema.$ref) {
    const named = description.components?.schemas?.[schema.$ref.replace('#/components/schemas/', '')]
    if (!named) throw new Error(`${schema.$ref} is not in the description`)
    return waysOf(named, description)
  }
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return alternatives.flatMap((alternative) => waysOf(alternative, description))
  return Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema]
}

const kindOf = ({ type }: Schema) => (type === undefined ? 'anything' : String(type))

/** Whether a schema accepts the type of the other one. An answer may not become less specific. */
function holds(schema: Schema, other: Schema, side: Side): boolean {
  const [kind, wanted] = [kindOf(schema), kindOf(other)]
  if (kind === wanted) return true
  return side === 'sent'
    ? kind === 'anything' || (kind === 'number' && wanted === 'integer')
    : wanted === 'anything' || (kind === 'integer' && wanted === 'number')
}

function wayBreaks(
  change: Change,
  place: string,
  side: Side,
  before: Schema,
  after: Schema,
  seen: readonly string[],
): string[] {
  const inner = (name: string, older: Schema, newer: Schema) =>
    schemaBreaks(change, `${place}${name}`, side, older, newer, seen)
  const breaks = [...valueBreaks(place, side, before, after), ...boundBreaks(place, side, before, after)]
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const now = after.properties?.[name]
    breaks.push(...(now ? inner(`.${name}`, schema, now) : [`${place}.${name} was removed`]))
  }
  const [wasRequired, isRequired] = [before.required ?? [], after.required ?? []]
  if (side === 'sent') {
    const demanded = isRequired.filter((name) => !wasRequired.includes(name))
    breaks.push(...demanded.map((name) => `${place}.${name} is now required`))
  } else {
    const optional = wasRequired.filter((name) => !isRequired.includes(name) && after.properties?.[name])
    breaks.push(...optional.map((name) => `${place}.${name} is now optional`))
  }
  if (before.items) breaks.push(...inner('[]', before.items, after.items ?? {}))
  const [others, othersNow] = [before.additionalProperties, after.additionalProperties]
  if (side === 'sent' && others !== false && othersNow === false && before.type === 'object') {
    breaks.push(`${place} no longer accepts other fields`)
  }
  if (typeof others === 'object' && typeof othersNow === 'object') breaks.push(...inner('.*', others, othersNow))
  if (before.propertyNames) breaks.push(...inner(' keys', before.propertyNames, after.propertyNames ?? {}))
  return breaks
}

function valueBreaks(place: string, side: Side, before: Schema, after: Schema): string[] {
  const valuesOf = (schema: Schema) => schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  const [values, now] = [valuesOf(before), valuesOf(after)]
  if (!now) return []
  if (!values) return side === 'sent' ? [`${place} now accepts only ${now.join(', ')}`] : []
  return values
    .filter((value) => !now.includes(value))
    .map((value) => `${place} no longer has the value ${String(value)}`)
}

const MOST = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum']
const LEAST = ['minLength', 'minItems', 'minProperties', 'minimum', 'exclusiveMinimum']

function boundBreaks(place: string, side: Side, before: Schema, after: Schema): string[] {
  if (side === 'answered') {
    return before.format && before.format !== after.format ? [`${place} is no longer a ${before.format}`] : []
  }
  const bound = (schema: Schema, keyword: string, otherwise: number) => Number(schema[keyword] ?? otherwise)
  const tighter = [
    ...MOST.filter((keyword) => bound(after, keyword, Infinity) < bound(before, keyword, Infinity)),
    ...LEAST.filter((keyword) => bound(after, keyword, -Infinity) > bound(before, keyword, -Infinity)),
    ...['pattern', 'format'].filter((keyword) => after[keyword] !== undefined && after[keyword] !== before[keyword]),
  ]
  return tighter.map((keyword) => `${place} now has a stricter ${keyword}: ${String(after[keyword])}`)
}
