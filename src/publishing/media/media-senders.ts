import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'

/**
 * The maximum number of uploads of a person that a process receives at the same time, and of refused ones that it reads
 * out.
 */
export const UPLOADS_AT_ONCE = 20
/** Milliseconds until the first check of an upload's speed, and between later checks. */
const FIRST_LOOK = 60_000
const NEXT_LOOK = 5_000
/** The minimum rate in bytes per second, on average since the beginning. */
const LEAST_RATE = 1024
/** Seconds after which a refused sender may retry. */
const AGAIN_AFTER = 2
/** Milliseconds that a sender has to finish its body before it is refused, and then to read the reason. */
const LAST_ANSWER = 2_000

/** Rejects when the sender is too slow; never resolves. */
type Stopped = Promise<never>
type Senders = <T>(request: FastifyRequest, reply: FastifyReply, work: (stopped: Stopped) => Promise<T>) => Promise<T>

/**
 * Limits what slow senders hold: at most `UPLOADS_AT_ONCE` bodies of one person, each at `LEAST_RATE` or more after its
 * first minute (divided by `timeScale`). A body counts until its last byte arrives or its connection is gone, whenever
 * it was answered. A further upload is refused once it has ended, at the latest after `LAST_ANSWER`. If as many refused
 * ones are already being read, it is refused immediately, and its sender may miss the answer. Throws `rate_limited`,
 * `upload_too_slow`; both end the connection.
 */
export function createSenders(timeScale: number): Senders {
  const received = createPlaces(UPLOADS_AT_ONCE)
  const refused = createPlaces(UPLOADS_AT_ONCE)

  return async (request, reply, work) => {
    const { userId } = request.caller!
    const { raw } = request
    const leave = received(userId)
    if (!leave) {
      const end = refused(userId)
      if (end) await readOut(request).finally(end)
      endConnection(request, reply)
      const message = `You can run at most ${UPLOADS_AT_ONCE} uploads at once. Try again when one is done.`
      throw new AppError('rate_limited', message, { retryAfter: AGAIN_AFTER })
    }
    const over = new AbortController()
    const stopped = tooSlow(request, timeScale, over.signal).catch((error: unknown) => {
      if (!over.signal.aborted) endConnection(request, reply)
      throw error
    })
    // `work` handles the rejection only while it reads; without this handler it would end the process.
    stopped.catch(() => undefined)
    try {
      return await work(stopped)
    } finally {
      over.abort()
      if (raw.complete || raw.destroyed) leave()
      else raw.once('close', leave)
    }
  }
}

/**
 * Limits each person to `most` places. Taking one returns the function that frees it, or undefined if all are taken.
 */
function createPlaces(most: number) {
  const counts = new Map<string, number>()
  return (userId: string): (() => void) | undefined => {
    const count = counts.get(userId) ?? 0
    if (count >= most) return undefined
    counts.set(userId, count + 1)
    return () => {
      const left = (counts.get(userId) ?? 1) - 1
      if (left > 0) counts.set(userId, left)
      else counts.delete(userId)
    }
  }
}

async function tooSlow({ raw }: FastifyRequest, timeScale: number, signal: AbortSignal): Stopped {
  const started = performance.now()
  // Bytes that wait to be read have already arrived.
  const before = raw.socket.bytesRead - raw.readableLength
  for (let pause = FIRST_LOOK; ; pause = NEXT_LOOK) {
    await sleep(pause / timeScale, undefined, { signal, ref: false })
    const seconds = (performance.now() - started) / 1000
    if (!raw.complete && raw.socket.bytesRead - before < LEAST_RATE * seconds) throw new AppError('upload_too_slow')
  }
}

/** Discards incoming bytes for a moment, since a sender that is answered while it writes can miss the answer. */
async function readOut({ raw }: FastifyRequest): Promise<void> {
  raw.resume()
  const signal = AbortSignal.timeout(LAST_ANSWER)
  // The sender is refused next, whatever happened to its body.
  await Promise.allSettled([finished(raw, { signal })])
}

/** Sends the answer, then closes the connection, which its sender would otherwise keep open. */
function endConnection({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.header('connection', 'close')
  reply.raw.once('finish', () => setTimeout(() => raw.socket.destroy(), LAST_ANSWER).unref())
}

/** Yields items until the sender is stopped. Does not wait for the next item, which may never come. */
export async function* untilStopped<T>(items: AsyncIterable<T>, stopped: Stopped): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  let isOver = false
  // One handler for all items: racing each with `stopped` would keep every item in memory until the end.
  const stop = { waits: (_error: unknown) => {}, error: undefined as unknown }
  stopped.catch((error: unknown) => {
    stop.error = error
    stop.waits(error)
  })
  try {
    for (;;) {
      if (stop.error !== undefined) throw stop.error
      const { done, value } = await new Promise<IteratorResult<T>>((resolve, reject) => {
        stop.waits = reject
        iterator.next().then(resolve, reject)
      })
      isOver = done === true
      if (done) return
      yield value
    }
  } finally {
    // The error that ended the reading is already thrown; a further error of the source adds nothing.
    if (!isOver) iterator.return?.().catch(() => undefined)
  }
}
