import { randomBytes } from 'node:crypto'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import { countTry, forgetTry, within } from '../../core/platform/limits.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Platform } from '../../networks/api.ts'
import { isFileHost } from '../../networks/rules.ts'
import type { Services, Settings } from '../../services.ts'

/** The maximum size in bytes of a customer's file. */
const LARGEST = 25 * 2 ** 20
const FETCH_LIMIT = 60_000
const MOST_REDIRECTS = 3
/** How many files of one customer, and of all customers of a workspace, are downloaded in a day. */
const FILES_PER_DAY = { customer: 100, workspace: 2_000 } as const
const DAY_SECONDS = 86_400

/** The types of attachments that are files. All others are links to pages. */
const FILES: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'file', 'sticker', 'animated_image_share'])

/** Whether a file of the network is downloaded. Others stay links, such as shared posts. */
const isDownloaded = (type: string, url: string | null) => url !== null && FILES.has(type)

/** The content types that a browser may show. Other files are served as downloads. */
const SHOWN = /^(image\/(jpeg|png|gif|webp)|video\/(mp4|quicktime)|audio\/(mpeg|mp4|aac|ogg|wav))$/

/**
 * Stores the attachments of a message that a network reported, and enqueues the download of files before the network's
 * URLs expire.
 */
export async function storeAttachments(
  tx: Tx,
  messageId: string,
  reported: readonly { type: string; url: string | null }[],
): Promise<void> {
  const attachments = reported.map((each) => ({ ...each, id: uuidv7() }))
  for (const [position, { id, type, url }] of attachments.entries()) {
    await tx.run(query`insert into message_attachment (workspace_id, id, message_id, position, type, url)
      values (${tx.workspaceId}, ${id}, ${messageId}, ${position}, ${type}, ${url})`)
  }
  for (const { id, type, url } of attachments) {
    if (isDownloaded(type, url)) tx.enqueue('attachment', { attachmentId: id }, { key: `attachment:${id}` })
  }
}

/**
 * Attaches pictures from the library to a message. Throws `validation_failed` for a file that is not a picture, or not
 * ready.
 */
export async function attachFiles(tx: Tx, messageId: string, files: readonly string[]): Promise<void> {
  for (const [position, fileId] of files.entries()) {
    const [made] = await tx.run(query`
      insert into message_attachment (workspace_id, id, message_id, position, type, state, media_file_id)
      select workspace_id, ${uuidv7()}, ${messageId}, ${position}, 'image', 'KEPT', id from media_file
      where workspace_id = ${tx.workspaceId} and id = ${fileId} and kind = 'IMAGE' and state = 'READY' and deleted_at is null
        and storage_key is not null for share returning id`)
    if (!made) {
      throw invalid({
        path: `/attachments/${position}`,
        code: 'unknown',
        message: 'Must be a READY picture in the media library.',
      })
    }
  }
}

/** Deletes the attachments of a message, and enqueues the removal of their files. */
export const deleteMessageAttachments = async (tx: Tx, messageId: string) =>
  removeFiles(
    tx,
    await tx.run(query<Deleted>`delete from message_attachment
      where workspace_id = ${tx.workspaceId} and message_id = ${messageId} returning storage_key as key`),
  )

/** Deletes the attachments of all messages of threads, and enqueues the removal of their files. */
export const deleteThreadAttachments = async (tx: Tx, threadIds: readonly string[]) =>
  removeFiles(
    tx,
    await tx.run(query<Deleted>`delete from message_attachment f using message m
      where m.workspace_id = ${tx.workspaceId} and m.thread_id = any (${threadIds}::uuid[]) and f.workspace_id = m.workspace_id
        and f.message_id = m.id returning f.storage_key as key`),
  )

interface Deleted {
  key: string | null
}

function removeFiles(tx: Tx, files: readonly Deleted[]): void {
  const keys = files.flatMap(({ key }) => key ?? [])
  if (keys.length > 0) tx.enqueue('storage-removal', { keys })
}

type FilePorts = Pick<Services, 'storage' | 'settings'>

type Ending = { state: 'KEPT'; key: string; size: number; type: string } | { state: 'TOO_LARGE' | 'GONE' | 'SKIPPED' }

/** Whether a URL is not one of the network's own hosts of files. */
const isForeign = (platform: Platform, url: string | null, { realNetworks }: Pick<Settings, 'realNetworks'>) =>
  realNetworks && (url === null || !isFileHost(platform, url))

/**
 * Downloads a file and stores it privately. Records a file that the network no longer has, that is too large, or that
 * is beyond the limit of a day, as such. The last keeps its URL, which a person may open.
 */
export async function keepAttachment(scope: Scope, { storage, settings }: FilePorts, id: string): Promise<void> {
  const [[found]] =
    await scope.read(query<Download>`select f.url, a.platform, coalesce(i.node_id, t.identity_id, t.id) as sender
    from message_attachment f join message m on m.workspace_id = f.workspace_id and m.id = f.message_id
    join thread t on t.workspace_id = m.workspace_id and t.id = m.thread_id
    left join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
    join social_account a on a.workspace_id = m.workspace_id and a.id = m.account_id
    where f.workspace_id = ${scope.workspaceId} and f.id = ${id} and f.state = 'LINK' and f.url is not null`)
  // A URL on any other host stays a link, which a person may open.
  if (!found || isForeign(found.platform, found.url, settings)) return
  const ending = await download(scope, found, { storage, settings })
  const kept = ending.state === 'KEPT' ? ending : { key: null, size: null, type: null }
  const threads = await scope.transaction(async (tx) => {
    const changed = await tx.run(query<{ threadId: string }>`
      update message_attachment f set state = ${ending.state}, url = case when ${ending.state} = 'SKIPPED' then f.url end,
        storage_key = ${kept.key}, size = ${kept.size}, content_type = ${kept.type}
      from message m where f.workspace_id = ${tx.workspaceId} and f.id = ${id} and f.state = 'LINK'
        and m.workspace_id = f.workspace_id and m.id = f.message_id returning m.thread_id`)
    for (const { threadId } of changed) tx.emit({ kind: 'conversation', id: threadId })
    return changed
  })
  // The customer was erased in the meantime, or another run was faster.
  if (threads.length === 0 && kept.key !== null) await storage.remove(kept.key)
}

