import { query } from '../../core/platform/db.ts'
import type { Scopes, Scope } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import { LEFTOVER_AGE } from './media.ts'

/** The number of keys in one statement. */
const BATCH = 500
/** If more files than this are orphans, and they are most of the files, the storage belongs to another database. */
const TOO_MANY = 100

type Parts = Pick<Services, 'storage' | 'partials' | 'log'>

/**
 * Removes what killed processes and broken connections left behind: half-written files, bytes that no row names, crops
 * that no post wants, and expired uploads. Bytes exist up to an hour before the row that names them, so only older ones
 * are examined: nothing that a row names, or is about to name, is removed.
 */
export async function cleanStorage(
  scope: Scope,
  { storage, partials, log }: Parts,
  scopes: Pick<Scopes, 'ask'>,
): Promise<void> {
  const before = new Date(Date.now() - LEFTOVER_AGE)
  const drafts = await storage.removeDrafts(before)

  await scopes.ask(
    'storage',
    query`delete from media_crop c where c.wanted_at < ${before} and not exists (select from post_media m
      where m.workspace_id = c.workspace_id and m.media_file_id = c.media_file_id
        and m.crops -> replace(c.platform, '_STORY', '') = c.area)`,
  )
  let seen = 0
  const orphans: string[] = []
  for await (const keys of batches(storage.keys(before))) {
    seen += keys.length
    const unnamed = await scopes.ask(
      'storage',
      query<{ key: string }>`select key from unnest(${keys}::text[]) key
      where not exists (select from media_file where original_key = key)
        and not exists (select from media_file where storage_key = key)
        and not exists (select from media_file where thumbnail_key = key)
        and not exists (select from media_rendition where storage_key = key)
        and not exists (select from media_crop where storage_key = key)
        and not exists (select from message_attachment where storage_key = key)`,
    )
    orphans.push(...unnamed.map(({ key }) => key))
  }
  const foreign = orphans.length > TOO_MANY && orphans.length > seen / 2
  if (foreign)
    log.error({ orphans: orphans.length, files: seen }, 'most files have no row: is this their database? Kept')
  else for (const key of orphans) await storage.remove(key)

  const now = scope.now()
  await scopes.ask('storage', query`delete from media_upload where expires_at <= ${now}`)
  let uploads = 0
  for await (const ids of batches(partials.older(before))) {
    const wanted = await scopes.ask(
      'storage',
      query<{ id: string }>`select id from media_upload
      where id = any (${ids}::uuid[]) and media_file_id is null`,
    )
    const kept = new Set(wanted.map(({ id }) => id))
    for (const id of ids) {
      if (kept.has(id)) continue
      await partials.remove(id)
      uploads += 1
    }
  }
  if (drafts + orphans.length + uploads > 0) {
    log.info({ drafts, files: foreign ? 0 : orphans.length, uploads }, 'unreferenced files were removed')
  }
}

async function* batches(all: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const each of all) {
    batch.push(each)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
