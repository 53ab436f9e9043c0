import { pipeline } from 'node:stream/promises'
import { fileTypeFromBuffer } from 'file-type'
import { uuidv7 } from 'uuidv7'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { type QuotaReservation, reserveQuota, chargeReservation } from '../../team/plans/plans.ts'
import type { Ports } from '../../services.ts'
import type { MediaFile } from './api.ts'
import { LEFTOVER_AGE, originalKey, readFiles, removeUnnamed } from './media.ts'
import { readHeader } from './media-header.ts'
import { UnusableFile } from './media-unusable.ts'
import {
  displayName,
  FILES_LIMIT,
  formatOf,
  formats,
  IMAGE_LIMIT,
  isVideo,
  type MediaFormat,
  VIDEO_LIMIT,
  videoFormatOf,
} from './rules.ts'

/** An incoming file. Its bytes must be read before the next file arrives. */
export interface Incoming {
  fileName: string
  bytes: AsyncIterable<Uint8Array>
}

export interface IncomingUpload {
  /** An upper bound for the bytes that will arrive, if known in advance. */
  size: number | undefined
  files: AsyncIterable<Incoming>
}

interface Received {
  id: string
  format: MediaFormat
  /** From the header. For a video, the job finds it out. */
  width: number | null
  height: number | null
  key: string
  fileName: string
  size: number
}

/** The maximum number of bytes of an upload, with all its files and the form around them: a video and pictures. */
const UPLOAD_LIMIT = VIDEO_LIMIT + FILES_LIMIT * IMAGE_LIMIT + 1024 * 1024
/** How many bytes of quota are reserved at a time if the size is unknown. */
const ROOM = IMAGE_LIMIT
/** Well before the bytes of an upload count as left behind. */
const LONGEST_UPLOAD = LEFTOVER_AGE / 2
/** Room is reserved for at least as long as an upload may take. */
const RESERVED_MINUTES = Math.ceil(LONGEST_UPLOAD / 60_000)
/** How many bytes are needed to recognize the type of a file. */
export const HEAD = 4100

/**
 * Stores uploaded files: all or none. Quota is reserved before the bytes are read, and bytes stream to the storage.
 * However the upload ends, even by a kill, neither bytes nor a reservation remain for longer than two hours. `also`
 * runs in the transaction that creates the files. Throws `quota_exceeded`, `too_large`, `unsupported_media_type`,
 * `validation_failed`.
 */
export async function uploadMedia(
  scope: Scope,
  ports: Pick<Ports, 'storage' | 'settings'>,
  { size, files }: IncomingUpload,
  also?: (tx: Tx, files: readonly Received[]) => Promise<void>,
): Promise<MediaFile[]> {
  if (size !== undefined && size > UPLOAD_LIMIT) throw new AppError('too_large', undefined, { limit: UPLOAD_LIMIT })
  const startedAt = scope.now()
  const keys = Array.from({ length: FILES_LIMIT }, originalKey)
  const reservations = [
    await scope.transaction((tx) => {
      tx.enqueue('storage-removal', { keys }, { runAt: new Date(tx.now.getTime() + LEFTOVER_AGE) })
      return reserveQuota(tx, 'media_bytes', size ?? ROOM, RESERVED_MINUTES)
    }),
  ]
  let room = size ?? ROOM
  /** Counts incoming bytes before they are stored. Throws if there is no quota for them. */
  const counted = async (bytes: number) => {
    room -= bytes
    if (room >= 0) return
    if (size !== undefined) throw new AppError('malformed_request', 'The body is longer than its Content-Length.')
    reservations.push(await scope.transaction((tx) => reserveQuota(tx, 'media_bytes', ROOM, RESERVED_MINUTES)))
    room += ROOM
  }
  try {
    const received: Received[] = []
    for await (const file of files) {
      const index = received.length
      const key = keys[index]
      if (!key)
        throw invalid({
          path: '/files',
          code: 'too_many_files',
          message: `Send at most ${FILES_LIMIT} files at once.`,
          limit: FILES_LIMIT,
        })
      if (index > 0) await scope.confirm()
      received.push(await receive(ports.storage, key, file, index, counted))
    }
    if (received.length === 0) throw invalid({ path: '/files', code: 'required', message: 'Send at least one file.' })
    return await scope.transaction(async (tx) => {
      if (tx.now.getTime() - startedAt.getTime() > LONGEST_UPLOAD)
        throw new AppError('malformed_request', 'The upload took too long. Try again on a faster connection.')
      await insertFiles(tx, received, reservations)
      await also?.(tx, received)
      return readFiles(
        tx,
        ports,
        received.map((file) => file.id),
      )
    })
  } catch (error) {
    await undo(scope, ports, keys, reservations)
    throw error
  }
}

/**
 * Cleans up after a failed upload. If that fails, the scheduled removal takes the bytes and the reservation expires.
 */
