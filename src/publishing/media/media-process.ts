import { Readable } from 'node:stream'
import { query } from '../../core/platform/db.ts'
import { enqueueFlightCheck } from '../flight-check/flight-check.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { copyKey, removeUnnamed, store } from './media.ts'
import { withBlanks } from './media-boxes.ts'
import type { Decoder, Lane } from './media-decoder.ts'
import { UnusableFile } from './media-unusable.ts'
import { formats } from './rules.ts'

/**
 * Decodes an uploaded file and makes what is served of it. The file becomes READY, or REJECTED with the reason. Running
 * it again, even concurrently, writes the same files and changes nothing else. Throws failures that are not the file's
 * fault. In the quick lane, a picture that takes too long moves to the slow one.
 */
export async function processMedia(
  scope: Scope,
  { storage, decode }: Pick<Ports, 'storage'> & { decode: Pick<Decoder, 'file'> },
  id: string,
  lane: Lane = 'slow',
): Promise<void> {
  const [[file]] = await scope.read(query<{ key: string; kind: 'IMAGE' | 'VIDEO' }>`select original_key as key, kind
    from media_file
    where workspace_id = ${scope.workspaceId} and id = ${id} and state = 'PROCESSING'`)
  if (!file) return
  let made: Awaited<ReturnType<Decoder['file']>>
  try {
    made = await storage.local(file.key, (path) => decode.file(path, file.kind, lane))
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error
    if (lane === 'quick' && error.code === 'too_slow') {
      await scope.transaction(async (tx) => tx.enqueue('media-slow', { mediaFileId: id }, { key: `slow:${id}` }))
      return
    }
    scope.log.info({ err: error, mediaFileId: id }, 'a file was rejected')
    await finish(
      scope,
      id,
      query`update media_file set state = 'REJECTED', rejected_code = ${error.code},
      rejected_reason = ${error.message}, updated_at = ${scope.now()} where workspace_id = ${scope.workspaceId} and id = ${id} and state = 'PROCESSING' returning id`,
    )
    return
  }
  const video = 'redacted' in made ? made : undefined
  const served = copyKey(file.key, 'served', made.format)
  const thumbnail = copyKey(file.key, 'thumbnail', 'webp')
  const size = await store(storage, served, servedBytes(storage, file.key, made))
  await store(storage, thumbnail, Readable.from([made.thumbnail]))
  const renditions = ('renditions' in made ? made.renditions : []).map(({ bytes, ...rest }) => ({
    ...rest,
    bytes,
    key: copyKey(file.key, `for ${rest.use}`, 'jpeg'),
  }))
  for (const { key, bytes } of renditions) await store(storage, key, Readable.from([bytes]))
  const saved = await finish(
    scope,
    id,
    query`update media_file set state = 'READY', storage_key = ${served},
    thumbnail_key = ${thumbnail}, mime_type = ${formats[made.format].mimeType}, file_size = ${size},
    width = ${made.width}, height = ${made.height}, duration = ${video?.duration ?? null}, codec = ${video?.codec ?? null},
    frame_rate = ${video?.frameRate ?? null}, updated_at = ${scope.now()}
    where workspace_id = ${scope.workspaceId} and id = ${id} and state = 'PROCESSING' returning id`,
    renditions.map(
      ({ use, width, height, bytes, key }) =>
        query`insert into media_rendition (workspace_id, media_file_id, platform, storage_key, mime_type, file_size, width, height)
          values (${scope.workspaceId}, ${id}, ${use}, ${key}, 'image/jpeg', ${bytes.length}, ${width}, ${height})`,
    ),
  )
  // The file was deleted in the meantime, or another run was faster and its row names the same bytes.
  if (!saved) await removeUnnamed(scope, { storage }, [served, thumbnail, ...renditions.map(({ key }) => key)])
}

/** Returns the bytes to serve: a copy, or the original, without redacted ranges for a video. */
function servedBytes(
  storage: Ports['storage'],
  original: string,
  made: Awaited<ReturnType<Decoder['file']>>,
): Readable {
  if ('redacted' in made) return Readable.from(withBlanks(storage.read(original), made.redacted), { objectMode: false })
  return made.copy ? Readable.from([made.copy]) : storage.read(original)
}

/** Saves the result for a file, once, and notifies those who wait for it. */
function finish(
  scope: Scope,
  mediaFileId: string,
  change: ReturnType<typeof query>,
  more: ReturnType<typeof query>[] = [],
): Promise<boolean> {
  return scope.transaction(async (tx) => {
    const [changed] = await tx.run(change)
    if (!changed) return false
    for (const statement of more) await tx.run(statement)
    tx.emit({ kind: 'media', id: mediaFileId })
    enqueueFlightCheck(tx, { mediaFileId })
    const [wanted] = await tx.run(query`select from media_crop
      where workspace_id = ${tx.workspaceId} and media_file_id = ${mediaFileId} and storage_key is null limit 1`)
    if (wanted) tx.enqueue('media-crops', { mediaFileId }, { key: `crops:${mediaFileId}` })
    return true
  })
}
