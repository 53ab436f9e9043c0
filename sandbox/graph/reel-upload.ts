import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type FaultyAnswer, answerWithFaults, type NetworkName } from '../faults.ts'
import type { Store } from '../store.ts'
import { GraphError } from './errors.ts'
import { fillPageReel } from './page-video.ts'
import { fillReel } from './photo.ts'
import { type GraphCaller, checkToken } from './tokens.ts'

type Fill = (
  caller: GraphCaller,
  id: string,
  bytes: AsyncIterable<Buffer>,
  size: number,
) => Promise<'done' | 'short' | 'gone'>

/** Accepts the bytes of NET_PHOTO's videos and of NET_PAGE's reels, each in one request. */
export function reelUploadRoutes(app: FastifyInstance, store: Store, timeScale: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: unknown) => payload)
  take('NET_PHOTO', 'ig-api-upload', (_caller, id, bytes, size) => fillReel({ store, timeScale }, id, bytes, size))
  take('NET_PAGE', 'video-upload', ({ pageId }, id, bytes, size) => fillPageReel(store, { id, pageId }, bytes, size))

  function take(network: NetworkName, path: string, fill: Fill): void {
    app.post<{ Params: { id: string } }>(`/${path}/:version/:id`, (request, reply) =>
      answerWithFaults(store, { network, request, reply }, failed, async (): Promise<FaultyAnswer> => {
        const token = /^OAuth (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
        const now = store.clock.now()
        const meant = store.state.tokens.get(token)
        if (meant) store.note({ type: 'called', userId: meant.userId, at: now })
        let caller: GraphCaller
        try {
          caller = checkToken(store.state, token, now)
        } catch (error) {
          if (error instanceof GraphError) return refuse(401, 'NotAuthorizedError', error.message, false)
          throw error
        }
        const size = Number(request.headers['file_size'])
        if (!Number.isSafeInteger(size) || size < 1) return refuse(400, 'HeaderInvalid', 'file_size is missing', false)
        if (request.headers['offset'] !== '0')
          return refuse(412, 'OffsetInvalidError', 'The request starts at the wrong offset', true)
        const result = await fill(caller, request.params.id, request.body as AsyncIterable<Buffer>, size)
        if (result === 'done') return { status: 200, body: { success: true, message: 'Upload successful.' } }
        if (result === 'short') {
          return refuse(400, 'PartialRequestError', 'The number of bytes differs from the announced size', true)
        }
        return refuse(400, 'ProcessingFailedError', 'Request processing failed', false)
      }),
    )
  }
}

const refuse = (status: number, type: string, message: string, retriable: boolean): FaultyAnswer => ({
  status,
  body: { debug_info: { retriable, type, message } },
})

const failed = () => ({ debug_info: { retriable: true, type: 'ServerError', message: 'Please try again' } })
