import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { uuidv7 } from 'uuidv7'
import { AppError, type Code, errors } from '../../core/errors.ts'
import type { App } from '../../core/http/app.ts'
import { openEventStream } from '../../core/http/event-stream.ts'
import { freeKey } from '../../core/http/idempotency.ts'
import { asAppError, problemOf } from '../../core/http/problem.ts'
import type { Services } from '../../services.ts'
import { acceptGeneration, cancelGeneration } from './ai.ts'
import { requestGeneration } from './ai-ask.ts'
import { getGeneration, listGenerations, listSuggestions, readForAsker, type SeenGeneration } from './ai-read.ts'
import { followGeneration } from './ai-wait.ts'
import * as api from './api.ts'
import type { Generation, Kind } from './api.ts'
import { getPostTags, setPostTags } from './post-tags.ts'

const EVENTS = 'text/event-stream'
/** Milliseconds that a request waits for its answer. */
export const WAIT = 25_000

type AiPorts = Pick<Services, 'model' | 'settings' | 'events' | 'stopping'>

export function aiRoutes(app: App, ports: AiPorts) {
  const asked = [
    ['caption', api.generateCaption],
    ['rewrite', api.rewriteCaption],
    ['hashtags', api.generateHashtags],
    ['cta', api.generateCta],
    ['translate', api.translateCaption],
    ['image', api.generateImage],
    ['voice', api.suggestVoice],
    ['alt_text', api.generateAltText],
    ['suggestions', api.refreshSuggestions],
  ] as const
  for (const [kind, endpoint] of asked) {
    app.route({
      ...endpoint,
      handler: (request: FastifyRequest, reply: FastifyReply) => answer(ports, kind, request, reply),
    })
  }
  app.route({
    ...api.listGenerations,
    handler: (request) => listGenerations(request.scope, ports, request.query),
  })
  app.route({
    ...api.getGeneration,
    handler: (request) => getGeneration(request.scope, ports, request.params.id),
  })
  app.route({
    ...api.cancelGeneration,
    handler: (request) => cancelGeneration(request.scope, ports, request.params.id),
  })
  app.route({
    ...api.acceptGeneration,
    handler: (request) => acceptGeneration(request.scope, ports, request.params.id, request.body),
  })
  app.route({ ...api.listSuggestions, handler: (request) => listSuggestions(request.scope) })
  app.route({
    ...api.setPostTags,
    handler: (request) => setPostTags(request.scope, request.params.id, request.body),
  })
  app.route({ ...api.getPostTags, handler: (request) => getPostTags(request.scope, request.params.id) })
}

const isOver = ({ status }: Generation) => status !== 'QUEUED' && status !== 'RUNNING'

const isMade = ({ generation }: { generation: Generation }) =>
  generation.kind === 'suggestions' && generation.status === 'SUCCEEDED'

/** Returns the answer of an ended call by its kind, or throws its failure. */
function answerOf({ generation, remaining }: { generation: Generation; remaining: number | null }): object {
  const { id, status, error, kind, options, asked, dropped, applied, media, voice, credits } = generation
  if (status === 'CANCELLED') throw new AppError('ai_cancelled')
  if (status === 'FAILED') {
    const code = error?.code ?? 'ai_failed'
    throw new AppError(code in errors ? (code as Code) : 'ai_failed', error?.message)
  }
  const answered = { id, usage: { credits, remaining } }
  if (kind === 'image') return { ...answered, media, applied }
  if (kind === 'voice') return { ...answered, voice }
  return { ...answered, options, asked, dropped, applied }
}

const locationOf = (id: string) => `/api/v1/ai/generations/${id}`

/**
 * Starts a call, or finds the one with the same key, and waits for its result. If the client leaves before the end, the
 * call is stopped; with a key it continues, since the client can ask again. After 25 seconds it continues without the
 * client.
 */
async function answer(ports: AiPorts, kind: Kind, request: FastifyRequest, reply: FastifyReply) {
  const begun = request.begun as Generation | null
  const id = begun?.id ?? uuidv7()
  const { scope } = request
  const following = followGeneration(ports.events, scope.workspaceId, id)
  const canStream = request.routeOptions.schema?.produces?.includes(EVENTS) === true
  const streamed = canStream && request.headers.accept?.startsWith(EVENTS) === true
  let gone = false
  let late = false
  let ended: SeenGeneration | undefined
  const leave = () => {
    gone = true
    following.stop()
  }
  reply.raw.once('close', leave)
  const expire = () => {
    late = true
    following.stop()
  }
  ports.stopping.addEventListener('abort', expire)
  let end: NodeJS.Timeout | undefined
  let stream: ReturnType<typeof streamAnswer> | undefined
  try {
    if (!begun) await requestGeneration(scope, ports, id, kind, request.body as object, (seen) => (ended = seen))
    stream = streamed ? streamAnswer(request, reply, id) : undefined
    if (!stream) end = setTimeout(expire, WAIT)
    for (let first = begun !== null; ; first = false) {
      if (!first) await following.more()
      if (gone) {
        reply.hijack()
        return request.once ? undefined : await stopUnseen(ports, request, id)
      }
      // A person who was removed while the model wrote must not get the result.
      const found =
        ended ??
        (await readForAsker(scope, ports, id).catch(async (error: unknown) => {
          const isPassing = !late && error instanceof AppError && error.code === 'unavailable'
          if (isPassing) return
          if (error instanceof AppError) await stopUnseen(ports, request, id)
          throw error
        }))
      if (!found) continue
      stream?.show(found.generation)
      if (found.generation.status === 'FAILED') await freeKey(request)
      if (isOver(found.generation))
        return stream ? stream.end(found) : isMade(found) ? await listSuggestions(scope) : answerOf(found)
      if (late && stream) {
        return stream.fail(
          new AppError(
            'unavailable',
            'The server is restarting, but the AI request continues. Get its result shortly.',
            { retryAfter: 2 },
          ),
        )
      }
      if (late) {
        return reply.code(202).header('location', locationOf(id)).send(found.generation)
      }
    }
  } catch (error) {
    if (!stream) throw error
    request.log.error({ err: error }, 'a stream broke off')
    stream.fail(asAppError(error as FastifyError))
  } finally {
    clearTimeout(end)
    following.stop()
    ports.stopping.removeEventListener('abort', expire)
    reply.raw.off('close', leave)
  }
}

/**
 * Stops a call that nobody waits for any more; it may have just ended. Runs as the system, since the person who asked
 * may have lost the permission.
 */
async function stopUnseen(ports: AiPorts, { scope }: FastifyRequest, id: string): Promise<void> {
  await cancelGeneration(scope.asSystem(), ports, id).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'invalid_state')) throw error
  })
}

/** Sends options as events as they arrive, and finally the whole answer or the problem. */
function streamAnswer(request: FastifyRequest, reply: FastifyReply, id: string) {
  const stream = openEventStream(reply, { headers: { location: locationOf(id) } })
  const tell = (event: string, data: object) => stream.send(data, { event })
  const shown = new Set<string>()
  const fail = (error: AppError) => {
    tell('error', problemOf(request, error))
    stream.end()
  }
  return {
    fail,
    show({ options }: Generation) {
      for (const option of options) {
        if (shown.has(option.text)) continue
        shown.add(option.text)
        tell('option', option)
      }
    },
    end(found: { generation: Generation; remaining: number | null }) {
      try {
        tell('done', answerOf(found))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return fail(error)
      }
      stream.end()
    },
  }
}
