import { createReadStream } from 'node:fs'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '../errors.ts'
import { older, unlessMissing } from './storage.ts'

/** Files that arrive in pieces, each under an id of ours. Written bytes survive when the process is killed. */
export interface Partials {
  create(id: string): Promise<void>
  /** The number of stored bytes; undefined if the file does not exist. */
  size(id: string): Promise<number | undefined>
  /**
   * Writes bytes as they arrive, starting at this position. Keeps the bytes that came before a broken connection. First
   * stops an earlier writer of the same file, for example on a dead connection.
   */
  write(id: string, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Stops the writer of the file, so that its size stays fixed. */
  stopWriting(id: string): Promise<void>
  read(id: string, range?: { start: number; end: number }): Readable
  remove(id: string): Promise<void>
  /** The ids of files without a write since a time. */
  older(than: Date): AsyncIterable<string>
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Files below one folder. */
export async function openPartials(folder: string): Promise<Partials> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = (id: string) => {
    if (!ID.test(id)) throw new Error('Not an upload ID')
    return join(folder, id)
  }
  const writing = new Map<string, { stop: AbortController; over: Promise<void> }>()

  async function stopWriting(id: string): Promise<void> {
    const one = writing.get(id)
    one?.stop.abort()
    await one?.over
  }

  async function write(id: string, offset: number, bytes: AsyncIterable<Uint8Array>, stop: AbortSignal) {
    const stopped = new Promise<never>((_, reject) => {
      stop.addEventListener('abort', () =>
        reject(
          new AppError(
            'invalid_state',
            'Another request took over this upload. Check its offset before you send more.',
            { current: 'taken_over', allowed: [] },
          ),
        ),
      )
    })
    stopped.catch(() => undefined)
    const file = await open(path(id), 'r+')
    const iterator = bytes[Symbol.asyncIterator]()
    try {
      for (let at = offset; ;) {
        const { done, value } = await Promise.race([iterator.next(), stopped])
        if (done) break
        // Writes by position, so two writers of the same piece write the same file.
        await file.write(value, 0, value.byteLength, at)
        at += value.byteLength
      }
    } finally {
      // Not awaited: a stopped stream may never deliver its next bytes.
      void iterator.return?.()
      await file.datasync()
      await file.close()
    }
  }

  return {
    async create(id) {
      const file = await open(path(id), 'wx', 0o600)
      await file.close()
    },
    size: async (id) => (await unlessMissing(stat(path(id))))?.size,
    async write(id, offset, bytes) {
      // Loops until no writer is left, since another waiter may have been first.
      while (writing.has(id)) await stopWriting(id)
      const stop = new AbortController()
      const work = write(id, offset, bytes, stop.signal)
      writing.set(id, { stop, over: work.then(undefined, () => undefined) })
      try {
        await work
      } finally {
        writing.delete(id)
      }
    },
    stopWriting,
    read: (id, range) => createReadStream(path(id), range),
    remove: (id) => rm(path(id), { force: true }),
    async *older(than) {
      for await (const name of older(folder, than)) if (ID.test(name)) yield name
    },
  }
}
