import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerWithFaults } from '../faults.ts'
import type { FaultyAnswer, NetworkName } from '../faults.ts'
import { HOUR } from '../state.ts'
import type { Store } from '../store.ts'
import type { GraphRequest, GraphOptions, Handler } from './call.ts'
import { GraphError, errorBody, newTrace, played, refuse, statusOf } from './errors.ts'
import { readAccountInsights } from './account-insights.ts'
import { createComment, listComments } from './comments.ts'
import {
  debugToken,
  exchangeToken,
  listAccounts,
  listPermissions,
  listSubscriptions,
  removePermissions,
  subscribeApp,
  unsubscribeApp,
} from './oauth.ts'
import {
  changeComment,
  isCommentCall,
  isProfileCall,
  listCallbacks,
  listConversations,
  listMessages,
  readComment,
  readProfile,
  sendMessage,
  subscribeCallback,
} from './inbox.ts'
import { readParams, text } from './params.ts'
import type { Params } from './params.ts'
import { createPhoto } from './photos.ts'
import {
  createContainer,
  isPhotoCall,
  listPhotoPosts,
  listStories,
  publishContainer,
  readPhotoObject,
  readPublishingLimit,
} from './photo.ts'
import { createReel, createVideo, isVideoCall, readVideo, readVideoInsights } from './page-video.ts'
import { changePost, createPost, deleteObject, listPosts, readObject } from './posts.ts'
import { checkProof, checkToken, isAppToken } from './tokens.ts'

const ROUTES: ['GET' | 'POST' | 'DELETE', string, Handler][] = [
  ['GET', '/oauth/access_token', exchangeToken],
  ['POST', '/oauth/access_token', exchangeToken],
  ['GET', '/debug_token', debugToken],
  ['GET', '/:id/accounts', listAccounts],
  ['GET', '/:id/permissions', listPermissions],
  ['DELETE', '/:id/permissions', removePermissions],
  ['DELETE', '/:id/permissions/:permission', removePermissions],
  ['GET', '/:id/subscribed_apps', listSubscriptions],
  ['POST', '/:id/subscribed_apps', subscribeApp],
  ['DELETE', '/:id/subscribed_apps', unsubscribeApp],
  ['POST', '/:id/feed', createPost],
  ['POST', '/:id/photos', createPhoto],
  ['POST', '/:id/videos', createVideo],
  ['POST', '/:id/video_reels', createReel],
  ['POST', '/:id/comments', createComment],
  ['GET', '/:id/comments', listComments],
  ['POST', '/:id/replies', createComment],
  ['GET', '/:id/replies', listComments],
  ['GET', '/:id/subscriptions', listCallbacks],
  ['POST', '/:id/subscriptions', subscribeCallback],
  ['POST', '/:id/messages', sendMessage],
  ['GET', '/:id/conversations', listConversations],
  ['GET', '/:id/messages', listMessages],
  ['GET', '/:id/feed', listPosts],
  ['GET', '/:id/published_posts', listPosts],
  ['POST', '/:id/media', createContainer],
  ['POST', '/:id/media_publish', publishContainer],
  ['GET', '/:id/video_insights', readVideoInsights],
  ['GET', '/:id/insights', readAccountInsights],
  ['GET', '/:id/media', listPhotoPosts],
  ['GET', '/:id/stories', listStories],
  ['GET', '/:id/content_publishing_limit', readPublishingLimit],
  [
    'GET',
    '/:id',
    (call) =>
      (isProfileCall(call)
        ? readProfile
        : isCommentCall(call)
          ? readComment
          : isPhotoCall(call)
            ? readPhotoObject
            : isVideoCall(call)
              ? readVideo
              : readObject)(call),
  ],
  ['POST', '/:id', (call) => (isCommentCall(call) ? changeComment : changePost)(call)],
  ['DELETE', '/:id', deleteObject],
]

const OLDEST = 19
const OLDEST_LIVE = 21
const LATEST = 26
const BODY_LIMIT = 16 * 1024 * 1024

/**
 * The Graph API of NET_PAGE and NET_PHOTO, below `/{version}`. `base` returns the address of the sandbox as the caller
 * sees it.
 */
