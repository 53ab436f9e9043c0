import type { Pool } from 'pg'
import { connect as consent } from '../sandbox/testing.ts'
import type { SocialAccount } from '../src/channels/api.ts'
import { addJob } from './jobs.ts'
import { call, connect, eventually, type Person } from './world.ts'

// An account with a past: posts that a person made at the network before the account was connected.

const HOUR = 3_600_000

interface Product {
  sql: Pick<Pool, 'query'>
  sandbox: { url: string }
}

/** Moves the clocks of the product and of the networks together. */
export async function passTime({ sql, sandbox }: Product, hours: number): Promise<void> {
  await call(sandbox.url, 'POST', '/clock', { advanceMs: hours * HOUR })
  await sql.query('update app_clock set shift = shift + make_interval(hours => $1)', [hours])
}

/** Reads the figures of an account until the awaited condition holds. */
export async function readFigures(
  { sql }: Pick<Product, 'sql'>,
  workspaceId: string,
  accountId: string,
  isThere: () => Promise<boolean>,
) {
  await eventually(
    async () => {
      await addJob(sql, 'analytics-sync', { accountId }, { workspaceId, key: `sync:${accountId}` })
      return isThere()
    },
    60_000,
    500,
  )
}

/**
 * Connects a page of a sandbox person with these posts, five hours apart, so that they fall into all slots. The last
 * post is older than a week when the page is connected, and all posts are read.
 */
export async function connectWithPast(
  product: Product,
  person: Person,
  sandboxUser: string,
  texts: readonly string[],
): Promise<SocialAccount> {
  const there = await consent(product.sandbox.url, sandboxUser)
  for (const message of texts) {
    await there.post({ message })
    await passTime(product, 5)
  }
  await passTime(product, 8 * 24)
  // The product may learn of the new time during the consent, which is then too late.
  const consented = await connect(person, 'NET_PAGE', sandboxUser).catch(() => connect(person, 'NET_PAGE', sandboxUser))
  const account = consented.find(({ externalId }) => externalId === there.page.id)
  if (!account) throw new Error('The page was not connected')
  await readFigures(product, person.workspaceId, account.id, async () => {
    const { rows } = await product.sql.query<{ count: number }>(
      `select count(distinct p.id)::int as count from measured_post p join post_metric m on m.post_id = p.id and m.age_hours >= 168
        where p.account_id = $1`,
      [account.id],
    )
    return rows[0]?.count === texts.length
  })
  return account
}
