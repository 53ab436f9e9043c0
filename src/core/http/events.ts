import type { FastifyInstance } from 'fastify'
import type { Event, Events, Hint } from '../platform/events.ts'
import { NO_WORKSPACE } from '../platform/scope.ts'
import { streamEvents } from './api.ts'
import type { Role } from './endpoint.ts'
import { openEventStream } from './event-stream.ts'

/** Streams per person in this process. */
const STREAMS = 20
const BURST = 100
/** The kinds of events whose data a CLIENT can fetch. */
const FOR_CLIENTS: readonly Event['kind'][] = ['post', 'conversation', 'workspace', 'notification']

/** A hint as one member receives it: no notices of others; for a CLIENT no post id, since the post may be a draft. */
function toldTo(event: Event, userId: string, role: Role | null): { kind: string; id: string | null } | null {
  if (event.kind === 'notification' && event.id !== userId) return null
  if (role !== 'CLIENT') return event
  if (!FOR_CLIENTS.includes(event.kind)) return null
  return event.kind === 'post' ? { ...event, id: null } : event
}

interface Stream {
  /** Ends the stream if its session has ended or its role has changed. */
  endIfRefused(): void
  /** Tells the client to fetch again. */
  reset(): void
  stop(): void
}

/**
 * The live stream of a workspace. It ends after `lifetime` milliseconds, and the client reconnects with a newer token.
 * It also ends with the session or the role; both are checked with each heartbeat and whenever the workspace changes.
 */
export function registerEvents(
  app: FastifyInstance,
  events: Events,
  lifetime: number,
  roleOf: (sessionId: string, workspaceId: string) => Promise<Role | null>,
) {
  const open = new Map<string, Set<Stream>>()
  // The end of a session is published outside any workspace, under the person's id; the person's streams check at once.
  const { close: unsubscribe } = events.subscribe(NO_WORKSPACE, undefined, ({ event }) => {
    if (event.kind === 'session') for (const { endIfRefused } of open.get(event.id) ?? []) endIfRefused()
  })
  const unsubscribeFromLoss = events.subscribeToLoss(() => {
    for (const streams of open.values()) for (const { reset } of streams) reset()
  })
  app.addHook('preClose', async () => {
    unsubscribe()
    unsubscribeFromLoss()
    for (const streams of open.values()) for (const { stop } of streams) stop()
  })

  app.route({
    ...streamEvents,
    handler: (request, reply) => {
      const lastEventId = request.headers['last-event-id']
      const { userId, sessionId, role } = request.caller!
      const { workspaceId } = request.scope
      const streams = open.get(userId) ?? new Set()
      let burst: NodeJS.Timeout | undefined
      function endIfRefused() {
        burst = undefined
        roleOf(sessionId, workspaceId).then((now) => now === role || stop(), stop)
      }
      const sent = openEventStream(reply, { onBeat: endIfRefused })
      const write = ({ id, event }: Hint) => {
        const told = toldTo(event, userId, role)
        if (told) sent.send(told, { id })
        if (event.kind === 'workspace') burst ??= setTimeout(endIfRefused, BURST)
      }
      const since = typeof lastEventId === 'string' ? lastEventId : undefined
      const { missed, close } = events.subscribe(workspaceId, since, write)
      const end = setTimeout(stop, lifetime)
      function stop() {
        if (!streams.delete(stream)) return
        close()
        clearTimeout(burst)
        clearTimeout(end)
        if (streams.size === 0 && open.get(userId) === streams) open.delete(userId)
        sent.end()
      }
      const reset = () => sent.send({}, { event: 'reset' })
      const stream = { endIfRefused, reset, stop }
      const [oldest] = streams
      if (streams.size >= STREAMS) oldest?.stop()
      open.set(userId, streams.add(stream))
      reply.raw.once('close', stop)
      if (missed === 'reset') reset()
      else missed.forEach(write)
    },
  })
}
