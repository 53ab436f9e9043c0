import pg from 'pg'
import { expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { freshDatabase } from '../../../test/database.ts'
import { beside, startProduct, startSandbox } from '../../../test/product.ts'
import {
  addFault,
  asPerson,
  connect,
  eventually,
  liveOn,
  newPerson,
  skipWait,
  untilStatus,
} from '../../../test/world.ts'
import type { Post, Removal } from '../posts/api.ts'

const SCALE = { TIME_SCALE: '20' }

test('killed after the network deleted a post and before it took the call for another, the product removes both and never reports a failed removal', async () => {
  const sandbox = await startSandbox({ env: SCALE })
  const own = await freshDatabase()
  const env = { ...beside(sandbox), ...SCALE }
  const db = new pg.Client({ connectionString: own.url })
  await db.connect()
  let product = await startProduct({ databaseUrl: own.url, env })
  try {
    let ann = await newPerson(product.url)
    const accounts = (await connect(ann, 'NET_PAGE', 'u2101')).slice(0, 2)
    const liveOf = async ({ externalId }: SocialAccount) => ((await liveOn(sandbox.url)).get(externalId) ?? []).length
    const read = async () => (await ann.must<{ data: Removal[] }>('GET', '/removals')).data
    const posts: string[] = []
    for (const [index, account] of accounts.entries()) {
      const body = { caption: 'Look', targets: [account.id], action: 'publish' }
      const { id } = await ann.must<Post>('POST', '/posts', body)
      await untilStatus(ann, id, ['PUBLISHED'])
      const match = { network: 'NET_PAGE', method: 'DELETE', path: `${account.externalId}_` }
      const action = { delayMs: 3_600_000, ...(index === 0 && { after: true }) }
      await addFault(sandbox.url, { match, do: action, times: 1 })
      posts.push(id)
    }
    for (const id of posts) await ann.must('DELETE', `/posts/${id}?alsoOn=NET_PAGE`)
    await eventually(async () => (await read()).filter(({ state }) => state === 'REMOVING').length === 2)
    await eventually(async () => (await liveOf(accounts[0]!)) === 0)
    const { dataDir } = product
    await product.kill()
    product = await startProduct({ databaseUrl: own.url, dataDir, env })
    ann = asPerson(product.url, ann.session)
    // The leases of the killed process end.
    await db.query(
      `update delivery set lease_until = app_now(), next_at = app_now() where kind = 'remove' and lease_until is not null`,
    )
    const seen = new Set<string>()
    await eventually(async () => {
      for (const id of posts) await skipWait(db, id, 'remove')
      const states = (await read()).map(({ state }) => state)
      for (const state of states) seen.add(state)
      return states.every((state) => state === 'REMOVED')
    }, 100_000)
    expect(seen).not.toContain('FAILED')
    expect(seen).not.toContain('UNCONFIRMED')
    expect(await Promise.all(accounts.map(liveOf))).toEqual([0, 0])
    const { rows } = await db.query<{ id: string; tries: number }>(
      `select post_id as id, tries from delivery where kind = 'remove'`,
    )
    expect(posts.map((post) => rows.find(({ id }) => id === post)?.tries)).toEqual([1, 2])
  } finally {
    await product.stop()
    await db.end()
    await own.drop()
    await sandbox.stop()
  }
})
