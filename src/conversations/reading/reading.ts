import { query } from '../../core/platform/db.ts'
import type { Jobs } from '../../core/platform/job-names.ts'
import type { Scope, Scopes } from '../../core/platform/scope.ts'
import { withToken } from '../../channels/accounts-refresh.ts'
import { NetworkError, type Network, type ReadStep } from '../../networks/network.ts'
import type { Services } from '../../services.ts'
import { RAW_KEPT } from '../rules.ts'
import { storeEvents } from '../webhooks/store.ts'

// Networks keep no copy of a webhook. What was not told is found by reading: after a time in which nobody took webhooks, after an
// account was connected again or subscribed again, and every six hours.

const MINUTE = 60_000
/** An account is read this often, though nothing is known to be missing. */
const READ_EVERY = 6 * 60 * MINUTE
/** A reading begins this long before the last one, since networks tell and list messages late. */
const OVERLAP = 10 * MINUTE
/** The part of the calls of an hour that one reading takes at most. It goes on an hour later. */
const SHARE = 0.1
const GOES_ON_AFTER = 60 * MINUTE
const LEAST_CALLS = 5

type Ports = Pick<Services, 'networks' | 'crypto' | 'budget' | 'settings'>

interface Account {
  platform: string
  externalId: string
  networkUser: string
  accessToken: string | null
  readAt: Date | null
}

/**
 * Reads what was written to an account since the last reading. An account that was never read begins with this moment: what was
 * written before it was connected is not taken in.
 */
export async function readAccount(scope: Scope, ports: Ports, job: Jobs['inbox-reading']): Promise<void> {
  const { accountId } = job
  const [[account]] = await scope.read(
    query<Account>`select a.platform, a.external_id, a.network_user, a.access_token, r.read_at from social_account a
      left join inbox_reading r on r.workspace_id = a.workspace_id and r.account_id = a.id
      where a.workspace_id = ${scope.workspaceId} and a.id = ${accountId} and a.status = 'CONNECTED'`,
  )
  if (!account) return
  const network = ports.networks.get(account.platform)
  const { inbox } = network
  if (!inbox) return
  if (!account.readAt) return noteRead(scope, accountId, scope.now())
  const begun = job.begun === undefined ? scope.now() : new Date(job.begun)
  const oldest = begun.getTime() - RAW_KEPT
  const since = new Date(Math.max(account.readAt.getTime() - OVERLAP, oldest))
  const steps = job.steps ?? (await stepsOf(scope, accountId, new Date(oldest)))

  const hourly = ports.budget.limit(network.platform)
  const calls = Math.max(LEAST_CALLS, hourly === null ? steps.length : Math.floor(hourly * SHARE))
  const who = { app: network.app, userKey: account.networkUser }
  const reserved = await ports.budget.reserve(who, calls, 'conversation_read', network.platform)
  if ('until' in reserved) return goOn(scope, { accountId, begun, steps }, reserved.until)
  const { reservation } = reserved
  const left = [...steps]
  try {
    await withToken(scope, ports, { accountId, accessToken: account.accessToken }, async (accessToken) => {
      for (let made = 0; made < calls; made += 1) {
        const step = left.shift()
        if (!step) return
        const place = { account: { externalId: account.externalId, accessToken }, reservation }
        const { events, next } = await unlessGone(inbox.readBack(place, step, since), step)
        await storeEvents(
          scope,
          events.map((event) => ({ account: accountId, event })),
          'read',
        )
        left.push(...next)
      }
    })
  } catch (error) {
    if (!(error instanceof NetworkError) || error.kind === 'TRANSIENT' || error.kind === 'RATE_LIMIT') throw error
    scope.log.warn({ err: error, accountId }, 'the conversations of an account could not be read')
    return
  } finally {
    await reserved.release()
  }
  if (left.length > 0)
    return goOn(scope, { accountId, begun, steps: left }, new Date(scope.now().getTime() + GOES_ON_AFTER))
  await noteRead(scope, accountId, begun)
}

