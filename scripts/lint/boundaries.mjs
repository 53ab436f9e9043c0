// The import rules of ARCHITECTURE.md as lint rules: who may import whom, what rules.ts may not touch, and how zod is imported.
import { dirname, relative, resolve, sep } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const srcPath = (file) => relative(root, file).split(sep).join('/')

/** Slices in the order in which they may know each other: a slice imports only those before it. */
const slices = [
  'audit',
  'notifications',
  'plans',
  'identity',
  'workspaces',
  'accounts',
  'media',
  'posts',
  'writing',
  'scheduler',
  'transfer',
  'approvals',
  'publishing',
  'analytics',
  'brand-voices',
  'ai',
  'conversations',
  'bot',
  'admin',
]
const foundations = ['platform', 'networks', 'http', 'sandbox']

/** Why `from` may not import `to` (paths from the root), or undefined when it may. */
function refusal(from, to, isType) {
  const [top, area] = from.split('/')
  const [toTop, toArea, toFile] = to.split('/')
  const isTest = /\.test\.tsx?$/.test(from) || top === 'test' || top === 'scripts' || from === 'vite.config.ts'
  if (isTest) return undefined
  if (top === 'web') {
    if (
      toTop === 'web' ||
      /^src\/.*\/(api|rules)\.ts$/.test(to) ||
      to === 'src/http/endpoint.ts' ||
      to === 'src/errors.ts'
    )
      return undefined
    return 'web/ imports only api.ts, rules.ts, http/endpoint.ts and errors.ts of the server'
  }
  if (top !== 'src') return undefined
  if (toTop !== 'src') return 'src/ imports nothing outside src/'
  if (to === 'src/main.ts' || to === 'src/app.ts')
    return from === 'src/main.ts' ? undefined : 'nobody imports main.ts or app.ts'
  if (from === 'src/main.ts' || from === 'src/app.ts') return undefined
  if (area === 'sandbox') return toArea === 'sandbox' ? undefined : 'the sandbox imports nothing of the product'
  if (toArea === 'sandbox') return 'only main.ts knows the sandbox'

  const file = from.slice(from.lastIndexOf('/') + 1)
  const toName = to.slice(to.lastIndexOf('/') + 1)
  if (file === 'rules.ts') {
    return isType || toName === 'rules.ts' || toName === 'api.ts' || toName === 'endpoint.ts'
      ? undefined
      : 'rules.ts imports types and other rules.ts'
  }
  if (file === 'api.ts') {
    return toName === 'api.ts' || toName === 'endpoint.ts'
      ? undefined
      : 'api.ts imports zod, http/endpoint.ts and other api.ts'
  }
  if (foundations.includes(area) && slices.includes(toArea) && toName !== 'api.ts') {
    return `${area}/ never imports a slice`
  }
  if (area === 'http' && toArea === 'networks') return 'http/ knows HTTP, nothing of the networks'
  if (slices.includes(area)) {
    if (toArea === 'networks' && !['network.ts', 'rules.ts', 'failures'].includes(toFile))
      return 'slices know the networks by networks/network.ts, rules.ts and failures/rules.ts alone'
    if (
      toArea === 'http' &&
      file !== 'routes.ts' &&
      file !== 'cookie.ts' &&
      !['endpoint.ts', 'rules.ts'].includes(toFile)
    ) {
      return 'operations know nothing of HTTP'
    }
    if (slices.includes(toArea) && slices.indexOf(toArea) > slices.indexOf(area))
      return `${area} <- ${toArea}: what points backwards goes through a job`
  }
  if (from === 'src/services.ts' || from === 'src/errors.ts' || from === 'src/config.ts') return undefined
  return undefined
}

const boundaries = {
  create(context) {
    const check = (node) => {
      const source = node.source?.value
      if (typeof source !== 'string' || !source.startsWith('.')) return
      const file = context.filename ?? context.getFilename()
      const reason = refusal(srcPath(file), srcPath(resolve(dirname(file), source)), node.importKind === 'type')
      if (reason) context.report({ node, message: reason })
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    }
  },
}

const pureRules = {
  create(context) {
    const file = srcPath(context.filename ?? context.getFilename())
    if (!/^src\/.*\/rules\.ts$/.test(file)) return {}
    const refuse = (node, what) =>
      context.report({ node, message: `rules.ts is pure: ${what} comes in as an argument` })
    return {
      ImportDeclaration(node) {
        if (!node.source.value.startsWith('.')) refuse(node, node.source.value)
      },
      AwaitExpression: (node) => refuse(node, 'anything asynchronous'),
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
    if (
      !file.startsWith('src/') ||
      file === 'src/config.ts' ||
      file === 'src/sandbox/main.ts' ||
      /\.test\.ts$/.test(file)
    )
      return {}
    return {
      MemberExpression(node) {
        if (node.object.name === 'process' && node.property.name === 'env') {
          context.report({ node, message: 'only config.ts reads the environment' })
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
  rules: { boundaries, 'pure-rules': pureRules, environment, 'zod-namespace': zodNamespace },
}
