// npm run failures: generates docs/failures.md from the table of failures.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { failuresPage } from './failures-page.ts'

writeFileSync(join(import.meta.dirname, '../docs/failures.md'), failuresPage())
