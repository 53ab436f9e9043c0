// npm run admin -- list | grant ADDRESS | revoke ADDRESS: manages the people who may see and run the whole service. Can
// be used while the product runs.
import { commandOperators, OperatorError } from '../src/admin/operators.ts'
import { useEmbedded } from '../src/core/platform/postgres/directory-lock.ts'
import { EmbeddedError } from '../src/core/platform/postgres/run.ts'
import { databaseUrl, dataDir, whyNoDatabase } from './database.ts'

const command = process.argv.slice(2)

try {
  const missing = whyNoDatabase()
  if (missing) throw new OperatorError(missing)
  console.log(
    databaseUrl
      ? await commandOperators(databaseUrl, command)
      : await useEmbedded({ dataDir, purpose: 'npm run admin' }, (url) => commandOperators(url, command)),
  )
} catch (error) {
  const known = error instanceof OperatorError || error instanceof EmbeddedError
  console.error(known ? error.message : error)
  process.exitCode = 1
}
