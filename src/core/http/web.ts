import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const YEAR = 31_536_000_000

/**
 * Serves the web app under /app. Its assets have a content hash in their names; every other path below is the app
 * itself. All of its files share one route, because 800 routes would take 9 MB of memory.
 */
export async function registerWeb(app: FastifyInstance, root: string) {
  app.get('/', { config: { gate: 'public' } }, (_request, reply) => reply.redirect('/app'))
  if (!existsSync(join(root, 'index.html'))) {
    app.log.warn('the web app is not built: run npm run build')
    return
  }
  await app.register(async (web) => {
    web.addHook('onRoute', (route) => {
      route.config = { ...route.config, gate: 'public' }
    })
    await web.register(fastifyStatic, {
      root,
      serve: false,
      index: false,
      setHeaders: (reply, path) => {
        const forever = path.includes('/assets/')
        reply.header('cache-control', forever ? `public, max-age=${YEAR / 1000}, immutable` : 'no-cache')
      },
    })
    const files = filesOf(root)
    web.get('/app', (_request, reply) => reply.sendFile('index.html'))
    web.get<{ Params: { '*': string } }>('/app/*', ({ params: { '*': path } }, reply) =>
      reply.sendFile(files.has(path) ? path : 'index.html'),
    )
  })
}

/** Returns the paths of the files in a folder, except those of the build itself. */
function filesOf(root: string): Set<string> {
  const entries = readdirSync(root, { withFileTypes: true, recursive: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
  return new Set(paths.filter((path) => !path.startsWith('.vite/')))
}
