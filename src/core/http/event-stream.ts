import type { FastifyReply } from 'fastify'

/** Milliseconds. Proxies cut connections that are silent for half a minute or longer. */
const BEAT_EVERY = 20_000
/** The bytes that a client may leave unread before its connection is closed. */
const MOST_UNREAD = 1_048_576

export interface EventStream {
  /** Sends one event. Clients dispatch on its name, and after reconnecting ask for the events after its id. */
  send(data: object, named?: { id?: string; event?: string }): void
  end(): void
}

/**
 * Turns the answer into a stream of server-sent events that Fastify no longer manages. `onBeat` runs with each
 * heartbeat, every 20 seconds, until either side closes the stream.
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
      if (raw.writableLength > MOST_UNREAD) raw.destroy()
    },
    end() {
      clearInterval(beat)
      raw.end()
    },
  }
}
