import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

interface Chunk {
  file: string
  isEntry?: boolean
  imports?: string[]
}

/** A screen: the pattern of its path, the files of its route and their parents', and whether it requires sign-in. */
interface Screen {
  pattern: string
  routes: string[]
  isSignedIn: boolean
}

const LANGUAGES = ['en', 'ar']
/** Files that every signed-in screen loads. */
const FRAME = ['features/shell/frame-parts.ts', 'release.ts']

/**
 * Adds first.js to the build of the app in the folder `web`. The script loads what the first screen needs together with the
 * app. Without it, the browser learns of these files only when the app has started and renewed the session.
 */
export function firstFiles(web: string): Plugin {
  let base = '/'
  return {
    name: 'first-files',
    apply: 'build',
    buildStart() {
      this.addWatchFile(join(web, 'first.js'))
    },
    configResolved: (config) => void (base = config.base),
    writeBundle({ dir = '' }) {
      const manifest = JSON.parse(readFileSync(join(dir, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
      const texts = textsOf(web)
      const names: string[] = []
      const numbers = (keys: string[]) => {
        const files = filesOf(manifest, keys)
        for (const file of files) if (!names.includes(file)) names.push(file)
        return files.map((file) => names.indexOf(file))
      }
      const screens = screensOf(web).map(({ pattern, routes, isSignedIn }) => {
        const parts = [...new Set(['', ...routes.flatMap(texts)])]
        const frame = isSignedIn ? FRAME : []
        return [
          pattern,
          isSignedIn ? 1 : 0,
          numbers([...routes.map((route) => `routes/${route}?tsr-split=component`), ...frame]),
          ...LANGUAGES.map((tag) => numbers(parts.map((part) => `locales/${tag}.ts${part && `?${part}`}`))),
        ]
      })
      const script = readFileSync(join(web, 'first.js'), 'utf8')
      const values = { BASE: base, FILES: names, SCREENS: screens }
      writeFileSync(
        join(dir, 'first.js'),
        script.replaceAll(/'(BASE|FILES|SCREENS)'/g, (_, name: keyof typeof values) => JSON.stringify(values[name])),
      )
    },
  }
}

/** Returns the files of modules with all that they import, except those that the page itself names. */
function filesOf(manifest: Record<string, Chunk>, keys: string[]): string[] {
  const withImports = (some: string[], seen = new Set<string>()): Set<string> => {
    for (const key of some.filter((one) => manifest[one] && !seen.has(one))) {
      seen.add(key)
      withImports(manifest[key]?.imports ?? [], seen)
    }
    return seen
  }
  const named = withImports(Object.keys(manifest).filter((key) => manifest[key]?.isEntry))
  return [...withImports(keys)].filter((key) => !named.has(key)).map((key) => manifest[key]?.file ?? '')
}

/** Returns all screens. The first whose pattern matches a path is the right one. */
function screensOf(web: string): Screen[] {
  const folder = join(web, 'routes')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const idOf = (file: string) => /createFileRoute\('([^']+)'\)/.exec(readFileSync(join(folder, file), 'utf8'))?.[1]
  const ids = new Map(files.map((file) => [file, idOf(file)]))
  const screens = files.flatMap((file): Screen[] => {
    const id = ids.get(file)
    if (id === undefined || id.endsWith('/$')) return []
    const parts = id.split('/').filter((part) => part !== '' && !part.startsWith('_'))
    const path = parts.map((part) => (part.startsWith('$') ? '/[^/]+' : `/${part.replace(/_$/, '')}`))
    const routes = files.filter((other) => other === file || id.startsWith(`${ids.get(other)}/`))
    return [{ pattern: `${path.join('')}/?$`, routes, isSignedIn: id.startsWith('/_app/') || id === '/' }]
  })
  const parameters = ({ pattern }: Screen) => pattern.split('[^/]+').length
  return screens.toSorted((a, b) => parameters(a) - parameters(b))
}

/** Returns a function from a route file to the parts of the texts that it loads, by the loaders of `i18n.tsx`. */
function textsOf(web: string): (route: string) => string[] {
  const loaders = readFileSync(join(web, 'i18n.tsx'), 'utf8').matchAll(/const (\w+Texts) = \(\) => texts\((.*)\)/g)
  const parts = [...loaders].map(
    ([, name = '', list = '']) => [name, [...list.matchAll(/\w+/g)].map(([part]) => part)] as const,
  )
  return (route) => {
    const source = readFileSync(join(web, 'routes', route), 'utf8')
    return parts.filter(([name]) => source.includes(name)).flatMap(([, list]) => list)
  }
}
