import type { Readable } from 'node:stream'
import fastifyMultipart, { type Multipart } from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, invalid } from '../../core/errors.ts'
import type { App } from '../../core/http/app.ts'
import { PIECE_TYPE } from '../../core/http/endpoint.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import * as media from './media.ts'
import { type Incoming, uploadMedia } from './media-ingest.ts'
import { createSenders, untilStopped } from './media-senders.ts'
import { continueUpload, createUpload, endUpload, getUpload } from './media-resume.ts'
import { byteRange, FILES_LIMIT, servedType, VIDEO_LIMIT } from './rules.ts'

export async function mediaRoutes(app: App, services: Services): Promise<void> {
  const receive = createSenders(services.settings.timeScale)
  await app.register(async (scope: App) => {
    await scope.register(fastifyMultipart, {
      // One more than is accepted, so that our own check refuses it.
      limits: {
        fileSize: VIDEO_LIMIT + 1,
        files: FILES_LIMIT + 1,
        fields: 20,
        fieldSize: 10_000,
        parts: FILES_LIMIT + 22,
      },
      throwFileSizeLimit: false,
    })
    scope.route({
      ...api.uploadMedia,
      handler: async (request, reply) => {
        try {
          const length = Number(request.headers['content-length'])
          const size = Number.isSafeInteger(length) ? length : undefined
          const files = await receive(request, reply, (stopped) =>
            uploadMedia(request.scope, services, { size, files: filesOf(request, stopped) }),
          )
          const [first] = files
          if (files.length > 1 || !first) return reply.code(201).send({ data: files })
          return sendCreated(reply, '/media', first)
        } finally {
          // Discards unread bytes, so that the sender can read the answer.
          request.raw.unpipe()
          request.raw.resume()
        }
      },
    })
  })

  await uploadRoutes(app, services, receive)

  app.route({
    ...api.listMedia,
    handler: async (request, reply) => {
      const page = await media.listMedia(request.scope, services, request.query)
      return reply.type('application/json; charset=utf-8').send(page as never)
    },
  })

  app.route({
    ...api.getMedia,
    handler: async (request, reply) =>
      sendVersioned(reply, await media.getMedia(request.scope, services, request.params.id)),
  })

  app.route({
    ...api.updateMedia,
    handler: async (request, reply) =>
      sendVersioned(
        reply,
        await media.updateMedia(request.scope, services, request.params.id, request.body, ifMatch(request)),
      ),
  })

  app.route({
    ...api.deleteMedia,
    handler: async (request, reply) => {
      await media.deleteMedia(request.scope, services, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
}

/** Yields the files of a form. Refuses a field that is not a file, except the id of the workspace. */
async function* filesOf(request: FastifyRequest, stopped: Promise<never>): AsyncGenerator<Incoming> {
  for await (const part of fromSender<Multipart>(request.parts(), stopped)) {
    if (part.type === 'file') {
      yield {
        fileName: part.filename ?? '',
        bytes: fromSender<Uint8Array>(part.file, stopped),
      }
    } else if (part.fieldname !== 'workspaceId') {
      throw invalid({
        path: `/${part.fieldname.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        code: 'unknown_field',
        message: `Unknown field ${part.fieldname}.`,
      })
    } else if (part.value !== request.scope.workspaceId) {
      throw new AppError('workspace_mismatch', undefined, {
        errors: [
          { path: '/workspaceId', code: 'workspace_mismatch', message: 'This isn’t the workspace of the request.' },
        ],
      })
    }
  }
}

/** Blames the sender for a failed read: the form cannot be parsed, broke off, or is too slow. */
async function* fromSender<T>(items: AsyncIterable<T>, stopped: Promise<never>): AsyncGenerator<T> {
  const iterator = untilStopped(items, stopped)
  for (;;) {
    const { done, value } = await iterator.next().catch((error: Error & { code?: string }) => {
      if (error instanceof AppError || error.code === 'FST_INVALID_MULTIPART_CONTENT_TYPE') throw error
      throw new AppError('malformed_request', `The form can’t be read: ${error.message}`)
    })
    if (done) return
    yield value
  }
}

const VERSION = '1.0.0'

/** Resumable uploads, by tus 1.0.0 with the extensions creation, expiration and termination. */
async function uploadRoutes(app: App, services: Services, receive: ReturnType<typeof createSenders>): Promise<void> {
  await app.register(async (scope: App) => {
    scope.addContentTypeParser(PIECE_TYPE, (_request, payload, done) => done(null, payload))
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('tus-resumable', VERSION)
      const version = request.headers['tus-resumable']
      if (version === undefined || version === VERSION) return
      reply.header('tus-version', VERSION)
      throw new AppError('tus_version')
    })

    scope.route({
      ...api.createUpload,
      handler: async (request, reply) => {
        const { filename = '', filetype = '' } = metadataOf(request)
        const upload = await createUpload(request.scope, services, {
          size: numberIn(request, 'upload-length'),
          fileName: filename,
          declaredType: filetype,
        })
        reply.header('location', `/api/v1/media/uploads/${upload.id}`)
        return describe(reply.code(201), upload).send(upload)
      },
    })

    // This also adds the route for HEAD.
    scope.route({
      ...api.getUpload,
      handler: async (request, reply) => {
        const upload = await getUpload(request.scope, services, request.params.id)
        return describe(reply, upload).send(upload)
      },
    })

    scope.route({
      ...api.continueUpload,
      handler: async (request, reply) => {
        const offset = numberIn(request, 'upload-offset')
        try {
          const upload = await receive(request, reply, (stopped) =>
            continueUpload(request.scope, services, request.params.id, offset, untilStopped(bytesOf(request), stopped)),
          )
          return await describe(reply.code(204), upload).send(null)
        } finally {
          // Discards unread bytes, so that the sender can read the answer.
          request.raw.resume()
        }
      },
    })

    scope.route({
      ...api.endUpload,
      handler: async (request, reply) => {
        await endUpload(request.scope, services, request.params.id)
        return reply.code(204).send(null)
      },
    })

    const schema = {
      operationId: 'describeUploads',
      summary: 'Get the supported tus version and extensions',
      tags: api.createUpload.schema.tags,
    }
    app.route({
      method: 'OPTIONS',
      url: '/media/uploads',
      config: { gate: 'public' },
      schema: { ...schema, hide: true },
      handler: async (_request, reply) =>
        reply
          .code(204)
          .headers({
            'tus-resumable': VERSION,
            'tus-version': VERSION,
            'tus-extension': 'creation,expiration,termination',
            'tus-max-size': VIDEO_LIMIT,
          })
          .send(),
    })
  })
}

function describe(reply: FastifyReply, { offset, size, expiresAt, mediaFileId }: api.MediaUpload): FastifyReply {
  if (mediaFileId) reply.header('content-location', `/api/v1/media/${mediaFileId}`)
  else reply.header('upload-expires', new Date(expiresAt).toUTCString())
  return reply.headers({ 'upload-offset': offset, 'upload-length': size, 'cache-control': 'no-store' })
}

function numberIn({ headers }: FastifyRequest, name: string): number | undefined {
  const value = headers[name]
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined
  return Number.isSafeInteger(number) ? number : undefined
}

/** Parses pairs of a name and a base64 value. Anything else is ignored. */
function metadataOf({ headers }: FastifyRequest): Record<string, string | undefined> {
  const pairs = String(headers['upload-metadata'] ?? '').split(',')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.trim().split(' ')
      return [name.toLowerCase(), Buffer.from(value, 'base64').toString().replaceAll('\0', '')]
    }),
  )
}

/**
 * Yields the bytes of a request. An upload that breaks off is the sender's fault. If reading stops early, the caller
 * discards the rest.
 */
async function* bytesOf({ body, headers }: FastifyRequest): AsyncGenerator<Uint8Array> {
  if (headers['content-type'] !== PIECE_TYPE) throw new AppError('unsupported_media_type')
  try {
    yield* (body as Readable).iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw new AppError('malformed_request', `The upload broke off: ${error instanceof Error ? error.message : ''}`)
  }
}

/**
 * Serves copies of uploads to anyone who has the address, with unlimited caching. Nothing in them can run in a browser.
 * The original is never served, since its key has no address.
 */
export function fileRoutes(app: FastifyInstance, { storage }: Pick<Services, 'storage'>): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { key } = request.params as { key: string }
    const type = servedType(key)
    const size = type === undefined ? undefined : await storage.size(key)
    if (type === undefined || size === undefined) throw new AppError('not_found')
    const etag = `"${key}"`
    reply.headers({
      etag,
      'cache-control': 'public, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    })
    const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''))
    if (known?.some((each) => each === etag || each === '*')) return reply.code(304).send()
    const unchanged = request.headers['if-range'] === undefined || request.headers['if-range'] === etag
    const range = request.method === 'GET' && unchanged ? byteRange(request.headers.range, size) : undefined
    if (range === 'unsatisfiable') {
      return reply.code(416).header('content-range', `bytes */${size}`).removeHeader('cache-control').send()
    }
    if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
    reply.header('content-length', range ? range.end - range.start + 1 : size).type(type)
    return request.method === 'HEAD' ? reply.send() : reply.send(storage.read(key, range))
  }
  // The server's default answer to HEAD would read the whole file.
  app.route({
    method: ['GET', 'HEAD'],
    url: '/files/:key',
    exposeHeadRoute: false,
    config: { gate: 'public' },
    handler,
  })
}
