// A folder and its neighbours import each other in one direction, types included. At each level of src/ a folder counts
// as one with everything in it, and a file beside it counts alone. import/no-cycle sees only cycles of files.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { root, sourceOf, srcPath } from './paths.mjs'

const IMPORT = /^(?:import|export)\s[^'";]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|\bimport\(\s*['`](\.[^'`]+)['`]/gm
const isChecked = (path) => /^src\/.*\.ts$/.test(path) && !/\.test\.ts$/.test(path)

/** Whether an import may close a cycle. ARCHITECTURE.md has the reasons. */
const isExempt = (from, to) =>
  from === 'src/services.ts' ||
  to === 'src/services.ts' ||
  (/^src\/networks\/(?:api|rules)\.ts$/.test(from) && /^src\/networks\/\w+\/(?:api|rules)\.ts$/.test(to))

const placeOf = (from, source) => srcPath(resolve(root, dirname(from), source))

let imports

/** Returns all imports of src/ as pairs of paths. Reads all files once. */
function allImports() {
  if (imports) return imports
  const src = join(root, 'src')
  const files = existsSync(src)
    ? readdirSync(src, { recursive: true, encoding: 'utf8' }).map((file) => srcPath(join(src, file)))
    : []
  imports = files
    .filter(isChecked)
    .flatMap((from) =>
      [...readFileSync(join(root, from), 'utf8').matchAll(IMPORT)]
        .map(([, named, bare, called]) => ({ from, to: placeOf(from, named ?? bare ?? called) }))
        .filter(({ to }) => to.startsWith('src/') && !isExempt(from, to)),
    )
  return imports
}

/** Returns the deepest folder with both files, and the child of it that holds each. */
function levelOf(from, to) {
  const [a, b] = [from.split('/'), to.split('/')]
  const depth = a.findIndex((part, index) => part !== b[index])
  return { above: a.slice(0, depth).join('/'), parts: [a, b].map((path) => path.slice(0, depth + 1).join('/')) }
}

const levels = new Map()

/** Returns the imports between the children of a folder, by the child that imports. */
function importsIn(folder) {
  if (!levels.has(folder)) {
    const byChild = new Map()
    for (const { from, to } of allImports()) {
      if (from === to) continue
      const { above, parts } = levelOf(from, to)
      if (above !== folder) continue
      byChild.set(parts[0], [...(byChild.get(parts[0]) ?? []), { from, to, child: parts[1] }])
    }
    levels.set(folder, byChild)
  }
  return levels.get(folder)
}

/** Returns the shortest way of imports from one child of a folder to another, or undefined if there is none. */
function wayBack(folder, start, end) {
  const ways = new Map([[start, []]])
  for (const [child, way] of ways) {
    if (child === end) return way
    for (const step of importsIn(folder).get(child) ?? []) {
      if (!ways.has(step.child)) ways.set(step.child, [...way, step])
    }
  }
  return undefined
}

export const folderCycles = {
  create(context) {
    const from = srcPath(context.filename ?? context.getFilename())
    if (!isChecked(from)) return {}
    const check = (node) => {
      const source = sourceOf(node)
      if (typeof source !== 'string' || !source.startsWith('.')) return
      const to = placeOf(from, source)
      if (!to.startsWith('src/') || to === from || isExempt(from, to)) return
      const { above, parts } = levelOf(from, to)
      const way = wayBack(above, parts[1], parts[0])
      if (!way) return
      const steps = [{ from, to }, ...way].map((step) => `${step.from} imports ${step.to}`)
      context.report({
        node,
        message: `${parts[0]} and ${parts[1]} import each other: ${steps.join(', ')}`,
      })
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    }
  },
}
