import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import compile from 'icu-minify/compile'
import { defineConfig, type Plugin, runnerImport } from 'vite'
import { firstFiles } from './scripts/first-files.ts'
import { routeTree } from './scripts/route-tree.ts'
import type { Endpoint } from './src/core/http/endpoint.ts'
import * as slices from './web/endpoints.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const isEndpoint = (value: unknown): value is Endpoint =>
  value !== null && typeof value === 'object' && 'method' in value && 'url' in value && 'config' in value

/** Slices of screens that are opened later. Their operations are loaded with these screens. */
const LATER: Record<string, string[]> = {
  admin: ['admin'],
  ai: ['ai', 'brandVoices'],
  bot: ['bot', 'botConfig', 'botLearning', 'botSpotCheck', 'experiments', 'memory', 'replyStats'],
  insights: ['abTests', 'analytics', 'competitors', 'reports'],
  inbox: ['audience', 'conversations', 'escalation', 'failedEvents', 'savedReplies', 'segments'],
  predictions: ['predictions'],
  transfer: ['transfer'],
}

/**
 * `virtual:endpoints` is { operationId: [method, url, gate] } for the operations that the web app calls. It is
 * generated from the contract at build time, so that no schema reaches the browser. `virtual:endpoints/admin` and
 * similar modules have the operations of the slices in `LATER`. A gate without a role is omitted.
 */
function endpoints(): Plugin {
  const sources = readdirSync(here('web'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(here(`web/${file}`), 'utf8'))
  const isCalled = (name: string) => sources.some((source) => source.includes(`'${name}'`))
  const tableOf = (wanted: (slice: string) => boolean) => {
    const table: Record<string, [method: string, url: string, gate?: Endpoint['config']['gate']]> = {}
    for (const [, slice] of Object.entries(slices).filter(([name]) => wanted(name))) {
      for (const [name, value] of Object.entries(slice as Record<string, unknown>)) {
        if (!isEndpoint(value) || !isCalled(name)) continue
        const { gate } = value.config
        const url = value.url.replaceAll(/\(\^[^)]*\)/g, '')
        table[name] = typeof gate === 'string' ? [value.method, url] : [value.method, url, gate]
      }
    }
    return table
  }
  const later = Object.values(LATER).flat()
  const tables: Record<string, object> = { 'virtual:endpoints': tableOf((slice) => !later.includes(slice)) }
  for (const [name, parts] of Object.entries(LATER))
    tables[`virtual:endpoints/${name}`] = tableOf((slice) => parts.includes(slice))
  return {
    name: 'endpoints',
    resolveId: (id) => (id in tables ? `\0${id}` : undefined),
    load: (id) => (id.slice(1) in tables ? `export default ${JSON.stringify(tables[id.slice(1)])}` : undefined),
  }
}

type Messages = { [key: string]: string | Messages }
type Compiled = { [key: string]: ReturnType<typeof compile> | Compiled }

const compileAll = (messages: Messages): Compiled =>
  Object.fromEntries(
    Object.entries(messages).map(([key, value]) => [
      key,
      typeof value === 'string' ? compile(value) : compileAll(value),
    ]),
  )

/**
 * The texts of rarer screens, by part. A part is fetched with its name as the query, such as `?rare`, when one of its
 * screens is opened. All other texts are loaded with the app.
 */
const PARTS: Record<string, string[]> = {
  rare: [
    'audit',
    'commands',
    'ending',
    'invite',
    'keys',
    'members',
    'notices',
    'onboarding',
    'overview',
    'plan',
    'profile',
    'sessions',
  ],
  admin: ['admin'],
  refused: ['checks', 'refusals', 'rejections'],
  post: ['approvals', 'composer', 'conflict', 'options', 'post'],
  failed: ['doctor', 'failures', 'findings', 'library', 'trouble'],
  today: ['today'],
  audience: ['audience'],
  inbox: ['inbox', 'rules'],
  bot: ['bot'],
  insights: ['abTests', 'competitors'],
  why: ['why'],
  reports: ['reports'],
  predictions: ['predictions'],
  reuse: ['slots', 'transfer'],
  writing: ['links', 'writing'],
  crop: ['crop', 'trim'],
  figures: ['figures'],
  analytics: ['analytics', 'metricWords'],
  ai: ['ai', 'aiHistory', 'assistant', 'ideas', 'voices'],
}
const partOf = (section: string) => Object.keys(PARTS).find((part) => PARTS[part]?.includes(section)) ?? ''

/** Parses the texts of `web/locales/` at build time, so that the browser needs no parser for message patterns. */
function messages(): Plugin {
  return {
    name: 'messages',
    enforce: 'pre',
    async transform(_, id) {
      const found = /^(.*\/web\/locales\/\w+\.ts)(?:\?(\w+))?$/.exec(id)
      if (!found?.[1]) return
      const part = found[2] ?? ''
      const { module, dependencies } = await runnerImport<Record<string, Messages>>(found[1], { configFile: false })
      for (const file of dependencies) this.addWatchFile(here(file))
      return Object.entries(module)
        .map(([name, value]) => {
          const wanted = Object.entries(value).filter(([section]) => partOf(section) === part)
          return `export const ${name} = ${JSON.stringify(compileAll(Object.fromEntries(wanted)))}`
        })
        .join('\n')
    },
  }
}

/** Serves the data of the emoji picker from our own address. */
function emoji(): Plugin {
  return {
    name: 'emoji',
    generateBundle() {
      for (const name of ['data', 'messages']) {
        const source = readFileSync(here(`node_modules/emojibase-data/en/${name}.json`))
        this.emitFile({ type: 'asset', fileName: `emoji/en/${name}.json`, source })
      }
    },
  }
}

export default defineConfig({
  root: here('web'),
  base: '/app/',
  plugins: [
    endpoints(),
    messages(),
    emoji(),
    firstFiles(here('web')),
    tanstackRouter(routeTree),
    react(),
    tailwindcss(),
  ],
  resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
  build: {
    outDir: here('dist/web'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // The code that every screen needs is in two files, ours and its packages, since many small files compress worse.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /node_modules\/(react|react-dom|scheduler|use-intl|@tanstack)\//,
              tags: ['$initial'],
              priority: 1,
            },
            { name: 'shell', tags: ['$initial'] },
            // A file per icon would be slow to load.
            { name: 'icons', test: /node_modules\/lucide-react\//, minShareCount: 4 },
          ],
        },
      },
    },
  },
})
