// npm run admin -- list | grant ADDRESS | revoke ADDRESS: manages the people who may see and run the whole service. Can
// be used while the product runs.
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { commandOperators, OperatorError } from '../src/admin/operators.ts'
import { useEmbedded } from '../src/core/platform/postgres/directory-lock.ts'
import { EmbeddedError } from '../src/core/platform/postgres/run.ts'

const command = process.argv.slice(2)
const dataDir = resolve(process.env['DATA_DIR'] || '.data')
const database = process.env['DATABASE_DIRECT_URL'] || process.env['DATABASE_URL']

try {
  if (!database && !(existsSync(dataDir) && readdirSync(dataDir).some((name) => /^postgres-\d+$/.test(name)))) {
    throw new OperatorError(`There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL`)
  }
  console.log(
    database
      ? await commandOperators(database, command)
      : await useEmbedded({ dataDir, purpose: 'npm run admin' }, (url) => commandOperators(url, command)),
  )
} catch (error) {
  const known = error instanceof OperatorError || error instanceof EmbeddedError
  console.error(known ? error.message : error)
  process.exitCode = 1
}
