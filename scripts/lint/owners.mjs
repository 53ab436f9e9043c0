// One owner per table: only the folder, or the files, that migrations/owners.json names may write a table. Others call
// an operation of the owner with their transaction.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, srcPath } from './paths.mjs'

const { owners, exceptions } = JSON.parse(readFileSync(join(root, 'migrations/owners.json'), 'utf8'))
const WRITE =
  /\b(insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?(?:public\.)?"?([a-z_]+)\b/gi

export const tableOwner = {
  create(context) {
    const file = srcPath(context.filename ?? context.getFilename())
    if (!file.startsWith('src/') || /\.test\.ts$/.test(file)) return {}
    const mayWrite = (table) =>
      [owners[table], ...exceptions.filter((exception) => exception.table === table).map(({ path }) => path)]
        .flat()
        .some((path) => file === path || file.startsWith(`${path}/`))
    const check = (node, text) => {
      for (const [, act, table] of text.matchAll(WRITE)) {
        if (!Object.hasOwn(owners, table) || mayWrite(table)) continue
        const owner = [owners[table]].flat().join(', ')
        const message = `${act.toLowerCase()} ${table}: the owner is ${owner}, so call an operation of it`
        context.report({ node, message })
      }
    }
    return {
      TemplateElement: (node) => check(node, node.value.raw),
      Literal(node) {
        if (typeof node.value === 'string') check(node, node.value)
      },
    }
  },
}