interface Download {
  url: string
  platform: Platform
  /** The customer on all accounts, or the thread of somebody unknown. */
  sender: string
}

/** Downloads a file if the limits of a day allow it. A download that fails does not count. */
async function download(scope: Scope, { url, platform, sender }: Download, ports: FilePorts): Promise<Ending> {
  const ofSender = { key: `files of ${sender}`, tries: FILES_PER_DAY.customer, seconds: DAY_SECONDS }
  const ofWorkspace = { key: `files of ${scope.workspaceId}`, tries: FILES_PER_DAY.workspace, seconds: DAY_SECONDS }
  // In this order, a customer's surplus files do not count against the workspace.
  if (!(await within(countTry(scope, ofSender)))) return { state: 'SKIPPED' }
  if (!(await within(countTry(scope, ofWorkspace)))) {
    await forgetTry(scope, ofSender)
    return { state: 'SKIPPED' }
  }
  try {
    return await fetched(url, platform, ports)
  } catch (error) {
    await Promise.all([forgetTry(scope, ofSender), forgetTry(scope, ofWorkspace)])
    throw error
  }
}

/** Whether a response says that the file is not at this URL. Other responses may succeed later. */
const isFinal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429

/** Returns the response for a URL after at most `MOST_REDIRECTS` redirects, none of them to a foreign host. */
async function followed(url: string, platform: Platform, settings: FilePorts['settings']): Promise<Response> {
  const signal = AbortSignal.timeout(FETCH_LIMIT)
  let answer = await fetch(url, { redirect: 'manual', signal })
  for (let at = url, n = 0; n < MOST_REDIRECTS && answer.status >= 300 && answer.status < 400; n += 1) {
    const to = answer.headers.get('location')
    if (to === null || !URL.canParse(to, at)) return answer
    at = new URL(to, at).href
    if (isForeign(platform, at, settings)) return answer
    await answer.body?.cancel()
    answer = await fetch(at, { redirect: 'manual', signal })
  }
  return answer
}

async function fetched(url: string, platform: Platform, { storage, settings }: FilePorts): Promise<Ending> {
  const answer = await followed(url, platform, settings)
  if (isFinal(answer.status)) {
    await answer.body?.cancel()
    return { state: 'GONE' }
  }
  if (!answer.ok || !answer.body) {
    await answer.body?.cancel()
    throw new AppError('unavailable', `The network responded with ${answer.status}.`)
  }
  if (Number(answer.headers.get('content-length')) > LARGEST) {
    await answer.body.cancel()
    return { state: 'TOO_LARGE' }
  }
  const key = randomBytes(24).toString('base64url')
  const draft = await storage.write(key)
  let size = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      done(size > LARGEST ? new TooLarge() : null, chunk)
    },
  })
  try {
    await pipeline(Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream), counted, draft.stream)
    await draft.done()
  } catch (error) {
    await draft.discard()
    if (error instanceof TooLarge) return { state: 'TOO_LARGE' }
    throw error
  }
  const [told = ''] = (answer.headers.get('content-type') ?? '').split(';')
  const type = told.trim().toLowerCase()
  return { state: 'KEPT', key, size, type: SHOWN.test(type) ? type : 'application/octet-stream' }
}

class TooLarge extends Error {}

/**
 * Opens a file of a message. Throws `not_found`; `link_expired` if the file could not be kept; `unavailable` while it
 * is being downloaded.
 */
export async function readAttachment(
  scope: Scope,
  { storage, settings }: FilePorts,
  threadId: string,
  id: string,
): Promise<{ bytes: Readable; size: number; type: string }> {
  const [[file]] = await scope.read(
    query<{
      state: string
      key: string | null
      size: number
      type: string
      kind: string
      url: string | null
      platform: Platform
    }>`select f.state, f.storage_key as key, f.size::int,
        f.content_type as type, f.type as kind, f.url, a.platform from message_attachment f
      join message m on m.workspace_id = f.workspace_id and m.id = f.message_id
      join social_account a on a.workspace_id = m.workspace_id and a.id = m.account_id
      where f.workspace_id = ${scope.workspaceId} and f.id = ${id} and m.thread_id = ${threadId}`,
  )
  if (!file) throw new AppError('not_found')
  const { state, kind, url, platform } = file
  const isLink =
    state === 'SKIPPED' || (state === 'LINK' && (!isDownloaded(kind, url) || isForeign(platform, url, settings)))
  if (isLink) throw new AppError('not_found')
  if (state === 'LINK')
    throw new AppError('unavailable', 'The file is still being downloaded. Try again shortly.', { retryAfter: 2 })
  if (file.key === null) throw new AppError('link_expired')
  return { bytes: storage.read(file.key), size: file.size, type: file.type }
}
