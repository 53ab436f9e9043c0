// The import rules of ARCHITECTURE.md as lint rules: which area may import which, what rules.ts may not use, and how to
// import zod.
import { dirname, resolve } from 'node:path'
import { folderCycles } from './folder-cycles.mjs'
import { tableOwner } from './owners.mjs'
import { sourceOf, srcPath } from './paths.mjs'
import { linearPatterns } from './patterns.mjs'
import { uniqueTypeNames } from './type-names.mjs'
import { plainWords } from './words.mjs'

/** The areas in import order: an area imports only those before it. */
const areas = [
  'core',
  'networks',
  'team',
  'channels',
  'delivery',
  'publishing',
  'assistant',
  'conversations',
  'insights',
  'automation',
  'admin',
]
/** Files of the server that the browser and the table of endpoints import. */
const shared = ['src/core/http/endpoint.ts', 'src/core/errors.ts']
/** Texts for people, and the code that fills them. Server and browser share them. */
const isText = (path) => path.startsWith('src/core/texts/')
/** Files of core/http that operations may import. They import nothing else of HTTP. */
const httpForOperations = ['endpoint.ts', 'rules.ts']
/** Parts of networks/ that areas to its right may import. */
const networksForAreas = ['api.ts', 'network.ts', 'rules.ts', 'failures']

/** Returns why `from` may not import `to` (paths from the root); undefined if it may. */
function refusal(from, to, isType) {
  const [top, area] = from.split('/')
  const [toTop, toArea, toFolder] = to.split('/')
  const file = from.slice(from.lastIndexOf('/') + 1)
  const toFile = to.slice(to.lastIndexOf('/') + 1)
  const isTest = /\.test\.tsx?$/.test(from) || top === 'test' || top === 'scripts' || from === 'vite.config.ts'
  if (isTest) return undefined
  if (top === 'web') {
    if (toTop === 'web' || /^src\/.*\/(api|rules)\.ts$/.test(to) || shared.includes(to) || isText(to)) return undefined
    return 'web/ may import only api.ts, rules.ts, core/texts, core/http/endpoint.ts and core/errors.ts of the server'
  }
  if (top === 'sandbox') return toTop === 'sandbox' ? undefined : 'the sandbox must not import the product'
  if (top !== 'src') return undefined
  if (toTop === 'sandbox') return from === 'src/main.ts' ? undefined : 'only main.ts may import the sandbox'
  if (toTop !== 'src') return 'src/ must not import anything outside src/'
  if (to === 'src/main.ts' || to === 'src/app.ts')
    return from === 'src/main.ts' ? undefined : 'only main.ts may import main.ts or app.ts'
  if (['src/main.ts', 'src/app.ts', 'src/subscribers.ts'].includes(from)) return undefined
  if (to === 'src/subscribers.ts') return 'only main.ts may import the subscribers of all areas'

  if (file === 'rules.ts') {
    return isType || isText(to) || toFile === 'rules.ts' || toFile === 'api.ts' || toFile === 'endpoint.ts'
      ? undefined
      : 'rules.ts may import only types, texts, api.ts and other rules.ts'
  }
  if (file === 'api.ts' && toFile !== 'api.ts' && toFile !== 'endpoint.ts')
    return 'api.ts may import only zod, core/http/endpoint.ts and other api.ts'
  if (toArea === 'services.ts' || area === 'services.ts') return undefined
  if (areas.indexOf(toArea) > areas.indexOf(area)) {
    return `${area} must not import ${toArea}: register a callback in main.ts, or use a job or an event`
  }
  if (area === 'core' || area === 'networks') return undefined
  if (toArea === 'networks' && !networksForAreas.includes(toFolder))
    return 'areas may import only api.ts, network.ts, rules.ts and failures/rules.ts of the networks'
  if (
    to.startsWith('src/core/http/') &&
    !httpForOperations.includes(toFile) &&
    file !== 'routes.ts' &&
    file !== 'cookie.ts'
  )
    return 'operations must not import HTTP code'
  return undefined
}

const isTypeOnly = ({ importKind, exportKind }) => importKind === 'type' || exportKind === 'type'

const isProduct = (path) => /^(?:src|sandbox|web)\//.test(path) && !/\.test\.tsx?$/.test(path)

const boundaries = {
  create(context) {
    const check = (node) => {
      const source = sourceOf(node)
      const file = context.filename ?? context.getFilename()
      if (node.type === 'ImportExpression' && source === undefined && isProduct(srcPath(file)))
        context.report({ node, message: 'write the path of the import as a string, so that this rule can check it' })
      if (typeof source !== 'string' || !source.startsWith('.')) return
      const isType = isTypeOnly(node) || node.type === 'TSImportType'
      const reason = refusal(srcPath(file), srcPath(resolve(dirname(file), source)), isType)
      if (reason) context.report({ node, message: reason })
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

const pureRules = {
  create(context) {
    const file = srcPath(context.filename ?? context.getFilename())
    if (!/^src\/.*\/rules\.ts$/.test(file)) return {}
    const refuse = (node, what) =>
      context.report({ node, message: `rules.ts must be pure: take ${what} as an argument` })
    return {
      ImportDeclaration(node) {
        if (!node.source.value.startsWith('.')) refuse(node, node.source.value)
      },
      AwaitExpression: (node) => refuse(node, 'the result of anything asynchronous'),
      MemberExpression(node) {
        const name = `${node.object.name}.${node.property.name}`
        if (['Date.now', 'Math.random', 'performance.now', 'process.env', 'crypto.randomUUID'].includes(name))
          refuse(node, name)
      },
      NewExpression(node) {
        if (node.callee.name === 'Date' && node.arguments.length === 0) refuse(node, 'the time')
      },
      CallExpression(node) {
        if (['fetch', 'setTimeout', 'setInterval'].includes(node.callee.name)) refuse(node, node.callee.name)
      },
    }
  },
}

const environment = {
  create(context) {
    const file = srcPath(context.filename ?? context.getFilename())
    if (!file.startsWith('src/') || file === 'src/core/config.ts' || /\.test\.ts$/.test(file)) return {}
    return {
      MemberExpression(node) {
        if (node.object.name === 'process' && node.property.name === 'env') {
          context.report({ node, message: 'only config.ts may read the environment' })
        }
      },
    }
  },
}

const zodNamespace = {
  create: (context) => ({
    ImportDeclaration(node) {
      if (node.source.value !== 'zod' || node.importKind === 'type') return
      const named = node.specifiers.find((specifier) => specifier.type !== 'ImportNamespaceSpecifier')
      if (named)
        context.report({
          node,
          message: "import * as z from 'zod': the named z weighs four times as much in a browser",
        })
    },
  }),
}

export default {
  meta: { name: 'parley' },
  rules: {
    boundaries,
    'pure-rules': pureRules,
    environment,
    'zod-namespace': zodNamespace,
    'table-owner': tableOwner,
    'unique-type-names': uniqueTypeNames,
    'plain-words': plainWords,
    'linear-patterns': linearPatterns,
    'folder-cycles': folderCycles,
  },
}
