import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { Duplex } from 'node:stream'
import type pg from 'pg'

/** What pg's connection can do for COPY, which its types leave out. */
interface CopyConnection {
  stream: Duplex
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/**
 * Runs `copy … to stdout`. The stream gives a row a chunk, waits while its reader does, and fails with the server's
 * error. The client runs no other statement until it has ended.
 */
export function copyTo(client: pg.Client, text: string): AsyncIterable<Buffer> {
  let connection: CopyConnection | undefined
  const rows = new Readable({ highWaterMark: 1024 * 1024, read: () => connection?.stream.resume() })
  client.query({
    submit(sent: unknown) {
      connection = sent as CopyConnection
      connection.query(text)
    },
    handleCopyData({ chunk }: { chunk: Buffer }) {
      // The chunk is a part of a buffer that is used again.
      if (!rows.push(Buffer.from(chunk))) connection?.stream.pause()
    },
    handleCommandComplete() {},
    handleReadyForQuery: () => rows.push(null),
    handleError: (error: Error) => rows.destroy(error),
  })
  return rows
}

/** Runs `copy … from stdin` with what the source gives. Rejects with the server's error or the source's. */
export async function copyFrom(client: pg.Client, text: string, source: AsyncIterable<Buffer>): Promise<void> {
  let connection: CopyConnection | undefined
  let failed: Error | undefined
  const ended = new Promise<void>((done, fail) => {
    const pump = async () => {
      if (!connection) return
      try {
        for await (const chunk of source) {
          if (failed) return
          connection.sendCopyFromChunk(chunk)
          if (connection.stream.writableNeedDrain) await Promise.race([once(connection.stream, 'drain'), ended])
        }
        connection.endCopyFrom()
      } catch (error) {
        if (failed) return
        failed = error instanceof Error ? error : new Error(String(error))
        connection.sendCopyFail('the source failed')
      }
    }
    client.query({
      submit(sent: unknown) {
        connection = sent as CopyConnection
        connection.query(text)
      },
      handleCopyInResponse: () => void pump(),
      handleCommandComplete() {},
      handleReadyForQuery: () => done(),
      handleError(error: Error) {
        failed ??= error
        fail(failed)
      },
    })
  })
  await ended
}
