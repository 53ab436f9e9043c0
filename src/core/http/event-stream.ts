import type { FastifyReply } from 'fastify'

/** A proxy cuts off a connection that is silent for half a minute or longer. */
const BEAT_EVERY = 20_000

export interface EventStream {
  /** Sends one event. Clients dispatch by its name, and ask for what follows its id when they come again. */
  send(data: object, named?: { id?: string; event?: string }): void
  /** Ends the answer. */
  end(): void
}

/**
 * Makes the answer a stream of server-sent events and takes it out of Fastify's hands. `onBeat` runs with each sign of life,
 * every 20 seconds until the stream is closed from either side.
 */
export function openEventStream(
  reply: FastifyReply,
  { headers, onBeat }: { headers?: Record<string, string>; onBeat?: () => void } = {},
): EventStream {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...headers,
  })
  raw.write(': open\n\n')
  const beat = setInterval(() => {
    raw.write(': alive\n\n')
    onBeat?.()
  }, BEAT_EVERY)
  raw.once('close', () => clearInterval(beat))
  return {
    send(data, { id, event } = {}) {
      const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
      raw.write(`${head}data: ${JSON.stringify(data)}\n\n`)
    },
    end() {
      clearInterval(beat)
      raw.end()
    },
  }
}
