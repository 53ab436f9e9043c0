import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createClock } from './clock.ts'
import type { SandboxClock } from './clock.ts'
import { openJournal } from './journal.ts'
import { apply, emptyState } from './state.ts'
import type { StoredEvent, State } from './state.ts'

/** The state with its journal, its clock and its media. */
export type Store = {
  readonly state: State
  readonly clock: SandboxClock
  /** Records an event. Its effect is visible immediately, and it is on disk before `synced()` resolves. */
  record(event: StoredEvent): void
  /** Like `record`, for events that no answer reports (the call ledger): nothing waits for the disk. */
  note(event: StoredEvent): void
  /** Resolves when all recorded events are on disk. Awaited before any answer. */
  synced(): Promise<void>
  /** Deletes all tokens, posts and media. People remain, since they are generated from numbers. */
  reset(): Promise<void>
  /** Stores bytes under their hash, on disk before it resolves. */
  keep(bytes: Buffer): Promise<string>
  kept(sha256: string): Promise<Buffer>
  /** Stores a part of a file as it arrives, on disk before it resolves. */
  receive(bytes: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<StoredPart>
  /** Stores the concatenation of these parts under its hash, and keeps the parts. */
  join(parts: readonly string[]): Promise<string>
  /** Returns the path of stored bytes. */
  pathOf(sha256: string): string
  drop(parts: readonly string[]): Promise<void>
  close(): Promise<void>
}

export type StoredPart = { name: string; size: number }

const MEGABYTE = 1024 * 1024

/**
 * Opens the journal at `file` (whose folder is created, and holds the media too) and replays it. A journal of more than
 * `compactAbove` bytes is replaced by a snapshot.
 */
export async function openStore(file: string, timeScale: number, compactAbove = 50 * MEGABYTE): Promise<Store> {
  let state = emptyState()
  const { journal, bytes } = await openJournal(file, (line) => {
    if (line.startsWith(SNAPSHOT)) state = decodeSnapshot(line)
    else apply(state, JSON.parse(line) as StoredEvent)
  })
  const media = join(dirname(file), 'media')
  const parts = join(media, 'parts')
  await mkdir(parts, { recursive: true })

  /** Ids start from the real time, so that a reset does not reuse them. */
  function begin(): StoredEvent {
    const started: StoredEvent = { type: 'started', firstId: Math.max(Date.now() * 100, state.nextId) }
    state = emptyState()
    apply(state, started)
    return started
  }

  if (state.nextId === 0) journal.append(begin(), true)
  else if (bytes > compactAbove) journal.restart([encodeSnapshot(state)])
  await journal.synced()

  return {
    get state() {
      return state
    },
    clock: createClock(() => state.offsetMs, timeScale),
    record(event) {
      journal.append(event, true)
      apply(state, event)
    },
    note(event) {
      journal.append(event, false)
      apply(state, event)
    },
    synced: () => journal.synced(),
    async reset() {
      journal.restart([begin()])
      await journal.synced()
      await rm(media, { recursive: true, force: true })
      await mkdir(parts, { recursive: true })
    },
    async keep(content) {
      const sha256 = createHash('sha256').update(content).digest('hex')
      const draft = join(media, `.${randomUUID()}`)
      await write(draft, [content])
      await rename(draft, join(media, sha256))
      return sha256
    },
    kept: (sha256) => readFile(join(media, sha256)),
    async receive(bytes) {
      const name = randomUUID()
      return { name, size: await write(join(parts, name), bytes) }
    },
    async join(names) {
      const hash = createHash('sha256')
      const draft = join(media, `.${randomUUID()}`)
      await write(draft, readAll(names))
      await pipeline(createReadStream(draft), hash)
      const sha256 = hash.digest('hex')
      await rename(draft, join(media, sha256))
      return sha256
    },
    pathOf: (sha256) => join(media, sha256),
    async drop(names) {
      await Promise.all(names.map((name) => rm(join(parts, name), { force: true })))
    },
    close: () => journal.close(),
  }

  async function* readAll(names: readonly string[]) {
    for (const name of names) yield* createReadStream(join(parts, name)) as AsyncIterable<Buffer>
  }
}

/** Writes a new file and returns its size once it is on disk. An interrupted write leaves no file. */
async function write(path: string, bytes: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<number> {
  const handle = await open(path, 'w')
  try {
    let size = 0
    for await (const chunk of bytes) {
      await handle.writeFile(chunk)
      size += chunk.length
    }
    await handle.datasync()
    return size
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

const SNAPSHOT = '{"type":"snapshot"'

/** Encodes a state as one line. Its maps become lists of pairs; decoding tells them from real lists by the field. */
function encodeSnapshot(state: State): object {
  const fields = Object.entries(state).map(([name, value]) => [name, value instanceof Map ? [...value] : value])
  return { type: 'snapshot', state: Object.fromEntries(fields) as object }
}

function decodeSnapshot(line: string): State {
  const { state } = JSON.parse(line) as { state: Record<string, unknown> }
  const fields = Object.entries(emptyState()).map(([name, empty]) => [
    name,
    empty instanceof Map ? new Map((state[name] ?? []) as [unknown, unknown][]) : (state[name] ?? empty),
  ])
  return Object.fromEntries(fields) as State
}
