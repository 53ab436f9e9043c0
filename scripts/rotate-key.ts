// npm run rotate-key: seals all stored tokens again with ENCRYPTION_KEY, and says whether ENCRYPTION_KEY_PREVIOUS may go. Can
// be used while the product runs with the new key.
import { ConfigError, readConfig } from '../src/core/config.ts'
import { useEmbedded } from '../src/core/platform/postgres/directory-lock.ts'
import { EmbeddedError } from '../src/core/platform/postgres/run.ts'
import { resealDatabase } from '../src/core/platform/reseal.ts'
import { databaseUrl, dataDir, whyNoDatabase } from './database.ts'

try {
  const missing = whyNoDatabase()
  if (missing) throw new EmbeddedError(missing)
  const config = readConfig()
  const { report, isDone } = databaseUrl
    ? await resealDatabase(databaseUrl, config)
    : await useEmbedded({ dataDir, purpose: 'npm run rotate-key' }, (url) => resealDatabase(url, config))
  console.log(report)
  if (!isDone) process.exitCode = 1
} catch (error) {
  const known = error instanceof ConfigError || error instanceof EmbeddedError
  console.error(known ? error.message : error)
  process.exitCode = 1
}
