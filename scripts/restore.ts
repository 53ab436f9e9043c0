// npm run restore -- FILE: restores an archive of npm run backup into an empty DATA_DIR (or an empty DATABASE_URL).
import { join, resolve } from 'node:path'
import { BackupError, restore } from '../src/core/platform/backup/backup.ts'
import { MigrationError } from '../src/core/platform/migrate.ts'
import { useEmbedded } from '../src/core/platform/postgres/directory-lock.ts'
import { EmbeddedError } from '../src/core/platform/postgres/run.ts'
import { pauseAll } from '../src/team/workspaces/pause-after-restore.ts'
import { databaseUrl, dataDir } from './database.ts'

const file = process.argv[2]

try {
  if (!file) throw new BackupError('Specify the file to read: npm run restore -- parley.tar.gz')
  const work = {
    file: resolve(file),
    mediaDir: join(dataDir, 'media'),
    migrations: join(import.meta.dirname, '..', 'migrations'),
    closing: pauseAll,
    log: console.log,
  }
  const done = databaseUrl
    ? await restore({ ...work, url: databaseUrl })
    : await useEmbedded({ dataDir, purpose: 'a restore', exclusive: true, progress: console.log }, (url) =>
        restore({ ...work, url }),
      )
  console.log(`${dataDir}: restored ${done.rows} rows of ${done.tables} tables and ${done.files} media files.`)
  console.log(
    'Publishing is paused in every workspace, and so is the bot, because what was published and sent after the backup is unknown here. Cancel posts that are live, then resume both in the settings.',
  )
  console.log(
    'Start Parley with the encryption keys of the backup (ENCRYPTION_KEY and ENCRYPTION_KEY_PREVIOUS; without them secrets.json beside the media).',
  )
} catch (error) {
  const known = error instanceof BackupError || error instanceof EmbeddedError || error instanceof MigrationError
  console.error(known ? error.message : error)
  process.exitCode = 1
}
