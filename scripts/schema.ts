// npm run schema: writes migrations/schema.sql and src/core/platform/tables.ts as the migrations make them.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/core/platform/migrate.ts'
import { startEmbedded } from '../src/core/platform/postgres/postgres.ts'
import { dumpSchema, tableTypes } from '../src/core/platform/schema.ts'

const root = join(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'parley-schema-'))
const server = await startEmbedded({ dataDir: directory, fsync: false })
try {
  await migrate(server.url, join(root, 'migrations'))
  const types = join(root, 'src/core/platform/tables.ts')
  writeFileSync(join(root, 'migrations/schema.sql'), await dumpSchema(server.url))
  writeFileSync(types, await tableTypes(server.url))
  execFileSync(join(root, 'node_modules/.bin/oxfmt'), [types], { cwd: root, stdio: 'ignore' })
} finally {
  await server.stop()
  rmSync(directory, { recursive: true })
}
