import { createHash, randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError, invalid } from '../../core/errors.ts'
import { RENDITION_USES, type RenditionUse } from '../../networks/rules.ts'
import { en } from '../../core/texts/rejections/en.ts'
import { page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { enqueueFlightCheck } from '../flight-check/flight-check.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import { giveBack } from '../../team/plans/plans.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { MediaFile, MediaPatch } from './api.ts'
import { formats, type MediaFormat } from './rules.ts'

// ---- keys

/**
 * Returns a new key for uploaded bytes: 256 random bits without an extension, so that no served address can name it.
 */
export const originalKey = () => randomBytes(32).toString('base64url')

/**
 * Returns the key of a copy that is served. It is as hard to guess as the key of the original, which never leaves the
 * server. It is the same each time, so that a job that runs twice writes the same file and code that removes an
 * original knows its copies.
 */
export const copyKey = (original: string, use: 'served' | 'thumbnail' | `for ${RenditionUse}`, format: MediaFormat) =>
  `${createHash('sha256').update(`${original} ${use}`).digest('base64url')}.${formats[format].extension}`

/** Every key that can belong to an original, except those of its crops, which are in their rows. */
const keysOf = (original: string) => [
  original,
  ...(Object.keys(formats) as MediaFormat[]).map((format) => copyKey(original, 'served', format)),
  copyKey(original, 'thumbnail', 'webp'),
  ...RENDITION_USES.map((use) => copyKey(original, `for ${use}`, 'jpeg')),
]

// ---- reading

/** Excludes a deleted file that a post still shows: the post's history needs the row, and nothing else may see it. */
const living = sql`f.deleted_at is null`

/** The address of stored bytes, or null. */
export const fileUrl = (filesUrl: string, column: ReturnType<typeof sql>) =>
  sql`case when ${column} is not null then ${`${filesUrl}/`}::text || ${column} end`

/** The renditions of a file `f`, by use. */
export const renditionsShape = (filesUrl: string): ReturnType<typeof sql> => sql`(
  select coalesce(json_object_agg(r.platform, json_build_object('url', ${fileUrl(filesUrl, sql`r.storage_key`)},
    'mimeType', r.mime_type, 'fileSize', r.file_size, 'width', r.width, 'height', r.height)), '{}')
  from media_rendition r where r.workspace_id = f.workspace_id and r.media_file_id = f.id)`

/** The number of posts with a file `f`, without deleted ones. One index lookup for each file of a page. */
const uses = sql`(select count(*)::int from post_media m join post p on p.workspace_id = m.workspace_id and p.id = m.post_id
  where m.workspace_id = f.workspace_id and m.media_file_id = f.id and p.deleted_at is null)`

/** A file `f` as the API returns it. */
export function fileShape(filesUrl: string) {
  const url = (column: ReturnType<typeof sql>) => fileUrl(filesUrl, column)
  return sql`json_build_object('id', f.id, 'workspaceId', f.workspace_id, 'kind', f.kind, 'state', f.state,
    'rejectedCode', f.rejected_code, 'rejectedReason', f.rejected_reason, 'fileName', f.file_name, 'mimeType', f.mime_type, 'fileSize', f.file_size,
    'storageUrl', ${url(sql`f.storage_key`)}, 'thumbnailUrl', ${url(sql`f.thumbnail_key`)}, 'width', f.width,
    'height', f.height, 'duration', f.duration, 'codec', f.codec, 'frameRate', f.frame_rate,
    'renditions', ${renditionsShape(filesUrl)}, 'altText', f.alt_text, 'aiGenerated', f.ai_generated, 'tags', f.tags, 'uses', ${uses}, 'version', f.version,
    'createdBy', f.created_by, 'createdAt', iso(f.created_at), 'updatedAt', iso(f.updated_at))`
}

type Settings = Pick<Ports, 'settings'>

const filesById = ({ settings }: Settings, workspaceId: string, ids: readonly string[]) =>
  whole<{ json: MediaFile }>(sql`select ${fileShape(settings.filesUrl())} as json from media_file f
    where f.workspace_id = ${workspaceId} and f.id = any (${ids}::uuid[]) and ${living} order by f.id`)

/** Returns a file. Throws `not_found`. */
export async function getMedia(scope: Scope, ports: Settings, id: string): Promise<MediaFile> {
  const [[row]] = await scope.read(filesById(ports, scope.workspaceId, [id]))
  if (!row) throw new AppError('not_found')
  return row.json
}

/** Returns files within a transaction, in the order in which they were created. */
export async function readFiles(tx: Tx, ports: Settings, ids: readonly string[]): Promise<MediaFile[]> {
  const rows = await tx.run(filesById(ports, tx.workspaceId, ids))
  return rows.map((row) => row.json)
}

export interface MediaFilter extends PageRequest {
  kind?: MediaFile['kind'] | undefined
  text?: string | undefined
  tag?: string | undefined
  used?: 'true' | 'false' | undefined
  described?: 'true' | 'false' | undefined
}

/**
 * Returns a page of files, newest first, as the JSON text of the response. `text` is searched in names and alternative
 * texts.
 */
export async function listMedia(scope: Scope, { settings }: Settings, filter: MediaFilter): Promise<string> {
  const files = page(sql`f.id`, filter)
  const conditions = [sql`f.workspace_id = ${scope.workspaceId}`, living]
  if (filter.kind) conditions.push(sql`f.kind = ${filter.kind}`)
  if (filter.tag) conditions.push(sql`${filter.tag} = any (f.tags)`)
  if (filter.used) conditions.push(sql`(${uses} > 0) = ${filter.used === 'true'}`)
  if (filter.described) conditions.push(sql`(f.alt_text <> '') = ${filter.described === 'true'}`)
  if (filter.text) {
    const pattern = `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`
    conditions.push(sql`(f.file_name ilike ${pattern} or f.alt_text ilike ${pattern})`)
  }
  const [rows] = await scope.read(
    query<{ id: string; json: string }>`select f.id, ${fileShape(settings.filesUrl())}::text as json from media_file f
      where ${sql.join(conditions, sql` and `)} and ${files.rows}`,
  )
  const { data, nextCursor } = files.of(rows)
  return `{"data":[${data.map(({ json }) => json).join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`
}

// ---- changing

/** Marks a file that has just arrived as made by AI, with its alternative text. Throws `not_found`. */
export const markGenerated = (tx: Tx, id: string, altText: string) =>
  tx.one(
    query`update media_file set ai_generated = true, alt_text = ${altText}
      where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'PROCESSING' returning id`,
    'not_found',
  )

const writable = ['fileName', 'altText', 'aiGenerated', 'tags'] as const

/**
 * Changes name, alternative text, AI mark or tags. A patch without a difference keeps the version. Throws `not_found`,
 * `stale_version`, `validation_failed`.
 */
export async function updateMedia(
  scope: Scope,
  ports: Settings,
  id: string,
  patch: MediaPatch,
  ifMatch?: number,
): Promise<MediaFile> {
  return scope.transaction(async (tx) => {
    const current = await lockFile(tx, ports, id, ifMatch)
    const faults = readOnlyFaults(patch, current, writable)
    if (faults.length > 0) throw invalid(...faults)
    const fileName = patch.fileName ?? current.fileName
    const altText = patch.altText ?? current.altText
    const aiGenerated = patch.aiGenerated ?? current.aiGenerated
    const tags = patch.tags ? [...new Set(patch.tags)] : current.tags
    const same =
      fileName === current.fileName &&
      altText === current.altText &&
      aiGenerated === current.aiGenerated &&
      tags.join('\n') === current.tags.join('\n')
    if (same) return current
    await tx.one(
      query`update media_file set file_name = ${fileName}, alt_text = ${altText}, ai_generated = ${aiGenerated}, tags = ${tags}, version = version + 1,
        updated_at = ${tx.now} where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${current.version} returning id`,
      'stale_version',
      { current: current.version },
    )
    tx.record({ type: 'media.changed', subject: { mediaFileId: id } })
    enqueueFlightCheck(tx, { mediaFileId: id })
    const [saved] = await readFiles(tx, ports, [id])
    return saved as MediaFile
  })
}

async function lockFile(tx: Tx, ports: Settings, id: string, ifMatch?: number): Promise<MediaFile> {
  await tx.one(
    query`select from media_file where workspace_id = ${tx.workspaceId} and id = ${id} for update`,
    'not_found',
  )
  const [current] = await readFiles(tx, ports, [id])
  if (!current) throw new AppError('not_found')
  refuseStale(current.version, ifMatch)
  return current
}

/**
 * Removes a file with its bytes and frees its quota. Throws `media_in_use` while an unpublished post uses it. Published
 * or deleted posts keep a row for their history that nothing else sees; the networks have copies of the bytes. A
 * deleted post that is restored finds its file rejected, and its checks say so.
 */
export async function deleteMedia(scope: Scope, ports: Settings, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    // A post that is just getting this file locks its row: it either has the file before this lock, or does not find it
    // afterwards.
    const file = await lockFile(tx, ports, id, ifMatch)
    const users = await tx.run(query<{ notOut: boolean }>`
      select p.status <> 'PUBLISHED' and p.deleted_at is null as not_out from post_media m
      join post p on p.workspace_id = m.workspace_id and p.id = m.post_id
      where m.workspace_id = ${tx.workspaceId} and m.media_file_id = ${id}`)
    const count = users.filter((user) => user.notOut).length
    if (count > 0) throw new AppError('media_in_use', undefined, { count })
    const [bytes] = await tx.run(query<{ key: string; size: number }>`select original_key as key, original_size as size
      from media_file where workspace_id = ${tx.workspaceId} and id = ${id}`)
    const { key, size } = bytes as { key: string; size: number }
    const crops = await tx.run(query<{ key: string }>`delete from media_crop
      where workspace_id = ${tx.workspaceId} and media_file_id = ${id} returning coalesce(storage_key, '') as key`)
    const keys = [...keysOf(key), ...crops.map((crop) => crop.key).filter((crop) => crop !== '')]
    await tx.one(
      users.length === 0
        ? query`delete from media_file where workspace_id = ${tx.workspaceId} and id = ${id} returning id`
        : query`update media_file set state = 'REJECTED', rejected_code = 'deleted', rejected_reason = ${en.deleted}, deleted_at = ${tx.now},
            storage_key = null, thumbnail_key = null, original_key = '', original_size = 0, version = version + 1, updated_at = ${tx.now}
            where workspace_id = ${tx.workspaceId} and id = ${id} returning id`,
      'not_found',
    )
    if (users.length > 0) {
      await tx.run(query`delete from media_rendition where workspace_id = ${tx.workspaceId} and media_file_id = ${id}`)
    }
    await giveBack(tx, 'media_bytes', size)
    tx.enqueue('storage-removal', { keys })
    // A job that is making the copies right now may write them after that removal.
    if (file.state === 'PROCESSING') {
      tx.enqueue('storage-removal', { keys }, { runAt: new Date(tx.now.getTime() + LEFTOVER_AGE) })
    }
    if (users.length > 0) enqueueFlightCheck(tx, { mediaFileId: id })
    tx.record({ type: 'media.deleted', subject: { mediaFileId: id }, data: { fileName: file.fileName, bytes: size } })
  })
}

