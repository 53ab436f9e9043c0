import { needReconnect, tokenPlace } from '../../channels/accounts.ts'
import { withToken } from '../../channels/accounts-refresh.ts'
import type { Handles, Network, NetworkError, Permit, Sighting, Step } from '../../networks/network.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { PostMedia } from '../posts/api.ts'
import { compose, type Composed, ofAccount, type Tagging } from '../posts/compose/rules.ts'
import type { Ports } from '../../services.ts'
import type { Claimed, Intent, Others } from './queue.ts'
import { afterFailure, ended, type Failure, HOLD, untilNextRead, type Verdict } from './rules.ts'
import { type Held, type Live, type Settlement, settle, settleAlone, sight } from './settle.ts'

// What sending and reading back have in common: what a network is given, and how a step ends.

export type StepPorts = Pick<Ports, 'networks' | 'permits' | 'crypto' | 'settings' | 'storage'> & {
  /** Moves the other ready targets of a person whose calls are used up to when there are some again. */
  postpone(who: { app: string; userKey: string }, until: Date): Promise<void>
  /** The intent, on the disk before the first byte of the commit leaves. False: something holds the target now. */
  intend(intent: Intent): Promise<boolean>
  /** The end of a post with one target, together with those of others. False: nothing of it is settled. */
  settleLive(live: Live): Promise<boolean>
  /** What of these the same account of the network has from other publications, of all workspaces. */
  othersOn(row: Claimed, ids: string[]): Promise<Others>
  random(): number
}

/** Whoever finds its fence gone stops: somebody else has the publication. */
export class Lost extends Error {}

export const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds)

export async function finish(scope: Scope, row: Claimed, settlement: Settlement): Promise<void> {
  const result = await settleAlone(scope, row, settlement)
  if (result === 'lost') throw new Lost()
}

/** A network's clock that is further ahead, in milliseconds, is wrong. */
const DAY = 24 * 3_600_000

/** Saves that it is live. Who lost the fence meanwhile still knows the id: that is a proof. */
export async function published(
  scope: Scope,
  ports: Pick<StepPorts, 'settleLive'>,
  row: Held,
  { externalId, permalink, publishedAt }: Sighting,
): Promise<void> {
  const now = scope.now()
  const isUsable = publishedAt !== null && publishedAt.getTime() - now.getTime() < DAY
  const live = { externalId, permalink, publishedAt: isUsable ? publishedAt : now }
  if (externalId !== null && (await together(scope, ports, row, { ...live, externalId }))) return
  const result = await settleAlone(scope, row, { state: 'PUBLISHED', ...live })
  if (result === 'lost') await sight(scope, row.postId, row.id, live)
}

/** What breaks a whole batch may concern one of them: each goes on by itself. */
async function together(
  scope: Scope,
  ports: Pick<StepPorts, 'settleLive'>,
  { id, postId, fence }: Held,
  live: Pick<Live, 'externalId' | 'permalink' | 'publishedAt'>,
): Promise<boolean> {
  try {
    return await ports.settleLive({ workspaceId: scope.workspaceId, id, postId, fence, ...live })
  } catch (error) {
    scope.log.warn({ err: error, publicationId: id }, 'several live posts were not settled together')
    return false
  }
}

/** The address of what is live, where the network tells it apart. Nothing depends on it: without it the post is live all the same. */
export async function addPermalink(
  scope: Scope,
  network: Network,
  row: Claimed,
  task: Step,
  { externalId, permalink }: Sighting,
): Promise<void> {
  if (permalink !== null || externalId === null || !network.permalink) return
  try {
    const found = await network.permalink(task, externalId)
    if (found === null) return
    await scope.transaction(async (tx) => {
      const added = await tx.run(query`update publication set permalink = ${found}, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${row.id} and external_id = ${externalId} and permalink is null
        returning id`)
      if (added.length > 0) tx.emit({ kind: 'post', id: row.postId })
    })
  } catch (error) {
    scope.log.info({ err: error, publicationId: row.id }, 'the address of a live post is not known')
  }
}

/** Saves that the network has it and works on it: from here on it is only read. */
export function accepted(scope: Scope, row: Claimed, scale: number, handles?: Handles): Promise<void> {
  const now = scope.now()
  return finish(scope, row, {
    state: 'SUBMITTING',
    phase: 'confirm',
    acceptedAt: row.acceptedAt ?? now,
    ...(handles && { handles }),
    nextAt: later(now, 3_000 / scale),
    late: { reads: 0, at: null },
  })
}

