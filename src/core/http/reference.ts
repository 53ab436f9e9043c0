import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { errors } from '../errors.ts'

/** The package is part of the built server, where it would not find its own files. */
const SWAGGER_FILES = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')

/**
 * The reference for readers: the API at `/docs`, its errors at `/docs/errors`. `web` is the folder of the built app,
 * which has the icon. Register after the API description.
 */
export async function registerReference(app: FastifyInstance, web: string) {
  const icon = join(web, 'favicon.svg')
  const logo = { type: 'image/svg+xml', content: existsSync(icon) ? readFileSync(icon, 'utf8') : '' }
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, gate: 'public' }
      route.schema = { ...route.schema, hide: true } as typeof route.schema
    })
    docs.get('/docs/errors', async (_request, reply) => reply.type('text/html; charset=utf-8').send(errorsPage))
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      baseDir: SWAGGER_FILES,
      theme: {
        title: 'Parley: API reference',
        favicon: [{ filename: 'icon.svg', rel: 'icon', sizes: 'any', ...logo }],
      },
      uiConfig: { docExpansion: 'none', tryItOutEnabled: true, persistAuthorization: false, url: '/docs/openapi.json' },
      logo,
    })
  })
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const errorsPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley: errors</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: start; vertical-align: top; padding: .5rem .75rem .5rem 0; border-top: 1px solid #8886 }
  tr:target { background: #fc03 }
  code { font-size: .875rem }
</style>
<main>
<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> with its <code>code</code>, and with a <code>requestId</code> to tell us. The <a href="/docs">reference</a> names the operations.</p>
<div style="overflow-x: auto" tabindex="0" role="region" aria-label="Errors"><table>
<thead><tr><th scope="col">Code<th scope="col">Status<th scope="col">What it means<th scope="col">What to do</thead>
<tbody>
${Object.entries(errors)
  .map(
    ([code, [status, title, remedy]]) =>
      `<tr id="${code}"><td><code>${code}</code><td>${status}<td>${escaped(title)}<td>${escaped(remedy)}`,
  )
  .join('\n')}
</tbody></table></div>
</main>
`
