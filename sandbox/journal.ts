import { mkdir, open, readFile, rename, truncate } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

/** An append-only file of JSON lines. The order of `append` is the order in the file. */
export type Journal = {
  /**
   * Queues one line at once and returns. `durable` lines are on disk before the next `settled()` ends; the others reach
   * the file in order with them, but nobody waits for the disk.
   */
  append(event: object, durable: boolean): void
  /** Ends when every durable line appended so far is synced to disk; rejects when it could not be written. */
  settled(): Promise<void>
  /** Replaces the whole file by these lines, at once and whole: after a kill it is either the old file or the new. */
  restart(events: object[]): void
  /** Writes what is queued and lets the file go. */
  close(): Promise<void>
}

/** It holds tokens and texts of the sandbox. */
const OWNER_ONLY = 0o600

/**
 * Opens the journal, hands each event in it to `replay` in order, and returns how large it is.
 * A last line without its end (the process was killed while writing) never was answered: it is cut off.
 * Throws when a line before the last cannot be read: that is damage, not a torn end.
 */
export async function openJournal(
  file: string,
  replay: (line: string) => void,
): Promise<{ journal: Journal; bytes: number }> {
  await mkdir(dirname(file), { recursive: true })
  const bytes = await replayFile(file, replay)
  const handle = await open(file, 'a', OWNER_ONLY)
  // Also of a journal that was made when it was open to others.
  await handle.chmod(OWNER_ONLY)
  const journal = writer(file, handle)
  await syncFolder(file)
  return { journal, bytes }
}

async function replayFile(file: string, replay: (line: string) => void): Promise<number> {
  const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
  let start = 0
  for (let end = content.indexOf(10); end >= 0; end = content.indexOf(10, start)) {
    try {
      replay(content.toString('utf8', start, end))
    } catch (cause) {
      if (end + 1 < content.length) throw new Error(`the journal ${file} is damaged at byte ${start}`, { cause })
      break
    }
    start = end + 1
  }
  if (start < content.length) await truncate(file, start)
  return start
}

function writer(file: string, opened: FileHandle): Journal {
  let handle = opened
  /** Ends when all that was begun so far is written. Once it rejects, everything after it does: nothing is lost in silence. */
  let tail: Promise<void> = Promise.resolve()
  let lastDurable: Promise<void> = tail
  let gathering: { lines: string[]; durable: boolean; written: Promise<void> } | undefined

  /** Chains work behind all earlier work. Its failure is told by `settled()`, so the bare promise may be left alone. */
  function next(work: () => Promise<void>): Promise<void> {
    tail = tail.then(work)
    tail.catch(() => undefined)
    return tail
  }

  /** While one batch is being synced the next gathers lines: concurrent appends share one sync. */
  function gather() {
    const batch = { lines: [] as string[], durable: false, written: tail }
    batch.written = next(async () => {
      if (gathering === batch) gathering = undefined
      await handle.appendFile(batch.lines.join(''))
      if (batch.durable) await handle.datasync()
    })
    return batch
  }

  return {
    append(event, durable) {
      gathering ??= gather()
      gathering.lines.push(JSON.stringify(event) + '\n')
      if (!durable) return
      gathering.durable = true
      lastDurable = gathering.written
    },
    settled: () => lastDurable,
    restart(events) {
      gathering = undefined
      lastDurable = next(async () => {
        const fresh = await open(`${file}.new`, 'w', OWNER_ONLY)
        await fresh.appendFile(events.map((event) => JSON.stringify(event) + '\n').join(''))
        await fresh.sync()
        await fresh.close()
        await rename(`${file}.new`, file)
        await syncFolder(file)
        await handle.close()
        handle = await open(file, 'a')
      })
    },
    async close() {
      await tail
      await handle.close()
    },
  }
}

/** A new name is safe only when the folder that holds it is synced too. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
