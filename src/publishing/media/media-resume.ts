import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { assertQuota } from '../../team/plans/plans.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { MediaUpload } from './api.ts'
import { HEAD, refuseEarly, uploadMedia } from './media-ingest.ts'

/** The maximum number of unfinished uploads of a person in a workspace: enough for two carousels. */
const UNFINISHED = 20
/** Milliseconds after which an unfinished upload is removed. */
const LIFE = 86_400_000

type Places = Pick<Ports, 'storage' | 'settings' | 'partials'>

interface Row {
  id: string
  fileName: string
  declaredType: string
  size: number
  mediaFileId: string | null
  createdAt: Date
  expiresAt: Date
}

const personOf = ({ actor }: Pick<Scope, 'actor'>) => {
  if (actor.kind !== 'user') throw new Error('Only a user can have uploads')
  return actor.userId
}

/** The sender's facts about the file. `size` is undefined if it is not a valid number of bytes. */
export interface Announced {
  size: number | undefined
  fileName: string
  declaredType: string
}

/** Begins an upload in pieces. Throws `validation_failed`, `too_large`, `quota_exceeded`. */
export async function createUpload(
  scope: Scope,
  { partials }: Pick<Ports, 'partials'>,
  { size, fileName, declaredType }: Announced,
): Promise<MediaUpload> {
  if (size === undefined || size < 1)
    throw invalid({
      path: '/upload-length',
      code: 'required',
      message: 'Upload-Length must be the number of bytes, at least 1.',
    })
  await refuseEarly({ fileName }, size)
  const id = uuidv7()
  const createdBy = personOf(scope)
  const row = await scope.transaction(async (tx) => {
    let own = 0
    // There must be quota for all unfinished uploads, although each is charged only at its end.
    await assertQuota(tx, 'media_bytes', async () => {
      const promised = await tx.one(unfinished(tx), 'not_found')
      own = promised.own
      return promised.bytes + size - 1
    })
    if (own >= UNFINISHED) {
      const message = `You can have at most ${UNFINISHED} unfinished uploads. Finish or cancel one first.`
      throw invalid({ path: '/upload-length', code: 'too_many_uploads', message, limit: UNFINISHED })
    }
    return tx.one(
      query<Row>`insert into media_upload (workspace_id, id, created_by, file_name, declared_type, size, created_at, expires_at)
        values (${tx.workspaceId}, ${id}, ${createdBy}, ${fileName}, ${declaredType}, ${size}, ${tx.now},
          ${new Date(tx.now.getTime() + LIFE)}) returning ${columns}`,
      'not_found',
    )
  })
  await partials.create(id)
  return shown(row, 0)
}

const columns = sql`id, file_name, declared_type, size, media_file_id, created_at, expires_at`

const unfinished = (tx: Tx) => query<{ bytes: number; own: number }>`
  select coalesce(sum(size), 0)::bigint as bytes, (count(*) filter (where created_by = ${personOf(tx)}))::int as own
  from media_upload where workspace_id = ${tx.workspaceId} and media_file_id is null and expires_at > ${tx.now}`

/** Finds an upload of the acting person. Throws `not_found`. */
async function find(scope: Scope, id: string): Promise<Row> {
  const [[row]] = await scope.read(query<Row>`select ${columns} from media_upload
    where workspace_id = ${scope.workspaceId} and id = ${id} and created_by = ${personOf(scope)}
      and expires_at > ${scope.now()}`)
  if (!row) throw new AppError('not_found')
  return row
}

/**
 * Returns the offset of an upload. Until its file exists, the last byte counts as missing, so that a client that sends
 * it again gets the file, whatever happened in between.
 */
async function offsetOf({ partials }: Pick<Ports, 'partials'>, row: Row): Promise<number> {
  if (row.mediaFileId) return row.size
  const size = await partials.size(row.id)
  if (size === undefined) throw new AppError('not_found')
  return Math.min(size, row.size - 1)
}

const shown = ({ declaredType: _, createdAt, expiresAt, ...row }: Row, offset: number): MediaUpload => ({
  ...row,
  offset,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})

/**
 * Returns an upload of the acting person, and stops any connection that still sends bytes of it, such as a dead one.
 * Throws `not_found`.
 */