// ---- bytes

/** Milliseconds after which an unfinished upload counts as left behind. */
export const LEFTOVER_AGE = 7_200_000

/** Stores bytes under a key and returns their number. */
export async function store(storage: Ports['storage'], key: string, bytes: Readable): Promise<number> {
  const draft = await storage.write(key)
  try {
    await pipeline(bytes, draft.stream)
    await draft.done()
  } catch (error) {
    await draft.discard()
    throw error
  }
  return (await storage.size(key)) ?? 0
}

/** Removes the bytes of those keys that no file of the workspace names. */
export async function removeUnnamed(
  scope: Scope,
  { storage }: Pick<Ports, 'storage'>,
  keys: readonly string[],
): Promise<void> {
  const [rows, copies] = await scope.read(
    query<{ named: string[] }>`select array[original_key, storage_key, thumbnail_key] as named
    from media_file where workspace_id = ${scope.workspaceId}
      and (original_key = any (${keys}) or storage_key = any (${keys}) or thumbnail_key = any (${keys}))`,
    query<{ key: string }>`select storage_key as key from media_rendition
      where workspace_id = ${scope.workspaceId} and storage_key = any (${keys})
      union select storage_key from media_crop where workspace_id = ${scope.workspaceId} and storage_key = any (${keys})
      union select storage_key from message_attachment where workspace_id = ${scope.workspaceId} and storage_key = any (${keys})`,
  )
  const named = new Set([...rows.flatMap((row) => row.named), ...copies.map((row) => row.key)])
  for (const key of keys) if (!named.has(key)) await storage.remove(key)
}
