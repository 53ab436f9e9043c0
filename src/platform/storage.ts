import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, mkdir, open, rename, rm, stat } from 'node:fs/promises'
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
      const draft = `${final}.part`
      await mkdir(dirname(final), { recursive: true, mode: 0o700 })
      return {
        stream: createWriteStream(draft, { mode: 0o600 }),
        async done() {
          const file = await open(draft, 'r+')
          try {
            await file.datasync()
          } finally {
            await file.close()
          }
          await rename(draft, final)
        },
        discard: () => rm(draft, { force: true }),
      }
    },
    read: (key, range) => createReadStream(path(key), range),
    async size(key) {
      try {
        return (await stat(path(key))).size
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
    remove: (key) => rm(path(key), { force: true }),
    check: () => access(folder, constants.W_OK),
  }
}
