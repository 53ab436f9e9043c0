import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const YEAR = 31_536_000_000

/**
 * Serves the web app under /app. Its assets have a content hash in their names; every other path below is the app
 * itself.
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
      prefix: '/app/',
      wildcard: false,
      index: false,
      globIgnore: ['**/.vite/**'],
      setHeaders: (reply, path) => {
        const forever = path.includes('/assets/')
        reply.header('cache-control', forever ? `public, max-age=${YEAR / 1000}, immutable` : 'no-cache')
      },
    })
    for (const path of ['/app', '/app/*']) web.get(path, (_request, reply) => reply.sendFile('index.html'))
  })
}