/** Calls of a step that can be made again: a token that is refused is renewed once on the way. */
export const calling = <T>(
  scope: Scope,
  ports: StepPorts,
  row: Claimed,
  task: Step,
  call: () => Promise<T>,
): Promise<T> =>
  withToken(scope, ports, row, (accessToken) => {
    task.account = { ...task.account, accessToken }
    return call()
  })

const asFailure = ({ failure, committed, networkCode, message, retryAfterMs }: NetworkError): Failure => ({
  failure,
  committed,
  networkCode,
  message,
  retryAfterMs,
})

/** Settles what a network refused, or did not answer; a refused token is the account's matter too. */
export async function failed(
  scope: Scope,
  { settings, random }: StepPorts,
  row: Claimed,
  error: NetworkError,
  where: 'prepare' | 'commit',
  restart: boolean,
): Promise<void> {
  scope.log.warn({ err: error, publicationId: row.id, where, networkCode: error.networkCode }, 'a network call failed')
  const failure = asFailure(error)
  const jitter = random()
  await scope.transaction(async (tx) => {
    // A refused token that is not the account's any more is worth another try, with the new one.
    const old = error.kind === 'AUTH' && !(await needReconnect(tx, row.accountId, row.accessToken))
    const verdict = afterFailure(old ? { ...failure, failure: 'transient' } : failure, where, row, jitter)
    await settle(tx, row, asSettlement(verdict, row, tx.now, settings.timeScale, restart))
  })
}

/** `restart`: what was prepared is of no use any more, the next try begins from nothing. */
export function asSettlement(verdict: Verdict, row: Claimed, now: Date, scale: number, restart = false): Settlement {
  switch (verdict.to) {
    case 'FAILED':
      return { state: 'FAILED', error: verdict.error, restart }
    case 'hold':
      return held(verdict.reason, row, now, restart)
    case 'doubt':
      return {
        state: 'SUBMITTING',
        phase: 'commit',
        nextAt: later(now, untilNextRead(0, 0) / scale),
        ...(verdict.limited !== undefined && {
          limitedUntil: later(now, verdict.limited / scale),
          backoffs: row.backoffs + 1,
        }),
      }
    case 'wait':
      return {
        state: 'PENDING',
        nextAt: later(now, verdict.after / scale),
        waitReason: verdict.reason,
        restart,
        ...verdict.counters,
      }
  }
}

/** A held target waits for its account until a day after its time. */
export function held(
  reason: 'reconnect_needed' | 'account_paused',
  row: Claimed,
  now: Date,
  restart = false,
): Settlement {
  const until = later(row.dueAt, HOLD)
  return until <= now
    ? { state: 'FAILED', error: ended(reason), restart }
    : { state: 'PENDING', nextAt: until, waitReason: reason, restart }
}

/**
 * What the links of a publication get: by the setting of its first try until it is tried by hand. What a try sent that was thought
 * absent and comes late is known again only by the same text.
 */
export const taggingOf = ({ tries, sent, tagging }: Claimed): Tagging =>
  tries > 0 && sent ? (sent.tagging ?? { ...tagging, on: false }) : tagging

export const composedOf = (row: Claimed): Composed =>
  compose(row.post, row.platform, ofAccount(taggingOf(row), row.account))

/** What the network is given: by `sent` as it was sent, else as the post is composed now. */
export function taskOf(
  scope: Scope,
  { crypto, storage }: StepPorts,
  row: Claimed,
  permit: Permit,
  composed: Composed = composedOf(row),
  handles = row.handles,
): Step {
  const place = tokenPlace(scope.workspaceId, row.accountId, 'access_token')
  const accessToken = row.accessToken === null ? '' : crypto.open(row.accessToken, place)
  const { sent } = row.state === 'SUBMITTING' ? row : { sent: null }
  return {
    account: { externalId: row.externalAccountId, accessToken },
    text: sent?.text ?? composed.text,
    media: composed.media
      .filter((item) => !sent || sent.media.includes(item.mediaFileId))
      .map((item) => mediaOf(item, row, storage)),
    options: row.post.platformOptions[row.platform] ?? {},
    handles,
    permit,
    now: scope.now(),
  }
}

function mediaOf({ mediaFileId, file }: PostMedia, row: Claimed, storage: StepPorts['storage']): Step['media'][number] {
  const key = row.storageKeys?.[mediaFileId]
  return {
    id: mediaFileId,
    kind: file.kind,
    url: file.storageUrl ?? '',
    mimeType: file.mimeType,
    aiGenerated: file.aiGenerated,
    altText: file.altText,
    size: file.fileSize,
    duration: file.duration,
    read(start, end) {
      if (!key) throw new Error('The file has no bytes')
      return storage.read(key, { start, end: end - 1 })
    },
  }
}
