// npm run openapi: writes openapi.json as the running service describes itself.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProduct } from '../test/product.ts'

const root = join(import.meta.dirname, '..')
const product = await startProduct()
try {
  const response = await fetch(`${product.url}/docs/openapi.json`)
  const file = join(root, 'openapi.json')
  writeFileSync(file, `${JSON.stringify(await response.json(), null, 2)}\n`)
} finally {
  await product.stop()
}
