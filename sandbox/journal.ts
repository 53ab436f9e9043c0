import { mkdir, open, readFile, rename, truncate } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

/** An append-only file of JSON lines. The order of `append` is the order in the file. */
export type Journal = {
  /**
   * Queues a line and returns immediately. `durable` lines are on disk before the next `synced()` resolves. Other
   * lines keep their order in the file, but nothing waits for them to reach the disk.
   */
  append(event: object, durable: boolean): void
  /** Resolves when every durable line appended so far is synced to disk. Rejects if it could not be written. */
  synced(): Promise<void>
  /** Atomically replaces the whole file with these lines: a kill leaves either the old file or the new one. */
  restart(events: object[]): void
  /** Writes the queued lines and closes the file. */
  close(): Promise<void>
}

/** The file contains tokens and texts of the sandbox. */
const OWNER_ONLY = 0o600

/**
 * Opens the journal, passes each event in it to `replay` in order, and returns the journal with its size in bytes. An
 * incomplete last line, which a killed process left, was never answered and is cut off. Throws if an earlier line
 * cannot be read, since that is damage and not a torn end.
 */
export async function openJournal(
  file: string,
  replay: (line: string) => void,
): Promise<{ journal: Journal; bytes: number }> {
  await mkdir(dirname(file), { recursive: true })
  const bytes = await replayFile(file, replay)
  const handle = await open(file, 'a', OWNER_ONLY)
  // Restricts existing journals too, which may have been created with wider permissions.
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
  /**
   * Resolves when all work so far is written. Once it rejects, so does everything after it, so that no loss goes
   * unnoticed.
   */
  let tail: Promise<void> = Promise.resolve()
  let lastDurable: Promise<void> = tail
  let gathering: { lines: string[]; durable: boolean; written: Promise<void> } | undefined

  /** Chains work behind all earlier work. `synced()` reports its failure, so callers may ignore the promise. */
  function next(work: () => Promise<void>): Promise<void> {
    tail = tail.then(work)
    tail.catch(() => undefined)
    return tail
  }

  /** Collects lines while the previous batch is being synced, so that concurrent appends share one sync. */
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
    synced: () => lastDurable,
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

/** Syncs the folder of a file, without which a new name is not durable. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