export function graphRoutes(
  app: FastifyInstance,
  store: Store,
  options: GraphOptions,
  base: (request: FastifyRequest) => string,
): void {
  for (const [method, path, handler] of ROUTES) {
    app.route({
      method,
      url: `/:version${path}`,
      bodyLimit: BODY_LIMIT,
      exposeHeadRoute: false,
      handler: (request, reply) => serve(request, reply, handler),
    })
  }
  const unknown: Handler = (call) => {
    throw refuse.unknownPath(new URL(call.address).pathname)
  }
  app.setNotFoundHandler((request, reply) => serve(request, reply, unknown))
  app.setErrorHandler((error, request, reply) => {
    const status = statusOfError(error)
    if (status >= 500) request.log.error(error)
    const { refused } = status >= 500 ? played(1) : refuse.parameter('The body of the request cannot be read')
    return reply.code(status).send(errorBody(refused, newTrace()))
  })

  async function serve(request: FastifyRequest, reply: FastifyReply, handler: Handler): Promise<FastifyReply> {
    const params = readParams(request)
    const bearer = /^(?:Bearer|OAuth) (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const token = bearer ?? text(params, 'access_token')
    const meant = token === undefined ? undefined : store.state.tokens.get(token)
    // Every call counts, including refused and cut ones, since the caller made it.
    if (meant) store.note({ type: 'called', userId: meant.userId, at: store.clock.now() })

    const trace = newTrace()
    const call: GraphRequest = {
      ...options,
      store,
      method: request.method,
      base: base(request),
      address: new URL(request.url.split('?')[0] ?? '/', base(request)).href,
      params,
      ids: request.params as Record<string, string>,
      token,
      caller: () => identify(params, token),
      cut: false,
    }
    const network = isPhotoCall(call) ? 'NET_PHOTO' : 'NET_PAGE'
    const headers = () => ({ ...usageHeaders(token), 'x-fb-trace-id': trace, 'cache-control': 'no-store' })

    return answerWithFaults(
      store,
      { network, request, reply },
      (status) => errorBody(played(status >= 500 ? 2 : status === 429 ? 32 : 1).refused, trace),
      async (): Promise<FaultyAnswer> => {
        const version = /^v(\d{1,3})\.\d$/.exec(call.ids['version'] ?? '')?.[1]
        try {
          if (version === undefined || Number(version) > LATEST) throw refuse.unknownPath(`/${call.ids['version']}`)
          if (Number(version) < OLDEST) throw refuse.version(`v${LATEST}.0`)
          if (meant && callsOf(meant.userId) > options.callLimit) throw refuse.callLimit(meant.kind)
          const body = await handler(call)
          const spoken = `v${Math.max(Number(version), OLDEST_LIVE)}.0`
          return { status: 200, headers: { ...headers(), 'facebook-api-version': spoken }, body, cut: call.cut }
        } catch (error) {
          if (!(error instanceof GraphError)) throw error
          return refusal(request, network, error, trace, headers())
        }
      },
    )
  }

  /** Returns the caller of a token. Throws the refusal of a missing or invalid token; an app's own token has no caller. */
  function identify(params: Params, token: string | undefined) {
    if (token === undefined || isAppToken(token, options.apps)) throw refuse.noToken()
    const caller = checkToken(store.state, token, store.clock.now())
    const app = options.apps.find(({ id }) => id === caller.appId)
    checkProof(token, text(params, 'appsecret_proof'), app, options.requireProof)
    return caller
  }

  function refusal(
    request: FastifyRequest,
    network: NetworkName,
    error: GraphError,
    trace: string,
    headers: Record<string, string>,
  ): FaultyAnswer {
    const { refused } = error
    const status = statusOf(refused)
    const { code, subcode, message } = refused
    const [path = ''] = request.url.split('?')
    const at = store.clock.now()
    store.note({
      type: 'refused',
      refusal: { at, network, method: request.method, path, status, code, subcode, message },
    })
    return { status, headers, body: errorBody(refused, trace) }
  }

  function callsOf(userId: string): number {
    const now = store.clock.now()
    return store.state.calls.get(userId)?.times.filter((at) => at > now - HOUR).length ?? 0
  }

  /**
   * Returns headers with a network user's share of the hourly calls in percent, and the minutes until more are allowed.
   */
  function usageHeaders(token: string | undefined): Record<string, string> {
    const meant = token === undefined ? undefined : store.state.tokens.get(token)
    if (!meant) return {}
    const calls = callsOf(meant.userId)
    const percent = Math.floor((calls * 100) / options.callLimit)
    const usage = { call_count: percent, total_cputime: Math.floor(percent / 4), total_time: Math.floor(percent / 3) }
    const appUsage = { 'x-app-usage': JSON.stringify(usage) }
    if (meant.pageId === undefined) return appUsage
    const opens = calls <= options.callLimit ? 0 : regain(meant.userId)
    const business = { [meant.pageId]: [{ type: 'pages', ...usage, estimated_time_to_regain_access: opens }] }
    return {
      ...appUsage,
      'x-page-usage': JSON.stringify(usage),
      'x-business-use-case-usage': JSON.stringify(business),
    }
  }

  /** Returns the minutes until enough calls are older than an hour to allow another one. */
  function regain(userId: string): number {
    const times = store.state.calls.get(userId)?.times ?? []
    const leaving = times[times.length - options.callLimit] ?? store.clock.now()
    return Math.ceil((leaving + HOUR - store.clock.now()) / 60_000)
  }
}

function statusOfError(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500
  return typeof status === 'number' && status >= 400 ? status : 500
}
