import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FaultyAnswer, answerWithFaults } from '../faults.ts'
import { formOf } from '../http.ts'
import type { Store } from '../store.ts'
import { newLogId, toText, type VideoApp, type VideoCall, VideoError } from './call.ts'
import { giveTokens, LoginError, revokeTokens } from './login.ts'
import { publishPictures } from './pictures.ts'
import { beginUpload, listVideos, queryVideos, readCreator, readStatus, readUser } from './posting.ts'
import { takePiece } from './upload.ts'

const ROUTES: ['GET' | 'POST', string, (call: VideoCall) => object | Promise<object>][] = [
  ['GET', '/v2/user/info/', readUser],
  ['POST', '/v2/post/publish/creator_info/query/', readCreator],
  ['POST', '/v2/post/publish/video/init/', beginUpload],
  ['POST', '/v2/post/publish/content/init/', publishPictures],
  ['POST', '/v2/post/publish/status/fetch/', readStatus],
  ['POST', '/v2/video/list/', listVideos],
  ['POST', '/v2/video/query/', queryVideos],
]

/** The API of NET_VIDEO. `base` returns the address of the sandbox as the caller sees it. */
export function videoRoutes(
  app: FastifyInstance,
  store: Store,
  { app: client, timeScale }: { app: VideoApp; timeScale: number },
  base: (request: FastifyRequest) => string,
): void {
  for (const [method, url, handler] of ROUTES) {
    app.route({
      method,
      url,
      exposeHeadRoute: false,
      handler: (request, reply) =>
        answer(request, reply, async () => {
          const call: VideoCall = { store, app: client, timeScale, base: base(request), request, cut: false }
          return { data: await handler(call), error: { code: 'ok', message: '' } }
        }),
    })
  }
  app.post('/v2/oauth/token/', (request, reply) =>
    answer(request, reply, () => giveTokens(store, client, formOf(request))),
  )
  app.post('/v2/oauth/revoke/', (request, reply) =>
    answer(request, reply, () => {
      revokeTokens(store, client, formOf(request))
      return {}
    }),
  )
  app.setNotFoundHandler((request, reply) =>
    answer(request, reply, () => {
      throw new VideoError(404, 'invalid_params', 'Unsupported path')
    }),
  )
  app.setErrorHandler((error, request, reply) => {
    if (statusOf(error) >= 500) request.log.error(error)
    const body = statusOf(error) >= 500 ? failed(500) : { data: {}, error: { code: 'invalid_params', message: '' } }
    return reply.code(statusOf(error)).send(body)
  })

  function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => object | Promise<object>,
  ): Promise<FastifyReply> {
    return answerWithFaults(
      store,
      { network: 'NET_VIDEO', request, reply },
      failed,
      async (): Promise<FaultyAnswer> => {
        const logId = newLogId()
        const headers = { 'content-type': 'application/json; charset=utf-8', 'x-tt-logid': logId }
        try {
          const body = await work()
          const told = 'error' in body ? { ...body, error: { ...(body.error as object), log_id: logId } } : body
          return { status: 200, headers, body: toText(told) }
        } catch (error) {
          const refusal = refusalOf(error, logId)
          note(store, request, refusal.status, refusal.code, refusal.message)
          return { status: refusal.status, headers, body: toText(refusal.body) }
        }
      },
    )
  }
}

/** Accepts the bytes of videos at the upload addresses of the API. */
export function videoUploadRoutes(app: FastifyInstance, store: Store, timeScale: number): void {
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: unknown) => payload)
  app.put('/video/', (request, reply) =>
    answerWithFaults(store, { network: 'NET_VIDEO', request, reply }, failed, async (): Promise<FaultyAnswer> => {
      const put = await takePiece(store, timeScale, request)
      if (put.status >= 400) note(store, request, put.status, `http ${put.status}`, 'The chunk was refused')
      return { ...put, body: '' }
    }),
  )
}

const failed = (status: number) => ({
  data: {},
  error: { code: status === 429 ? 'rate_limit_exceeded' : 'internal_error', message: '', log_id: newLogId() },
})

function refusalOf(error: unknown, logId: string) {
  if (error instanceof LoginError) {
    const { code, message } = error
    return { status: 400, code, message, body: { error: code, error_description: message, log_id: logId } }
  }
  if (error instanceof VideoError) {
    const { status, code, message } = error
    return { status, code, message, body: { data: {}, error: { code, message, log_id: logId } } }
  }
  throw error
}

function note(store: Store, request: FastifyRequest, status: number, code: string, message: string): void {
  const [path = ''] = request.url.split('?')
  const at = store.clock.now()
  store.note({
    type: 'refused',
    refusal: { at, network: 'NET_VIDEO', method: request.method, path, status, code, message },
  })
}

function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500
  return typeof status === 'number' && status >= 400 ? status : 500
}
