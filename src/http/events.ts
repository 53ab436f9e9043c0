import type { FastifyInstance } from 'fastify'
import type { Event, Events, Hint } from '../platform/events.ts'
import { streamEvents } from './api.ts'
import type { Role } from './endpoint.ts'

const BEAT_EVERY = 20_000
/** What a CLIENT can fetch. */
const FOR_CLIENTS: readonly Event['kind'][] = ['post', 'workspace', 'notification']

/**
 * The live stream of a workspace. It ends with the access token that opened it: 15 minutes, then the client comes again; and with
 * the role, which is looked at whenever the workspace changes.
 */
export function registerEvents(
  app: FastifyInstance,
  events: Events,
  lifetime: number,
  roleOf: (userId: string, workspaceId: string) => Promise<Role | null>,
) {
  const open = new Set<() => void>()
  app.addHook('preClose', async () => {
    for (const close of open) close()
  })

  app.route({
    ...streamEvents,
    handler: (request, reply) => {
      reply.hijack()
      const { raw } = reply
      raw.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-request-id': request.id,
      })
      const lastEventId = request.headers['last-event-id']
      const { userId, role } = request.caller!
      const { workspaceId } = request.scope
      const write = ({ id, event }: Hint) => {
        if (role === 'CLIENT' && !FOR_CLIENTS.includes(event.kind)) return
        raw.write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`)
        if (event.kind !== 'workspace') return
        roleOf(userId, workspaceId).then(
          (now) => now === role || raw.end(),
          () => raw.end(),
        )
      }
      const { missed, close } = events.subscribe(
        workspaceId,
        typeof lastEventId === 'string' ? lastEventId : undefined,
        write,
      )
      raw.write(': open\n\n')
      if (missed === 'reset') raw.write('event: reset\ndata: {}\n\n')
      else missed.forEach(write)
      const beat = setInterval(() => raw.write(': alive\n\n'), BEAT_EVERY)
      const end = setTimeout(() => raw.end(), lifetime)
      const stop = () => raw.end()
      open.add(stop)
      raw.on('close', () => {
        close()
        clearInterval(beat)
        clearTimeout(end)
        open.delete(stop)
      })
    },
  })
}
