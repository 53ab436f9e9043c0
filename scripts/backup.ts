// npm run backup -- FILE: archives all rows and media of DATA_DIR (or of DATABASE_URL). Can be used while the product
// runs.
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backup, BackupError } from '../src/core/platform/backup/backup.ts'
import { useEmbedded } from '../src/core/platform/postgres/directory-lock.ts'
import { EmbeddedError } from '../src/core/platform/postgres/run.ts'

const file = process.argv[2]
const dataDir = resolve(process.env['DATA_DIR'] || '.data')
const database = process.env['DATABASE_DIRECT_URL'] || process.env['DATABASE_URL']

try {
  if (!file) throw new BackupError('Specify the file to write: npm run backup -- parley.tar.gz')
  const work = { file: resolve(file), mediaDir: join(dataDir, 'media'), log: console.log }
  if (!database && !(existsSync(dataDir) && readdirSync(dataDir).some((name) => /^postgres-\d+$/.test(name)))) {
    throw new BackupError(`There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL`)
  }
  const done = database
    ? await backup({ ...work, url: database })
    : await useEmbedded({ dataDir, purpose: 'a backup' }, (url) => backup({ ...work, url }))
  console.log(`${file}: ${done.rows} rows of ${done.tables} tables and ${done.files} media files.`)
  console.log(
    'The backup does not contain the encryption key: store it separately (secrets.json in the data directory, or your settings).',
  )
} catch (error) {
  const known = error instanceof BackupError || error instanceof EmbeddedError
  console.error(known ? error.message : error)
  process.exitCode = 1
}
