import * as z from 'zod'

/**
 * Finds the objects of the first list in a model's output while it arrives, each as soon as its last brace is there.
 * Skips a code fence around the list and words before it.
 */
export function readItems(onObject: (value: unknown) => void) {
  let text = ''
  let at = 0
  /** The open brackets, outermost first. */
  let open = ''
  let inString = false
  let start = -1
  let list = -1
  let whole = false
  let broken = false

  function step(sign: string): void {
    if (inString) {
      if (sign === '\\') at += 1
      else if (sign === '"') inString = false
      return
    }
    if (sign === '"') {
      inString = open !== ''
    } else if (sign === '{' || sign === '[') {
      if (sign === '[' && list < 0) list = open.length
      if (sign === '{' && open.length === list + 1 && list >= 0) start = at
      open += sign
    } else if ((sign === '}' || sign === ']') && open !== '') {
      broken ||= open.at(-1) !== (sign === '}' ? '{' : '[')
      open = open.slice(0, -1)
      if (start >= 0 && open.length === list + 1) {
        take(text.slice(start, at + 1))
        start = -1
      }
      whole ||= open === ''
    }
  }

  function take(json: string): void {
    try {
      onObject(JSON.parse(json))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      broken = true
    }
  }

  return {
    write(piece: string): void {
      text += piece
      // An escape at the end of a piece waits for the escaped character.
      for (; at < text.length && !whole && !(inString && text[at] === '\\' && at + 1 === text.length); at += 1) {
        step(text[at] as string)
      }
    },
    /** Whether the answer was valid JSON from its first bracket to its last. */
    isWhole: (): boolean => {
      if (!whole || broken) return false
      const first = text.search(/[[{]/)
      return isJson(text.slice(first, at))
    },
    /** The answer as one object, for a model that was asked for one item and left out the list. */
    single: (): unknown => {
      const first = text.search(/[[{]/)
      return text[first] === '{' && whole && isJson(text.slice(first, at))
        ? JSON.parse(text.slice(first, at))
        : undefined
    },
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

type Schema = { [name: string]: unknown }

/** Limits that providers do not support in a schema. zod checks them instead. */
const LEFT_OUT = [
  '$schema',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'default',
]

const schemas = new WeakMap<z.ZodType, Schema>()

/**
 * The schema of a list of these items, as strict as providers require: every property is required, and no other is
 * allowed.
 */
export function listSchema(item: z.ZodType): Schema {
  let schema = schemas.get(item)
  if (!schema) {
    schema = {
      type: 'object',
      properties: { items: { type: 'array', items: strict(z.toJSONSchema(item, { target: 'draft-7', io: 'input' })) } },
      required: ['items'],
      additionalProperties: false,
    }
    schemas.set(item, schema)
  }
  return schema
}

function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  const { properties, ...rest } = schema as Schema & { properties?: Schema }
  const kept = Object.entries(rest).filter(([name]) => !LEFT_OUT.includes(name))
  const made = Object.fromEntries(kept.map(([name, value]) => [name, strict(value)]))
  if (properties === undefined) return made
  return {
    ...made,
    properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, strict(value)])),
    required: Object.keys(properties),
    additionalProperties: false,
  }
}
