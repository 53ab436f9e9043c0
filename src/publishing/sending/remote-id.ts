import { tokenPlace } from '../../channels/accounts.ts'
import type { Platform } from '../../networks/api.ts'
import { AppError } from '../../core/errors.ts'
import { type Handles, NetworkError } from '../../networks/network.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { recordRemotePost, type SettlingDriver } from '../../delivery/settle.ts'
import { failFirstComment } from './comment.ts'

interface Unnamed {
  id: string
  subjectId: string
  platform: Platform
  networkUser: string
  externalAccountId: string
  accountId: string
  accessToken: string | null
  handles: Handles
  sent: { text: string } | null
  options: Record<string, unknown> | null
  publishedAt: Date
}

/**
 * Asks the network for the id and address of a live post that lacks them. The network reveals them only after its
 * moderation.
 */
export async function lookUpId(
  scope: Scope,
  { networks, crypto, budget, driver }: Pick<Ports, 'networks' | 'crypto' | 'budget'> & { driver: SettlingDriver },
  { publicationId, looked }: { publicationId: string; looked: number },
): Promise<void> {
  const [[row]] = await scope.read(query<Unnamed>`select t.id, t.post_id as subject_id, a.platform, a.network_user,
      a.external_id as external_account_id, a.id as account_id, a.access_token, t.handles, t.sent, p.platform_options -> a.platform as options, t.published_at
    from publication t join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    join post p on p.workspace_id = t.workspace_id and p.id = t.post_id
    where t.workspace_id = ${scope.workspaceId} and t.id = ${publicationId} and t.state = 'PUBLISHED'
      and t.external_id is null`)
  const network = row && networks.get(row.platform)
  if (!row || !network?.confirm) return
  if (row.accessToken === null) return later()
  const who = { app: network.app, userKey: row.networkUser }
  const reserved = await budget.reserve(who, network.readCost, 'finish', row.platform)
  if ('until' in reserved) return later()
  try {
    const accessToken = crypto.open(row.accessToken, tokenPlace(scope.workspaceId, row.accountId, 'access_token'))
    const task = {
      account: { externalId: row.externalAccountId, accessToken },
      text: row.sent?.text ?? '',
      media: [],
      options: row.options ?? {},
      handles: row.handles,
      reservation: reserved.reservation,
      now: scope.now(),
    }
    const seen = await network.confirm(task)
    if (typeof seen !== 'object' || seen instanceof NetworkError || seen.externalId === null) return await later()
    const permalink = seen.permalink ?? (await network.permalink?.(task, seen.externalId)) ?? null
    await recordRemotePost(scope, driver, row, { state: 'PUBLISHED', ...seen, permalink, publishedAt: row.publishedAt })
  } catch (error) {
    // The post may belong to another target, or this service may have failed. The number of looks is limited, so look
    // again.
    if (error instanceof AppError && error.code === 'unavailable') throw error
    scope.log.info({ err: error, publicationId }, 'the id of a live post could not be read')
    await later()
  } finally {
    await reserved.release()
  }

  function later() {
    return scope.transaction((tx) => scheduleIdLookup(tx, publicationId, looked + 1))
  }
}

/**
 * Enqueues the next look for the id of a live post. The first comes after a minute, each further one after twice the
 * time, for about 17 hours. After the last look, a first comment that waits for the id fails.
 */
export async function scheduleIdLookup(tx: Tx, publicationId: string, looked: number): Promise<void> {
  const after = 60_000 * 2 ** looked
  if (after > 12 * 3_600_000) return failFirstComment(tx, publicationId)
  const at = { key: `id:${publicationId}`, runAt: new Date(tx.now.getTime() + after) }
  tx.enqueue('id-lookup', { publicationId, looked }, at)
}
