import { isIPv6 } from 'node:net'
import { AppError } from '../errors.ts'
import { hashSecret } from './crypto.ts'
import { query, sql, whole } from './db.ts'
import type { Scope, Tx } from './scope.ts'

export interface Limit {
  /** The subject of a limit: a name and an owner. Only its hash is stored. */
  key: string
  tries: number
  seconds: number
}

interface Window {
  tries: number
  endsAt: Date
}

/** The part of a statement that counts a try. `counted` has its window. */
const counting = ({ key, seconds }: Limit, now: Date) => {
  const hash = hashSecret(key)
  return sql`old as (delete from try_count where key in (select key from try_count
      where ends_at < ${now} and key <> ${hash} limit 2 for update skip locked)),
    counted as (insert into try_count as t (key, tries, ends_at) values (${hash}, 1, ${new Date(now.getTime() + seconds * 1000)})
    on conflict (key) do update set tries = case when t.ends_at <= ${now} then 1 else t.tries + 1 end,
      ends_at = case when t.ends_at <= ${now} then excluded.ends_at else t.ends_at end
    returning tries, ends_at)`
}

const countingTry = (limit: Limit, now: Date) =>
  whole<Window>(sql`with ${counting(limit, now)} select tries, ends_at from counted`)

function refuseAbove([window]: Window[], { tries, seconds }: Limit, now: Date): void {
  if (!window || window.tries <= tries) return
  // Our clock may be slightly behind that of the process that began the window.
  const left = Math.ceil((window.endsAt.getTime() - now.getTime()) / 1000)
  const retryAfter = Math.min(seconds, Math.max(1, left))
  throw new AppError('rate_limited', undefined, { retryAfter })
}

/** Counts one try across all processes. Throws `rate_limited` when the tries of the window are used up. */
export async function countTry(scope: Scope, limit: Limit): Promise<void> {
  const now = scope.now()
  refuseAbove(await scope.write(countingTry(limit, now)), limit, now)
}

/**
 * Counts one try within a transaction. Throws `rate_limited` when the tries of the window are used up. If the
 * transaction fails later, the try does not count.
 */
export async function countWith(tx: Tx, limit: Limit): Promise<void> {
  refuseAbove(await tx.run(countingTry(limit, tx.now)), limit, tx.now)
}

/** A statement that counts one try with the commit, for `LastOptions.before`. It refuses above the limit. */
export const countAtCommit = (tx: Tx, limit: Limit) =>
  whole(sql`with ${counting(limit, tx.now)} select must_find(count(*)) from counted where tries <= ${limit.tries}`)

/** Whether the count is within its limit, for work that is skipped rather than refused. */
export const within = (counted: Promise<void>): Promise<boolean> =>
  counted.then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'rate_limited') return false
      throw error
    },
  )

/** Takes back a successful try where only failures count. */
export async function forgetTry(scope: Scope, { key }: Limit): Promise<void> {
  await scope.write(query`update try_count set tries = greatest(tries - 1, 0) where key = ${hashSecret(key)}`)
}

/** The network address of a person, for limits. A /64 of IPv6 counts as one address. */
export const networkOf = (ip: string | undefined): string => blockOf(ip, { v4: 4, v6: 4 })

/** The block of a person's provider, for limits: a /48 of IPv6 or a /24 of IPv4. */
export const providerBlockOf = (ip: string | undefined): string => blockOf(ip, { v4: 3, v6: 3 })

/** The first parts of an address: of the four of IPv4, and of the eight of IPv6. */
function blockOf(ip: string | undefined, { v4, v6 }: { v4: number; v6: number }): string {
  if (!ip) return 'none'
  if (!isIPv6(ip) || ip.includes('.')) {
    const address = ip.slice(ip.lastIndexOf(':') + 1)
    return address.split('.').slice(0, v4).join('.')
  }
  const [head = '', tail] = ip.split('::')
  const start = head.split(':').filter(Boolean)
  const end = tail?.split(':').filter(Boolean) ?? []
  const all = tail === undefined ? start : [...start, ...Array<string>(8 - start.length - end.length).fill('0'), ...end]
  return all
    .slice(0, v6)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':')
}
