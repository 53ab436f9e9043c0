// npm run schema: generates migrations/schema.sql from the migrations.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/core/platform/migrate.ts'
import { startEmbedded } from '../src/core/platform/postgres/postgres.ts'
import { dumpSchema } from '../src/core/platform/schema.ts'

const root = join(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'parley-schema-'))
const server = await startEmbedded({ dataDir: directory, fsync: false })
try {
  await migrate(server.url, join(root, 'migrations'))
  writeFileSync(join(root, 'migrations/schema.sql'), await dumpSchema(server.url))
} finally {
  await server.stop()
  rmSync(directory, { recursive: true })
}
