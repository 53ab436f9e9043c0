// npm run failures: writes docs/failures.md as the table of failures makes it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { failuresPage } from './failures-page.ts'

writeFileSync(join(import.meta.dirname, '../docs/failures.md'), failuresPage())
