import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { S3mini } from 's3mini'
import * as z from 'zod'
import { openDraft, probe, assertKey, removeDraftsIn, type Storage } from './storage.ts'

export interface Bucket {
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
}

interface Parts {
  bucket: Bucket
  /** A local folder for files that are being received. */
  folder: string
  /** The media type with which a key is served; undefined for keys that are never served. */
  typeOf(key: string): string | undefined
}

/** Larger files are sent in parts of this size, in bytes, which limits the memory used. */
const PART = 8 * 1024 * 1024
/** The time limit of an answer, in milliseconds. Reading its bytes may take longer. */
const ANSWER_LIMIT = 120_000
const TRIES = 3
const PAGE = 1000

/**
 * Storage in a bucket of any S3-compatible store. Served files are under `public/` with their media type, all others
 * under `private/`, so that a bucket can open the first and close the second.
 */
export async function openS3Storage({ bucket, folder, typeOf }: Parts): Promise<Storage> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { S3mini: Client } = await import('s3mini')
  const { bucket: name, endpoint, ...account } = bucket
  const place = { ...account, endpoint: `${endpoint}/${name}` }
  const client = new Client({ ...place, requestAbortTimeout: ANSWER_LIMIT })
  const reader = new Client(place)

  const nameOf = (key: string) => {
    assertKey(key)
    return `${typeOf(key) === undefined ? 'private' : 'public'}/${key}`
  }

  function read(key: string, range?: { start: number; end: number }): Readable {
    const object = nameOf(key)
    return Readable.from(
      (async function* () {
        const answer = range
          ? await reader.getObjectRaw(object, false, range.start, range.end + 1)
          : await reader.getObjectRaw(object)
        if (answer.body) yield* answer.body
      })(),
      { objectMode: false },
    )
  }

  return {
    async write(key) {
      const object = nameOf(key)
      return openDraft(join(folder, key), async (draft) => {
        await send(client, object, draft, typeOf(key) ?? 'application/octet-stream')
        await rm(draft)
      })
    },
    async local(key, use) {
      const path = join(folder, `${key}.${randomBytes(6).toString('hex')}.part`)
      try {
        await pipeline(read(key), createWriteStream(path, { mode: 0o600, flags: 'wx' }))
        return await use(path)
      } finally {
        await rm(path, { force: true })
      }
    },
    read,
    size: (key) =>
      again(async () => {
        const object = nameOf(key)
        return (await client.objectExists(object)) ? client.getContentLength(object) : undefined
      }),
    remove: async (key) => void (await again(() => client.deleteObject(nameOf(key)))),
    async *keys(before) {
      for (const kind of ['private/', 'public/']) {
        let token: string | undefined
        do {
          const from = token
          const page = await again(() => client.listObjectsPaged('/', kind, PAGE, from))
          for (const { Key, LastModified } of page?.objects ?? []) {
            const key = Key.slice(kind.length)
            if (LastModified < before && isKey(key)) yield key
          }
          token = page?.nextContinuationToken
        } while (token)
      }
    },
    async removeDrafts(before) {
      let removed = await removeDraftsIn(folder, before)
      const { ListMultipartUploadsResult: found } = Unfinished.parse(
        await again(() => client.listMultipartUploads('/')),
      )
      for (const { Key, UploadId, Initiated } of found === '' ? [] : [found.Upload ?? []].flat()) {
        if (Initiated >= before) continue
        await client.abortMultipartUpload(Key, UploadId)
        removed += 1
      }
      return removed
    },
    async check() {
      await probe(folder)
      await client.putObject('private/.writable', '.')
    },
  }
}

const Begun = z.object({ Key: z.string(), UploadId: z.string(), Initiated: z.coerce.date() })
const Unfinished = z.object({
  ListMultipartUploadsResult: z.union([
    z.literal(''),
    z.object({ Upload: z.union([Begun, z.array(Begun)]).optional() }),
  ]),
})

function isKey(text: string): boolean {
  try {
    assertKey(text)
    return true
  } catch {
    return false
  }
}

/** Sends a file, which appears whole or not at all. */
async function send(client: S3mini, object: string, path: string, type: string): Promise<void> {
  const { size } = await stat(path)
  if (size <= PART) {
    const bytes = await readFile(path)
    await again(() => client.putObject(object, bytes, type))
    return
  }
  const id = await again(() => client.getMultipartUploadId(object, type))
  const file = await open(path)
  try {
    const parts: { partNumber: number; etag: string }[] = []
    for (let start = 0; start < size; start += PART) {
      const bytes = Buffer.alloc(Math.min(PART, size - start))
      for (let filled = 0; filled < bytes.length;) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled)
        if (bytesRead === 0) throw new Error('The file ended before its size')
        filled += bytesRead
      }
      parts.push(await again(() => client.uploadPart(object, id, bytes, parts.length + 1)))
    }
    await client.completeMultipartUpload(object, id, parts)
  } catch (error) {
    // If the abort fails too, the clean-up of drafts removes the parts.
    await client.abortMultipartUpload(object, id).catch(() => undefined)
    throw error
  } finally {
    await file.close()
  }
}

/** Retries a repeatable operation with growing delays. */
async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === TRIES) throw error
      await sleep(200 * 4 ** tries)
    }
  }
}
