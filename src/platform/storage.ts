import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** Where bytes lie, by key. A key is made by us and never by a caller. */
export interface Storage {
  /** A stream to write to; the bytes appear under `key`, whole and on the disk, when `done` is called. Else nothing is left. */
  write(key: string): Promise<{ stream: Writable; done(): Promise<void>; discard(): Promise<void> }>
  /** A local file with the bytes, for libraries that read files. */
  path(key: string): string
  read(key: string, range?: { start: number; end: number }): Readable
  /** The size in bytes, or undefined when there is nothing. */
  size(key: string): Promise<number | undefined>
  remove(key: string): Promise<void>
  /** Removes what was begun before this time and neither finished nor discarded: its process was killed. Answers how much. */
  removeDrafts(before: Date): Promise<number>
  /** Throws when nothing can be written. */
  check(): Promise<void>
}

/** Bytes in files below one folder, spread over subfolders by the key's first letters. */
export async function openDiskStorage(folder: string): Promise<Storage> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = (key: string) => {
    if (!/^[A-Za-z0-9_-]{20,}(\.[a-z0-9]+)?$/.test(key)) throw new Error('Not a storage key')
    return join(folder, key.slice(0, 2), key)
  }
  return {
    path,
    async write(key) {
      const final = path(key)
      // Two writers of one key do not mix their bytes: the last one that is done wins.
      const draft = `${final}.${randomBytes(6).toString('hex')}.part`
      await mkdir(dirname(final), { recursive: true, mode: 0o700 })
      const stream = createWriteStream(draft, { mode: 0o600, flags: 'wx' })
      return {
        stream,
        async done() {
          const file = await open(draft, 'r+')
          try {
            await file.datasync()
          } finally {
            await file.close()
          }
          await rename(draft, final)
        },
        async discard() {
          // A stream that is still opening would make the file after it was removed.
          stream.destroy()
          if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', () => resolve()))
          await rm(draft, { force: true })
        },
      }
    },
    read: (key, range) => createReadStream(path(key), range),
    async size(key) {
      return (await statOf(path(key)))?.size
    },
    remove: (key) => rm(path(key), { force: true }),
    async removeDrafts(before) {
      let removed = 0
      for (const name of await readdir(folder, { recursive: true })) {
        if (!name.endsWith('.part')) continue
        const draft = join(folder, name)
        const made = await statOf(draft)
        if (!made || made.mtime >= before) continue
        await rm(draft, { force: true })
        removed += 1
      }
      return removed
    },
    async check() {
      // Written for real: who may write is not who can, on a full or vanished disk.
      const probe = await open(join(folder, '.writable'), 'w')
      await probe.close()
    },
  }
}

/** What is known of a file, or undefined when there is none. */
async function statOf(file: string) {
  try {
    return await stat(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
