import pg from 'pg'
import { freshDatabase } from './database.ts'
import { beside, freePort, startProduct, startSandbox } from './product.ts'

const SCALE = {
  TIME_SCALE: '20',
  DEFAULT_PLAN: 'business',
  NETWORK_CALLS_PER_HOUR: '100000',
  AI_CALLS_PER_MINUTE: '100000',
}

/** A sandbox, a database, and a product beside them that can be killed and goes on at the same address. */
export async function killableWorld() {
  const sandbox = await startSandbox({ env: { TIME_SCALE: '20' } })
  const own = await freshDatabase()
  // The network knows one address: a product that starts again listens there.
  const env = { ...beside(sandbox), ...SCALE, PORT: String(await freePort()) }
  const db = new pg.Client({ connectionString: own.url })
  await db.connect()
  let product = await startProduct({ databaseUrl: own.url, env })
  return {
    sandbox,
    db,
    url: () => product.url,
    async kill() {
      const { dataDir } = product
      await product.kill()
      product = await startProduct({ databaseUrl: own.url, dataDir, env })
    },
    async end() {
      await product.stop()
      await db.end()
      await own.drop()
      await sandbox.stop()
    },
  }
}
