import type { InvalidateOptions, QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { address, authorizedFetch, problemOf } from './client.ts'
import { session } from './session.ts'
import { waitOrOnline } from './wait.ts'

type LiveState = 'connecting' | 'open' | 'lost'

let state: LiveState = 'connecting'
const listeners = new Set<() => void>()

function set(next: LiveState) {
  if (state === next) return
  state = next
  for (const listener of listeners) listener()
}

export const useLiveState = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => state,
  )

interface Hint {
  kind:
    | 'post'
    | 'media'
    | 'account'
    | 'conversation'
    | 'presence'
    | 'workspace'
    | 'notification'
    | 'session'
    | 'generation'
  /** null: some post. A CLIENT does not learn which, because it may be a draft. */
  id: string | null
}

interface Stale {
  /** Kinds of queries of the workspace. */
  all?: readonly string[]
  /** Kinds of queries about one object, whose key continues with its id. */
  one?: readonly string[]
  /** Queries outside workspaces. */
  outside?: readonly string[]
}

/** The queries that a hint makes stale. Conversations have `staleThreads`. */
const STALE: Partial<Record<Hint['kind'], Stale>> = {
  post: {
    all: ['posts', 'calendar', 'approvals', 'review-links'],
    one: ['post', 'comments', 'versions', 'post-events'],
  },
  generation: { all: ['generations', 'suggestions', 'usage'] },
  media: { all: ['media'] },
  account: { all: ['accounts', 'post'] },
  notification: { outside: ['notifications'] },
  workspace: {
    all: [
      'workspace',
      'members',
      'invitations',
      'usage',
      'subscription',
      'labels',
      'views',
      'approvals',
      'saved-replies',
      'segments',
      'escalation-rules',
      'bot-config',
      'experiments',
      'ab-tests',
      'competitors',
      'reports',
    ],
    outside: ['me'],
  },
}

/** Invalidates the queries that a hint makes stale. Query keys begin with the workspace. */
function apply(client: QueryClient, workspace: string, { kind, id }: Hint) {
  if (kind === 'conversation') return staleThreads(client, workspace, id)
  // Who reads or types is in the thread itself, and changes often.
  if (kind === 'presence') return void client.invalidateQueries({ queryKey: [workspace, 'conversation', id, 'open'] })
  const { all = [], one = [], outside = [] } = STALE[kind] ?? {}
  const keys = [
    ...all.map((each) => [workspace, each]),
    ...one.map((each) => [workspace, each, ...(id === null ? [] : [id])]),
    ...outside.map((each) => [each]),
  ]
  for (const queryKey of keys) void client.invalidateQueries({ queryKey })
}

/** Comments arrive in bursts. Hints within this window share one invalidation. */
const CROWD_MS = 150
const crowds = new Map<string, Set<string | null>>()

function staleThreads(client: QueryClient, workspace: string, id: string | null) {
  const crowd = crowds.get(workspace)
  if (crowd) {
    crowd.add(id)
    return
  }
  const ids = new Set([id])
  crowds.set(workspace, ids)
  setTimeout(() => {
    crowds.delete(workspace)
    for (const kind of ['conversations', 'drafts', 'draft', 'audience'])
      void client.invalidateQueries({ queryKey: [workspace, kind] })
    for (const one of ids)
      void client.invalidateQueries({ queryKey: [workspace, 'conversation', ...(one === null ? [] : [one])] })
  }, CROWD_MS)
}

/** Yields the events of a server-sent event stream. Calls `onComment` for comments, such as heartbeats. */
export async function* eventsOf(body: ReadableStream<Uint8Array>, onComment?: () => void) {
  // Only streams need it, so it loads after the screen.
  const { EventSourceParserStream } = await import('eventsource-parser/stream')
  // Safari cannot iterate over a stream.
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream({ onComment }))
    .getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

/**
 * The service sends a heartbeat every 20 seconds. A connection that stays silent for much longer is dead, even if it
 * reports no error.
 */
const SILENCE_MS = 55_000

/**
 * Keeps a stream of hints open for a workspace until the returned function is called. Reconnects with growing pauses.
 */
export function follow(client: QueryClient, workspace: string): () => void {
  const abort = new AbortController()
  let lastId = ''
  let failures = 0
  let broken = false

  const renew = (options?: InvalidateOptions) => {
    for (const key of [workspace, 'notifications']) void client.invalidateQueries({ queryKey: [key] }, options)
  }

  const once = async () => {
    const headers: Record<string, string> = { accept: 'text/event-stream' }
    if (lastId) headers['last-event-id'] = lastId
    const url = address('streamEvents', { id: workspace })
    const line = new AbortController()
    const end = () => line.abort()
    abort.signal.addEventListener('abort', end, { once: true })
    let watch = setTimeout(end, SILENCE_MS)
    try {
      await read(url, headers, line.signal, () => {
        clearTimeout(watch)
        watch = setTimeout(end, SILENCE_MS)
      })
    } finally {
      clearTimeout(watch)
      abort.signal.removeEventListener('abort', end)
    }
  }

  const read = async (url: string, headers: Record<string, string>, signal: AbortSignal, alive: () => void) => {
    const response = await authorizedFetch(url, { headers, signal, cache: 'no-store' })
    if (response.status === 401) session.lost(problemOf(401, await response.text()).code)
    if (!response.ok || !response.body) throw new Error(`The stream answered ${response.status}`)
    set('open')
    failures = 0
    // Without a last event id the service cannot replay missed hints, so what was loaded before may be stale. Requests
    // under way as the first stream opens are as new as the stream.
    if (!lastId) renew({ cancelRefetch: broken })
    broken = false
    for await (const { id, event, data } of eventsOf(response.body, alive)) {
      alive()
      if (id) lastId = id
      if (event === 'reset') renew()
      else apply(client, workspace, JSON.parse(data) as Hint)
    }
  }

  const run = async () => {
    while (!abort.signal.aborted) {
      try {
        await once()
      } catch (error) {
        if (abort.signal.aborted) return
        console.warn('Live updates are interrupted.', error)
      }
      failures++
      broken = true
      if (failures > 1) set('lost')
      await waitOrOnline(Math.min(30_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2), abort.signal)
    }
  }

  set('connecting')
  void run()
  return () => abort.abort()
}