/** A post that is gone has no comments. */
const unlessGone = (read: ReturnType<NonNullable<Network['inbox']>['readBack']>, step: ReadStep) =>
  read.catch((error: unknown) => {
    if (step.list === 'comments' && error instanceof NetworkError && error.kind === 'NOT_FOUND') {
      return { events: [], next: [] }
    }
    throw error
  })

/** The conversations, and the posts of the last days: ours, and those below which somebody wrote. */
async function stepsOf(scope: Scope, accountId: string, oldest: Date): Promise<ReadStep[]> {
  const [posts] = await scope.read(query<{ post: string }>`
    select external_id as post from publication where workspace_id = ${scope.workspaceId} and account_id = ${accountId}
      and state = 'PUBLISHED' and published_at > ${oldest} and external_id is not null
    union select post_ref from thread where workspace_id = ${scope.workspaceId} and account_id = ${accountId}
      and kind = 'COMMENT' and last_in_at > ${oldest} and post_ref is not null`)
  return [
    { list: 'conversations', after: null },
    ...posts.map(({ post }): ReadStep => ({ list: 'comments', post, after: null })),
  ]
}

const goOn = (
  scope: Scope,
  { accountId, begun, steps }: { accountId: string; begun: Date; steps: ReadStep[] },
  runAt: Date,
) =>
  scope.transaction(async (tx) => {
    const data = { accountId, begun: begun.toISOString(), steps }
    tx.enqueue('inbox-reading', data, { key: `reading:${accountId}`, runAt })
  })

const noteRead = (scope: Scope, accountId: string, at: Date) =>
  scope.transaction(async (tx) => {
    await tx.run(query`insert into inbox_reading (workspace_id, account_id, read_at)
      values (${tx.workspaceId}, ${accountId}, ${at})
      on conflict (workspace_id, account_id) do update set read_at = greatest(inbox_reading.read_at, excluded.read_at)`)
  })

/** Enqueues a reading of all connected accounts that were last read before a time. */
async function readAll(scope: Scope, platform: Pick<Scopes, 'ask' | 'scope'>, before: Date): Promise<void> {
  const accounts = await platform.ask(
    'inbox',
    query<{ workspaceId: string; id: string }>`select r.workspace_id, r.account_id as id from inbox_reading r
      join social_account a on a.workspace_id = r.workspace_id and a.id = r.account_id
      where a.status = 'CONNECTED' and r.read_at <= ${before}`,
  )
  for (const { workspaceId, id } of accounts) {
    await platform
      .scope(workspaceId, scope.actor)
      .transaction(async (tx) => void tx.enqueue('inbox-reading', { accountId: id }, { key: `reading:${id}` }))
  }
}

/** Has those accounts read that nobody has read for six hours. */
export const readSilent = (scope: Scope, platform: Pick<Scopes, 'ask' | 'scope'>) =>
  readAll(scope, platform, new Date(scope.now().getTime() - READ_EVERY))

// ---- the time in which nobody took webhooks

/** A process that takes webhooks says so this often, in milliseconds. */
const SAYS_SO_EVERY = 15_000
/** Networks tell again what was not taken for less than this. */
const SHORT = 60_000

/**
 * Says that webhooks are taken, until stopped. After a time in which no process took them, all accounts are read. Returns how to
 * stop it.
 */
export async function watchTaking(scope: Scope, platform: Pick<Scopes, 'ask' | 'scope'>): Promise<() => void> {
  const [last] = await platform.ask('inbox', query<{ at: Date }>`select at from inbox_alive`)
  const say = () =>
    platform.ask(
      'inbox',
      query`insert into inbox_alive (at) values (app_now()) on conflict (singleton) do update set at = excluded.at`,
      { relaxed: true },
    )
  const now = scope.now()
  if (last && now.getTime() - last.at.getTime() > SHORT) await readAll(scope, platform, now)
  await say()
  const timer = setInterval(() => {
    say().catch((error: unknown) => scope.log.warn({ err: error }, 'that webhooks are taken could not be said'))
  }, SAYS_SO_EVERY).unref()
  return () => clearInterval(timer)
}
