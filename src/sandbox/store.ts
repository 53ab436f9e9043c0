import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createClock } from './clock.ts'
import type { Clock } from './clock.ts'
import { openJournal } from './journal.ts'
import { apply, emptyState } from './state.ts'
import type { Event, State } from './state.ts'

/** The state with its journal, its clock and the media that it keeps. */
export type Store = {
  readonly state: State
  readonly clock: Clock
  /** Makes an event happen: seen at once by everybody, on disk before `settled()` ends. */
  record(event: Event): void
  /** Like `record`, for what nobody is told (the call ledger): nobody waits for the disk. */
  note(event: Event): void
  /** Ends when all recorded events are on disk. Awaited before any answer. */
  settled(): Promise<void>
  /** Forgets everything: people stay (they are made from numbers), their tokens and posts go. */
  reset(): Promise<void>
  /** Keeps bytes under their hash, on disk before it returns. */
  keep(bytes: Buffer): Promise<string>
  kept(sha256: string): Promise<Buffer>
  close(): Promise<void>
}

const MEGABYTE = 1024 * 1024

/**
 * Opens the journal at `file` (its folder is made; the media stand beside it) and replays it. One of more than
 * `compactAbove` bytes is replaced by what it amounts to.
 */
export async function openStore(file: string, timeScale: number, compactAbove = 50 * MEGABYTE): Promise<Store> {
  let state = emptyState()
  const { journal, bytes } = await openJournal(file, (line) => {
    if (line.startsWith(SNAPSHOT)) state = decodeSnapshot(line)
    else apply(state, JSON.parse(line) as Event)
  })
  const media = join(dirname(file), 'media')
  await mkdir(media, { recursive: true })

  /** Ids begin with the real time, so that they are not given out again after a reset. */
  function begin(): Event {
    const started: Event = { type: 'started', firstId: Math.max(Date.now() * 100, state.nextId) }
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
      await mkdir(media, { recursive: true })
    },
    async keep(content) {
      const sha256 = createHash('sha256').update(content).digest('hex')
      const draft = join(media, `.${randomUUID()}`)
      const handle = await open(draft, 'w')
      try {
        await handle.writeFile(content)
        await handle.datasync()
      } finally {
        await handle.close()
      }
      await rename(draft, join(media, sha256))
      return sha256
    },
    kept: (sha256) => readFile(join(media, sha256)),
    close: () => journal.close(),
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
    empty instanceof Map ? new Map(state[name] as [unknown, unknown][]) : (state[name] ?? empty),
  ])
  return Object.fromEntries(fields) as State
}
