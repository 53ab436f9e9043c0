import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'

/** Uploads of one person that a process receives at the same time, and refused ones that it reads out at the same time. */
export const UPLOADS_AT_ONCE = 20
/** Milliseconds after which an upload must have moved, and between two looks from then on. */
const FIRST_LOOK = 60_000
const NEXT_LOOK = 5_000
/** The least bytes per second, on average since its begin. */
const LEAST_RATE = 1024
/** Seconds after which a refused sender may try again. */
const AGAIN_AFTER = 2
/** Milliseconds that a sender has to finish its body before it is refused, and then to read why. */
const LAST_ANSWER = 2_000

/** Rejects when the sender is too slow; never resolves. */
type Stopped = Promise<never>
type Senders = <T>(request: FastifyRequest, reply: FastifyReply, work: (stopped: Stopped) => Promise<T>) => Promise<T>

/**
 * Bounds what slow senders hold: at most `UPLOADS_AT_ONCE` bodies of one person, each of at least `LEAST_RATE` after its first
 * minute (divided by `timeScale`). A body counts until its last byte or its connection is gone, whenever it was answered.
 * One more is refused when it has ended, after `LAST_ANSWER` at most. Beyond as many of these, an upload is refused immediately,
 * and its sender may lose the answer.
 * Throws `rate_limited`, `upload_too_slow`; both end the connection.
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
      const message = `At most ${UPLOADS_AT_ONCE} uploads of one person at once.`
      throw new AppError('rate_limited', message, { retryAfter: AGAIN_AFTER })
    }
    const over = new AbortController()
    const stopped = tooSlow(request, timeScale, over.signal).catch((error: unknown) => {
      if (!over.signal.aborted) endConnection(request, reply)
      throw error
    })
    // `work` hears of it only while it reads: unheard it would end the process.
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

/** A limit of `most` places for each person. Taking one returns the function that frees it, or undefined if all are taken. */
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
  // Bytes that wait to be read have come already.
  const before = raw.socket.bytesRead - raw.readableLength
  for (let pause = FIRST_LOOK; ; pause = NEXT_LOOK) {
    await sleep(pause / timeScale, undefined, { signal, ref: false })
    const seconds = (performance.now() - started) / 1000
    if (!raw.complete && raw.socket.bytesRead - before < LEAST_RATE * seconds) throw new AppError('upload_too_slow')
  }
}

/** Throws away what still comes, for a moment: a sender that is answered while it writes can lose the answer. */
async function readOut({ raw }: FastifyRequest): Promise<void> {
  raw.resume()
  const signal = AbortSignal.timeout(LAST_ANSWER)
  // The sender is refused next, whatever became of its body.
  await Promise.allSettled([finished(raw, { signal })])
}

/** Lets the answer leave, then closes the connection: its sender would go on holding it. */
function endConnection({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.header('connection', 'close')
  reply.raw.once('finish', () => setTimeout(() => raw.socket.destroy(), LAST_ANSWER).unref())
}

/** The items until the sender is stopped. The next one may never come: it is not waited for. */
export async function* untilStopped<T>(items: AsyncIterable<T>, stopped: Stopped): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  let isOver = false
  // One reaction for all items: a race of each with `stopped` would keep every item until the end.
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
    // The error that ended the reading is on its way already; what the source says of its own end adds nothing.
    if (!isOver) iterator.return?.().catch(() => undefined)
  }
}
