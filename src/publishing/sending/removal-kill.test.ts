import pg from 'pg'
import { expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { freshDatabase } from '../../../test/database.ts'
import { beside, startProduct, startSandbox } from '../../../test/product.ts'
import { addFault, asPerson, connect, eventually, liveOn, newPerson, untilStatus } from '../../../test/world.ts'
import type { Post, Removal } from '../posts/api.ts'

const SCALE = { TIME_SCALE: '20' }

test.each([
  ['after the network deleted the post and before that was settled', { delayMs: 3_600_000, after: true }, 1],
  ['before the network took the call', { delayMs: 3_600_000 }, 2],
])(
  'killed %s, the product still removes the post and never reports the removal as failed',
  async (_when, action, tries) => {
    const sandbox = await startSandbox({ env: SCALE })
    const own = await freshDatabase()
    const env = { ...beside(sandbox), ...SCALE }
    const db = new pg.Client({ connectionString: own.url })
    await db.connect()
    let product = await startProduct({ databaseUrl: own.url, env })
    try {
      let ann = await newPerson(product.url)
      const [account] = (await connect(ann, 'NET_PAGE', 'u2101')) as [SocialAccount]
      const { id } = await ann.must<Post>('POST', '/posts', {
        caption: 'Look',
        targets: [account.id],
        action: 'publish',
      })
      await untilStatus(ann, id, ['PUBLISHED'])
      const match = { network: 'NET_PAGE', method: 'DELETE', path: `${account.externalId}_` }
      await addFault(sandbox.url, { match, do: action, times: 1 })
      await ann.must('DELETE', `/posts/${id}?alsoOn=NET_PAGE`)
      const read = async () => (await ann.must<{ data: Removal[] }>('GET', '/removals')).data[0]!
      const liveOf = async () => ((await liveOn(sandbox.url)).get(account.externalId) ?? []).length
      await eventually(async () => (await read()).state === 'REMOVING')
      if ('after' in action) await eventually(async () => (await liveOf()) === 0)
      const { dataDir } = product
      await product.kill()
      product = await startProduct({ databaseUrl: own.url, dataDir, env })
      ann = asPerson(product.url, ann.session)
      const seen = new Set<string>()
      await eventually(async () => {
        const { state } = await read()
        seen.add(state)
        return state === 'REMOVED'
      }, 100_000)
      expect(seen).not.toContain('FAILED')
      expect(seen).not.toContain('UNCONFIRMED')
      expect(await liveOf()).toBe(0)
      const { rows } = await db.query(`select tries from delivery where kind = 'remove'`)
      expect(rows).toEqual([{ tries }])
    } finally {
      await product.stop()
      await db.end()
      await own.drop()
      await sandbox.stop()
    }
  },
)
