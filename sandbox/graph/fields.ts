import { refuse } from './errors.ts'

/** A parsed `fields` parameter: each name with its nested fields. */
export type Fields = Map<string, Fields | undefined>

/**
 * Parses `id,attachments{media_type,target{id}},comments.limit(0).summary(total_count)`. Modifiers are skipped. Throws
 * code 2500 for a syntax error, like the real host.
 */
export function parseFields(source: string): Fields {
  let at = 0

  function names(depth: number): Fields {
    if (depth > 8) throw refuse.syntax('Fields are nested too deep')
    const fields: Fields = new Map()
    do {
      const name = take(/\s*([A-Za-z_]\w*)/y)
      if (name === undefined) throw unexpected('a field name')
      while (take(/(\.[a-z_]+\([^()]*\))/y) !== undefined);
      let below: Fields | undefined
      if (take(/(\{)/y) !== undefined) {
        below = names(depth + 1)
        if (take(/\s*(\})/y) === undefined) throw unexpected('"}"')
      }
      fields.set(name, below)
    } while (take(/\s*(,)/y) !== undefined)
    return fields
  }

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at = pattern.lastIndex
    return found?.[1]
  }

  const unexpected = (wanted: string) =>
    refuse.syntax(`Expected ${wanted} instead of ${source[at] ?? 'end of string'} at character ${at}: ${source}`)

  const fields = names(0)
  if (source.slice(at).trim() !== '') throw unexpected('end of string')
  return fields
}

/** A type of node, with the fields that it knows. A known field may be undefined, and is then omitted. */
export type NodeType<T, View> = {
  name: string
  /** The fields of an answer if the call requests none. */
  usual: string[]
  fields: Record<string, (node: T, view: View) => unknown>
}

/**
 * Renders the requested fields of a node, and always its id. Throws code 100 for a field that this type does not have.
 */
export function show<T extends { id: string }, View>(
  type: NodeType<T, View>,
  node: T,
  asked: Fields | undefined,
  view: View,
): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, below] of asked ?? new Map(type.usual.map((field) => [field, undefined] as const))) {
    const read = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
    if (!read) throw refuse.unknownField(name, type.name)
    const value = read(node, view)
    if (value !== undefined) shown[name] = below ? prune(value, below) : value
  }
  return { ...shown, id: node.id }
}

/** Keeps only the requested fields of a nested value. Lists and `data` are transparent. */
function prune(value: unknown, asked: Fields): unknown {
  if (Array.isArray(value)) return value.map((item) => prune(item, asked))
  if (typeof value !== 'object' || value === null) return value
  if ('data' in value && !asked.has('data')) return { ...value, data: prune(value.data, asked) }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => asked.has(name))
      .map(([name, item]) => [name, asked.get(name) ? prune(item, asked.get(name) as Fields) : item]),
  )
}
