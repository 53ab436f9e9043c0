import type { State } from '../state.ts'
import type { Store } from '../store.ts'
import { parseFields, show } from './fields.ts'
import type { NodeType } from './fields.ts'
import type { Params } from './params.ts'
import { text } from './params.ts'
import type { GraphApp, GraphCaller } from './tokens.ts'

export type GraphOptions = {
  apps: GraphApp[]
  /**
   * The number of calls that one network user may make per rolling hour, with their own tokens and those of their
   * pages.
   */
  callLimit: number
  /** Refuses calls without `appsecret_proof`. */
  requireProof: boolean
  /** Divides the network's processing times. */
  timeScale: number
  /** The real milliseconds within which the URL of a photo must answer. */
  fetchTimeoutMs: number
}

/** One call to the Graph API, as its handlers see it. */
export type GraphRequest = GraphOptions & {
  store: Store
  method: string
  /** The address of the sandbox, without a trailing slash. */
  base: string
  /** The address of this call without its query, for the links to other pages of a list. */
  address: string
  params: Params
  ids: Record<string, string>
  /** The token, from any of its possible places. */
  token: string | undefined
  /** Returns the caller. Throws the refusal of a missing or invalid token. */
  caller: () => GraphCaller
  /** Set by a handler whose effect is done, if its answer must be lost. */
  cut: boolean
}

export type Handler = (call: GraphRequest) => object | Promise<object>

/** Returns the id of the next object. Recording the object consumes the id. */
export const newId = ({ store }: GraphRequest) => String(store.state.nextId)

/** The data that a node needs to render itself. */
export type View = { base: string; state: State; call: GraphRequest }

/** Returns the id that the call is about. `me` is the page for a page token, and the person for a user token. */
export function idOf(call: GraphRequest): string {
  const id = call.ids['id'] ?? 'me'
  if (id !== 'me') return id
  const { pageId, userId } = call.caller()
  return pageId ?? userId
}

/** Renders a node with the `fields` of the call. */
export function answerNode<T extends { id: string }>(call: GraphRequest, type: NodeType<T, View>, node: T): object {
  const asked = text(call.params, 'fields')
  return show(type, node, asked ? parseFields(asked) : undefined, { base: call.base, state: call.store.state, call })
}

/**
 * Renders one page of a list. `items` are newest first, identified by a decreasing `key`. A cursor stays valid if items
 * were added or removed since, and `next` is present only if there are more items.
 */
export function answerList<T extends { id: string }>(
  call: GraphRequest,
  type: NodeType<T, View>,
  items: { key: number; node: T }[],
  limit: number,
): object {
  const { params } = call
  const asked = text(params, 'fields')
  const fields = asked ? parseFields(asked) : undefined
  const [after, before] = [cursor(text(params, 'after')), cursor(text(params, 'before'))]
  const range = items.filter(
    ({ key }) => (after === undefined || key < after) && (before === undefined || key > before),
  )
  const backwards = before !== undefined && after === undefined
  const page = backwards ? range.slice(-limit) : range.slice(0, limit)
  const [first, last] = [page[0]?.key, page.at(-1)?.key]
  const view = { base: call.base, state: call.store.state, call }
  // As on the real network, a link contains the token, so it must not be logged.
  const link = (name: string, key: number) => {
    const query = new URLSearchParams([...params].map(([param, value]) => [param, String(value)]))
    for (const other of ['after', 'before']) query.delete(other)
    if (call.token !== undefined) query.set('access_token', call.token)
    query.set(name, toCursor(key))
    return `${call.address}?${query}`
  }
  return {
    data: page.map(({ node }) => show(type, node, fields, view)),
    ...(first !== undefined &&
      last !== undefined && {
        paging: {
          cursors: { before: toCursor(first), after: toCursor(last) },
          ...(items.some(({ key }) => key > first) && { previous: link('before', first) }),
          ...(items.some(({ key }) => key < last) && { next: link('after', last) }),
        },
      }),
  }
}

const toCursor = (key: number) => Buffer.from(`c${key}`).toString('base64url')

function cursor(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  const key = /^c(-?\d+)$/.exec(Buffer.from(value, 'base64url').toString())?.[1]
  // An unreadable cursor is beyond the last item. This gives an empty page, never the first one again.
  return key === undefined ? Number.NEGATIVE_INFINITY : Number(key)
}
