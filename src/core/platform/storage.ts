import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** Stored files by key. Only we make keys, never a caller. */
export interface Storage {
  /**
   * Receives bytes in a local file. `done` makes them appear under `key`, whole and durable; otherwise nothing is left.
   */
  write(key: string): Promise<FileDraft>
  /** Gives `use` a local file with the bytes, for libraries that read files. The file may be gone afterwards. */
  local<T>(key: string, use: (path: string) => Promise<T>): Promise<T>
  read(key: string, range?: { start: number; end: number }): Readable
  /** The size in bytes; undefined if the file does not exist. */
  size(key: string): Promise<number | undefined>
  remove(key: string): Promise<void>
  /** The keys of files written before this time. */
  keys(before: Date): AsyncIterable<string>
  /**
   * Removes drafts begun before this time and neither finished nor discarded, because their process was killed. Returns
   * their number.
   */
  removeDrafts(before: Date): Promise<number>
  /** Throws if nothing can be written. */
  check(): Promise<void>
}

export interface FileDraft {
  stream: Writable
  path: string
  done(): Promise<void>
  discard(): Promise<void>
}

const KEY = /^[A-Za-z0-9_-]{20,}(\.[a-z0-9]+)?$/

/** Throws for a key that is not ours, since it might name any path. */
export function assertKey(key: string): void {
  if (!KEY.test(key)) throw new Error('Not a storage key')
}

/** Storage in files below one folder, spread over subfolders by the first letters of the key. */
export async function openDiskStorage(folder: string): Promise<Storage> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = (key: string) => {
    assertKey(key)
    return join(folder, key.slice(0, 2), key)
  }
  return {
    async write(key) {
      const final = path(key)
      await mkdir(dirname(final), { recursive: true, mode: 0o700 })
      // Two writers of one key do not mix their bytes: the last one to finish wins.
      return openDraft(final, (draft) => rename(draft, final))
    },
    local: (key, use) => use(path(key)),
    read: (key, range) => createReadStream(path(key), range),
    size: async (key) => (await unlessMissing(stat(path(key))))?.size,
    remove: (key) => rm(path(key), { force: true }),
    async *keys(before) {
      for (const name of await readdir(folder)) {
        for await (const file of older(join(folder, name), before)) if (KEY.test(file)) yield file
      }
    },
    async removeDrafts(before) {
      let removed = 0
      for (const name of await readdir(folder)) removed += await removeDraftsIn(join(folder, name), before)
      return removed
    },
    check: () => probe(folder),
  }
}

/** A file beside its final place. Its bytes are on the disk before `finish` renames it. */
export async function openDraft(final: string, finish: (draft: string) => Promise<void>): Promise<FileDraft> {
  const draft = `${final}.${randomBytes(6).toString('hex')}.part`
  const stream = createWriteStream(draft, { mode: 0o600, flags: 'wx' })
  return {
    stream,
    path: draft,
    async done() {
      const file = await open(draft, 'r+')
      try {
        await file.datasync()
      } finally {
        await file.close()
      }
      await finish(draft)
    },
    async discard() {
      // A stream that is still opening would create the file after its removal.
      stream.destroy()
      if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', () => resolve()))
      await rm(draft, { force: true })
    },
  }
}

/** Removes the drafts in a folder without a write since a time. Returns their number. */
export async function removeDraftsIn(folder: string, before: Date): Promise<number> {
  let removed = 0
  for await (const name of older(folder, before)) {
    if (!name.endsWith('.part')) continue
    await rm(join(folder, name), { force: true })
    removed += 1
  }
  return removed
}

/** The names of the files in a folder that were last written before a time; none if the folder does not exist. */
export async function* older(folder: string, before: Date): AsyncGenerator<string> {
  const known = await unlessMissing(stat(folder))
  if (!known?.isDirectory()) return
  for (const name of await readdir(folder)) {
    const file = await unlessMissing(stat(join(folder, name)))
    if (file && file.mtime < before) yield name
  }
}

/** Writes a real file, since permission to write is not enough on a full or vanished disk. */
export async function probe(folder: string): Promise<void> {
  const file = await open(join(folder, '.writable'), 'w')
  await file.close()
}

/** The result, or undefined if the file does not exist. */
export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
