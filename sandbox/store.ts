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

/** The state with its journal, its clock and the media that it keeps. */
export type Store = {
  readonly state: State
  readonly clock: SandboxClock
  /** Makes an event happen: seen at once by everybody, on disk before `settled()` ends. */
  record(event: StoredEvent): void
  /** Like `record`, for what nobody is told (the call ledger): nobody waits for the disk. */
  note(event: StoredEvent): void
  /** Ends when all recorded events are on disk. Awaited before any answer. */
  settled(): Promise<void>
  /** Forgets everything: people stay (they are made from numbers), their tokens and posts go. */
  reset(): Promise<void>
  /** Keeps bytes under their hash, on disk before it returns. */
  keep(bytes: Buffer): Promise<string>
  kept(sha256: string): Promise<Buffer>
  /** Takes a part of a file as it comes, on disk before it returns. */
  receive(bytes: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<StoredPart>
  /** Keeps what these parts are together, under its hash; the parts stay. */
  join(parts: readonly string[]): Promise<string>
  /** The folder of the kept bytes. */
  pathOf(sha256: string): string
  drop(parts: readonly string[]): Promise<void>
  close(): Promise<void>
}

export type StoredPart = { name: string; size: number }

const MEGABYTE = 1024 * 1024

/**
 * Opens the journal at `file` (its folder is made; the media stand beside it) and replays it. One of more than
 * `compactAbove` bytes is replaced by what it amounts to.
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

  /** Ids begin with the real time, so that they are not given out again after a reset. */
  function begin(): StoredEvent {
    const started: StoredEvent = { type: 'started', firstId: Math.max(Date.now() * 100, state.nextId) }
    state = emptyState()
    apply(state, started)
    return started
  }

  if (state.nextId === 0) journal.append(begin(), true)
  else if (bytes > compactAbove) journal.restart([encodeSnapshot(state)])
  await journal.settled()

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
    settled: () => journal.settled(),
    async reset() {
      journal.restart([begin()])
      await journal.settled()
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

/** Writes a new file, on disk before it returns its size. What broke off leaves none. */
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

/** A state as one line. Its maps become lists of pairs, told apart from real lists by their name. */
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
