import type { State } from '../state.ts'
import type { Store } from '../store.ts'
import { parseFields, show } from './fields.ts'
import type { NodeType } from './fields.ts'
import type { Params } from './params.ts'
import { text } from './params.ts'
import type { GraphApp, GraphCaller } from './tokens.ts'

export type GraphOptions = {
  apps: GraphApp[]
  /** Calls per rolling hour that one network user may make, by its own tokens and by its pages'. */
  callLimit: number
  /** Refuses calls without `appsecret_proof`. */
  requireProof: boolean
  /** Divides the network's own working times. */
  timeScale: number
  /** Real milliseconds within which a photo's URL has to answer. */
  fetchTimeoutMs: number
}

/** One call to the Graph API, as its handlers see it. */
export type GraphRequest = GraphOptions & {
  store: Store
  method: string
  /** The address of the sandbox, without a slash at its end. */
  base: string
  /** The address of this call without its query: where the links to further pages of a list lead. */
  address: string
  params: Params
  ids: Record<string, string>
  /** The token as it was sent, in whichever place. */
  token: string | undefined
  /** The caller. Throws the refusal of a missing or dead token. */
  caller: () => GraphCaller
  /** Set by a handler whose effect is done and whose answer must not arrive. */
  cut: boolean
}

export type Handler = (call: GraphRequest) => object | Promise<object>

/** An id for what is made next. Recording it takes the id. */
export const newId = ({ store }: GraphRequest) => String(store.state.nextId)

/** The facts that a node needs to show itself. */
export type View = { base: string; state: State; call: GraphRequest }

/** The id that the call is about; `me` is the page of a page's token, the person of a person's. */
export function idOf(call: GraphRequest): string {
  const id = call.ids['id'] ?? 'me'
  if (id !== 'me') return id
  const { pageId, userId } = call.caller()
  return pageId ?? userId
}

/** Shows a node by the `fields` of the call. */
export function answerNode<T extends { id: string }>(call: GraphRequest, type: NodeType<T, View>, node: T): object {
  const asked = text(call.params, 'fields')
  return show(type, node, asked ? parseFields(asked) : undefined, { base: call.base, state: call.store.state, call })
}

/**
 * Shows one page of a list: `items` newest first, told apart by `key`, a number that falls. A page goes on from its
 * cursor even when items came or went meanwhile; `next` is there only while there is more.
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
  // As on the real network a link carries the token: it is not for logs.
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
  // A cursor that cannot be read stands behind the last item: an empty page, never the first one again.
  return key === undefined ? Number.NEGATIVE_INFINITY : Number(key)
}