async function undo(
  scope: Scope,
  ports: Pick<Ports, 'storage'>,
  keys: string[],
  reservations: readonly QuotaReservation[],
): Promise<void> {
  try {
    const product = scope.asSystem()
    await product.transaction(async (tx) => {
      for (const each of reservations) await chargeReservation(tx, each, 0)
    })
    await removeUnnamed(product, ports, keys)
  } catch (error) {
    scope.log.warn({ err: error }, 'the cleanup after a failed upload failed; the scheduled one will do it')
  }
}

async function insertFiles(
  tx: Tx,
  files: readonly Received[],
  [first, ...rest]: readonly QuotaReservation[],
): Promise<void> {
  await chargeReservation(
    tx,
    first!,
    files.reduce((sum, file) => sum + file.size, 0),
  )
  for (const each of rest) await chargeReservation(tx, each, 0)
  const createdBy = userIdOf(tx.actor)
  for (const { id, key, format, fileName, size, width, height } of files) {
    const { mimeType } = formats[format]
    await tx.run(query`insert into media_file (workspace_id, id, kind, state, file_name, mime_type, file_size, width, height,
        original_key, original_size, created_by)
      values (${tx.workspaceId}, ${id}, ${isVideo(format) ? 'VIDEO' : 'IMAGE'}, 'PROCESSING', ${fileName}, ${mimeType}, ${size}, ${width}, ${height},
        ${key}, ${size}, ${createdBy})`)
    tx.enqueue(isVideo(format) ? 'media-video' : 'media', { mediaFileId: id })
    tx.record({ type: 'media.uploaded', subject: { mediaFileId: id }, data: { fileName, mimeType, bytes: size } })
  }
}

/**
 * Stores one file under `key`, and checks its type and a picture's header. Throws, naming the file, if it is not
 * acceptable.
 */
async function receive(
  storage: Ports['storage'],
  key: string,
  file: Incoming,
  index: number,
  takeIn: (bytes: number) => Promise<void>,
): Promise<Received> {
  const fault = faultOf(file, index)
  const { head, all } = await peek(file.bytes)
  if (head.byteLength === 0) throw invalid(fault('empty', 'The file is empty.'))
  const format = await tellFormat(head, fault)
  let size = 0
  async function* counted() {
    for await (const chunk of all) {
      size += chunk.byteLength
      refuseTooLarge(isVideo(format), size, fault)
      await takeIn(chunk.byteLength)
      yield chunk
    }
  }
  const draft = await storage.write(key)
  try {
    await pipeline(counted(), draft.stream)
    const sides = isVideo(format) ? { width: null, height: null } : await sidesOf(draft.path, format, fault)
    await draft.done()
    return { id: uuidv7(), key, format, fileName: displayName(file.fileName, format), size, ...sides }
  } catch (error) {
    await draft.discard()
    throw error
  }
}

async function sidesOf(path: string, format: MediaFormat, fault: Blame): Promise<{ width: number; height: number }> {
  try {
    const header = await readHeader(path)
    if (header.format !== format) throw new UnusableFile('unreadable')
    return { width: header.width, height: header.height }
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error
    throw invalid(fault(error.code, error.message))
  }
}

type Blame = (code: string, message: string) => Fault

const faultOf =
  (file: Pick<Incoming, 'fileName'>, index: number): Blame =>
  (code, message) => ({
    path: `/files/${index}`,
    code,
    message: `${JSON.stringify(file.fileName)}: ${message}`,
    fileName: file.fileName,
  })

function refuseTooLarge(video: boolean, size: number, fault: Blame): void {
  const limit = video ? VIDEO_LIMIT : IMAGE_LIMIT
  if (size <= limit) return
  const message = `A ${video ? 'video' : 'picture'} can have at most ${limit / 1024 / 1024} MiB.`
  throw new AppError('too_large', message, { limit, errors: [fault('too_large', message)] })
}

/** Throws what `uploadMedia` would throw, as far as the size and first bytes of an incoming file show it. */
export async function refuseEarly(file: Pick<Incoming, 'fileName'>, size: number, head?: Uint8Array): Promise<void> {
  const fault = faultOf(file, 0)
  refuseTooLarge(!head || isVideo(await tellFormat(head, fault)), size, fault)
}

/** Returns the first bytes of a stream, and the whole stream. */
async function peek(bytes: AsyncIterable<Uint8Array>): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let length = 0
  while (length < HEAD) {
    const { done, value } = await iterator.next()
    if (done) break
    chunks.push(value)
    length += value.byteLength
  }
  async function* all() {
    yield* chunks
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { head: Buffer.concat(chunks), all: all() }
}

/**
 * Returns the format that the bytes of a file show, regardless of its name and declared type. Throws
 * `unsupported_media_type`.
 */
async function tellFormat(head: Uint8Array, fault: Blame): Promise<MediaFormat> {
  const mimeType = (await fileTypeFromBuffer(head.subarray(0, HEAD)))?.mime ?? 'unknown'
  const format = formatOf(mimeType) ?? videoFormatOf(mimeType)
  if (!format) {
    const message = 'This file type isn’t accepted. Send a JPG, PNG, GIF, WebP, MP4 or MOV file.'
    throw new AppError('unsupported_media_type', message, { errors: [fault('not_accepted', message)] })
  }
  return format
}
