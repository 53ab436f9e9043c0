// No two exported types share a name, so that a reader knows the type without checking its import.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, srcPath } from './paths.mjs'

const EXPORTED = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm
const isChecked = (path) => /^(?:src|sandbox|web)\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path)

let filesByName

/** Returns the files that export a type of this name. Reads all files once. */
function exportersOf(name) {
  if (!filesByName) {
    filesByName = new Map()
    const paths = readdirSync(root, { withFileTypes: true })
      .filter((entry) => ['src', 'sandbox', 'web'].includes(entry.name))
      .flatMap((entry) =>
        readdirSync(join(root, entry.name), { recursive: true, encoding: 'utf8' }).map((file) =>
          srcPath(join(root, entry.name, file)),
        ),
      )
    for (const path of paths.filter(isChecked)) {
      for (const [, found] of readFileSync(join(root, path), 'utf8').matchAll(EXPORTED)) {
        filesByName.set(found, [...(filesByName.get(found) ?? []), path])
      }
    }
  }
  return filesByName.get(name) ?? []
}

export const uniqueTypeNames = {
  create(context) {
    const file = srcPath(context.filename ?? context.getFilename())
    if (!isChecked(file)) return {}
    const check = (node) => {
      const { name } = node.declaration?.id ?? {}
      const isType = /^(?:TSInterface|TSTypeAlias|Class|TSEnum)Declaration$/.test(node.declaration?.type ?? '')
      if (!isType || name === undefined) return
      const others = new Set(exportersOf(name).filter((path) => path !== file))
      if (others.size > 0) {
        context.report({ node, message: `${name} is also exported by ${[...others].join(', ')}: rename one of them` })
      }
    }
    return { ExportNamedDeclaration: check }
  },
}