export async function getUpload(scope: Scope, ports: Pick<Ports, 'partials'>, id: string): Promise<MediaUpload> {
  const row = await find(scope, id)
  await ports.partials.stopWriting(id)
  return shown(row, await offsetOf(ports, row))
}

/**
 * Appends bytes to an upload at its current end. Bytes that arrived are kept if the connection breaks. The last byte
 * turns it into a file, once, as if it had come in a form. An upload that can never become a file is removed. Throws
 * `not_found`, `malformed_request`, `invalid_state`, and what `uploadMedia` throws.
 */
export async function continueUpload(
  scope: Scope,
  ports: Places,
  id: string,
  offset: number | undefined,
  bytes: AsyncIterable<Uint8Array>,
): Promise<MediaUpload> {
  const { partials } = ports
  const row = await find(scope, id)
  if (offset === undefined)
    throw new AppError('malformed_request', 'Send Upload-Offset, the number of bytes received so far.')
  await partials.stopWriting(id)
  const current = await offsetOf(ports, row)
  if (offset !== current) {
    throw new AppError('invalid_state', `The upload has ${current} bytes. Continue from there.`, {
      current,
      allowed: [current],
    })
  }
  if (row.mediaFileId) return shown(row, current)
  try {
    const end = await take(ports, row, offset, bytes)
    await scope.confirm()
    if (end < row.size) return shown(row, end)
    return shown({ ...row, mediaFileId: await finish(scope, ports, row) }, row.size)
  } catch (error) {
    if (error instanceof AppError && HOPELESS.has(error.code)) await remove(scope, ports, id)
    throw error
  }
}

const HOPELESS: ReadonlySet<string> = new Set(['too_large', 'unsupported_media_type', 'validation_failed'])

/** Writes incoming bytes, and checks the type of the file as soon as its first bytes are there. Returns the new end. */
async function take({ partials }: Places, row: Row, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const enough = Math.min(HEAD, row.size)
  let end = offset
  async function* looked() {
    for await (const chunk of bytes) {
      if (end + chunk.byteLength > row.size)
        throw new AppError('malformed_request', 'The upload is longer than its Upload-Length.')
      yield chunk
      end += chunk.byteLength
      if (end >= enough && end - chunk.byteLength < enough) {
        const head: Buffer[] = []
        for await (const piece of partials.read(row.id, { start: 0, end: enough - 1 })) head.push(piece as Buffer)
        await refuseEarly(row, row.size, Buffer.concat(head))
      }
    }
  }
  await partials.write(row.id, offset, looked())
  return end
}

/** Makes the file of a complete upload. Of concurrent calls one makes it, and all return the same file. */
async function finish(scope: Scope, ports: Places, row: Row): Promise<string> {
  const { fileName, size, id } = row
  async function* one() {
    yield { fileName, bytes: ports.partials.read(id) as AsyncIterable<Uint8Array> }
  }
  let made: string
  try {
    const [file] = await uploadMedia(scope, ports, { size, files: one() }, async (tx, [received]) => {
      await tx.one(
        query`update media_upload set media_file_id = ${received!.id}
          where workspace_id = ${tx.workspaceId} and id = ${id} and media_file_id is null returning id`,
        'not_found',
      )
    })
    made = file!.id
  } catch (error) {
    const other = await find(scope, id).catch(() => undefined)
    if (!other?.mediaFileId) throw error
    made = other.mediaFileId
  }
  await ports.partials.remove(id)
  return made
}

/** Cancels an unfinished upload. Throws `not_found`, and `invalid_state` if it has become a file. */
export async function endUpload(scope: Scope, ports: Pick<Ports, 'partials'>, id: string): Promise<void> {
  const { mediaFileId } = await find(scope, id)
  if (mediaFileId) throw new AppError('invalid_state', undefined, { current: 'finished', allowed: ['unfinished'] })
  await remove(scope, ports, id)
}

async function remove(scope: Scope, { partials }: Pick<Ports, 'partials'>, id: string): Promise<void> {
  const [gone] = await scope.write(query`delete from media_upload
    where workspace_id = ${scope.workspaceId} and id = ${id} and media_file_id is null returning id`)
  if (!gone) return
  await partials.stopWriting(id)
  await partials.remove(id)
}
