import { Readable } from 'node:stream'
import { RENDITION_USES } from '../../networks/rules.ts'
import { query, sql } from '../../core/platform/db.ts'
import { enqueueFlightCheck } from '../flight-check/flight-check.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { fileUrl, originalKey, removeUnnamed, store } from './media.ts'
import type { Crop, Decoder, Lane } from './media-decoder.ts'
import type { PictureRendition } from './media-picture.ts'
import { UnusableFile } from './media-unusable.ts'
import { formats } from './rules.ts'

// Crops of pictures for networks. Posts request them, a job makes them, and they are kept until no post wants them.

/**
 * The maximum number of crops in one job, and the milliseconds after which it starts no other. The rest follow after
 * other jobs' turns.
 */
const ONE_TURN = 4
const TURN_TIME = 1_000

/** Whether a crop `c` is the choice of the post that has the file in place `m`. */
const chosen = sql`(m.crops -> replace(c.platform, '_STORY', '') = c.area)`

/** Whether a crop that a post chose for a file `f`, in place `m`, cannot be made. */
export const uncropped: ReturnType<typeof sql> = sql`(m.crops <> '{}' and exists (select from media_crop c
  where c.workspace_id = f.workspace_id and c.media_file_id = f.id and c.storage_key is null and c.file_size = 0 and ${chosen}))`

/** The finished crops of a file `f`: if `placed`, only those chosen by the post of place `m`, else all. */
export const croppedShape = (filesUrl: string, placed: boolean): ReturnType<typeof sql> => sql`(
  select coalesce(json_agg(json_build_object('use', c.platform, 'area', c.area, 'url', ${fileUrl(filesUrl, sql`c.storage_key`)},
    'mimeType', 'image/jpeg', 'fileSize', c.file_size, 'width', c.width, 'height', c.height) order by c.platform, c.area), '[]')
  from media_crop c where c.workspace_id = f.workspace_id and c.media_file_id = f.id and c.storage_key is not null
    and ${placed ? chosen : sql`true`})`

/**
 * Records that a post wants these crops, and enqueues a job for missing ones. Wanting a crop again protects it from the
 * clean-up and retries it if it failed.
 */
export async function wantCrops(tx: Tx, wanted: readonly (Crop & { mediaFileId: string })[]): Promise<void> {
  if (wanted.length === 0) return
  const rows = await tx.run(query<{ mediaFileId: string; made: boolean }>`
    insert into media_crop (workspace_id, media_file_id, platform, area, wanted_at)
    select distinct ${tx.workspaceId}::uuid, (w ->> 'mediaFileId')::uuid, w ->> 'use', w -> 'area', ${tx.now}::timestamptz
    from jsonb_array_elements(${JSON.stringify(wanted)}::jsonb) w
    order by 2, 3, 4
    on conflict (workspace_id, media_file_id, platform, area) do update set wanted_at = excluded.wanted_at,
      file_size = case when media_crop.storage_key is not null then media_crop.file_size end
    returning media_file_id, storage_key is not null as made`)
  const files = new Set(rows.filter(({ made }) => !made).map(({ mediaFileId }) => mediaFileId))
  for (const mediaFileId of files) tx.enqueue('media-crops', { mediaFileId }, { key: `crops:${mediaFileId}` })
}

/**
 * Makes the missing crops of a picture from its original. If two runs overlap, the files of the first one stay. Each
 * file gets a new key, since the clean-up may be about to remove an earlier file of the same area. A crop that cannot
 * be made has no bytes, which its posts report. A picture that is still processing gets its crops afterwards; an area
 * beyond the picture is never cropped. In the quick lane, a picture that takes too long moves to the slow one.
 */
export async function makeCrops(
  scope: Scope,
  { storage, decode }: Pick<Ports, 'storage'> & { decode: Pick<Decoder, 'crop'> },
  mediaFileId: string,
  lane: Lane = 'slow',
): Promise<void> {
  const continueIn = (next: Lane) =>
    scope.transaction(async (tx) => {
      if (next === 'quick') tx.enqueue('media-crops', { mediaFileId }, { key: `crops:${mediaFileId}` })
      else tx.enqueue('media-slow', { mediaFileId, crops: true }, { key: `slow-crops:${mediaFileId}` })
    })
  const started = performance.now()
  const [wanted] = await scope.read(query<Crop & { key: string }>`
    select f.original_key as key, c.platform as use, c.area from media_crop c
    join media_file f on f.workspace_id = c.workspace_id and f.id = c.media_file_id
    where c.workspace_id = ${scope.workspaceId} and c.media_file_id = ${mediaFileId} and c.storage_key is null
      and c.file_size is null and f.state = 'READY' and f.kind = 'IMAGE'
      and (c.area ->> 'x')::int + (c.area ->> 'width')::int <= f.width
      and (c.area ->> 'y')::int + (c.area ->> 'height')::int <= f.height and c.platform = any (${RENDITION_USES})
    order by c.wanted_at, c.platform, c.area limit ${ONE_TURN}`)
  for (const [index, { key: original, use, area }] of wanted.entries()) {
    if (index > 0 && performance.now() - started > TURN_TIME) return continueIn(lane)
    let made: PictureRendition | undefined
    try {
      made = await storage.local(original, (path) => decode.crop(path, { use, area }, lane))
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error
      if (lane === 'quick' && error.code === 'too_slow') return continueIn('slow')
      scope.log.info({ err: error, mediaFileId, use, area }, 'a crop cannot be made')
    }
    const key = made ? `${originalKey()}.${formats.jpeg.extension}` : null
    if (made && key) await store(storage, key, Readable.from([made.bytes]))
    const saved = await scope.transaction(async (tx) => {
      const [row] =
        await tx.run(query`update media_crop set storage_key = ${key}, file_size = ${made?.bytes.length ?? 0},
          width = ${made?.width ?? null}, height = ${made?.height ?? null}
        where workspace_id = ${tx.workspaceId} and media_file_id = ${mediaFileId} and platform = ${use}
          and area = ${JSON.stringify(area)}::jsonb and storage_key is null returning platform`)
      if (!row) return false
      tx.emit({ kind: 'media', id: mediaFileId })
      enqueueFlightCheck(tx, { mediaFileId })
      return true
    })
    if (!saved && key) await removeUnnamed(scope, { storage }, [key])
  }
  if (wanted.length === ONE_TURN) await continueIn(lane)
}
