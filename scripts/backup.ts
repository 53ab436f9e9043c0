// npm run backup -- FILE: archives all rows and media of DATA_DIR (or of DATABASE_URL). Can be used while the product
// runs.
import { join, resolve } from 'node:path'
import { backup, BackupError } from '../src/core/platform/backup/backup.ts'
import { useEmbedded } from '../src/core/platform/postgres/directory-lock.ts'
import { EmbeddedError } from '../src/core/platform/postgres/run.ts'
import { databaseUrl, dataDir, whyNoDatabase } from './database.ts'

const file = process.argv[2]

try {
  if (!file) throw new BackupError('Specify the file to write: npm run backup -- parley.tar.gz')
  const work = { file: resolve(file), mediaDir: join(dataDir, 'media'), log: console.log }
  const missing = whyNoDatabase()
  if (missing) throw new BackupError(missing)
  const done = databaseUrl
    ? await backup({ ...work, url: databaseUrl })
    : await useEmbedded({ dataDir, purpose: 'a backup' }, (url) => backup({ ...work, url }))
  console.log(`${file}: ${done.rows} rows of ${done.tables} tables and ${done.files} media files.`)
  console.log(
    'The backup does not contain the encryption keys: store them separately (ENCRYPTION_KEY and ENCRYPTION_KEY_PREVIOUS; without them secrets.json in the data directory).',
  )
} catch (error) {
  const known = error instanceof BackupError || error instanceof EmbeddedError
  console.error(known ? error.message : error)
  process.exitCode = 1
}
