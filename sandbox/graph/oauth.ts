import { same } from '../http.ts'
import { findPage } from '../people.ts'
import { answerList, idOf } from './call.ts'
import type { GraphRequest } from './call.ts'
import { refuse } from './errors.ts'
import { PageNode } from './nodes.ts'
import { limit, list, text } from './params.ts'
import {
  LONG_LIFE,
  SHORT_LIFE,
  checkToken,
  grantOf,
  hasScope,
  isAppToken,
  needScopes,
  newToken,
  tasksOf,
  whyNot,
} from './tokens.ts'
import type { GraphApp, GraphCaller } from './tokens.ts'

const CODE_LIFE = 600_000
const DATA_ACCESS = 90 * 86_400_000

/** `oauth/access_token`: exchanges a code, a short-lived token or the app's credentials for a token. */
export function exchangeToken(call: GraphRequest): object {
  const { params } = call
  const app = provenApp(call)
  const grantType = text(params, 'grant_type')
  if (grantType === 'client_credentials') return { access_token: `${app.id}|${app.secret}`, token_type: 'bearer' }
  if (grantType === 'fb_exchange_token') return exchangeForLong(call, app)
  if (grantType !== undefined && grantType !== 'authorization_code') throw refuse.parameter('Unsupported grant_type')
  return exchangeCode(call, app)
}

function provenApp({ params, apps }: GraphRequest): GraphApp {
  const app = apps.find(({ id }) => id === text(params, 'client_id'))
  if (!app) throw refuse.unknownApp()
  if (!same(text(params, 'client_secret') ?? '', app.secret)) throw refuse.badSecret()
  return app
}

function exchangeCode({ params, store }: GraphRequest, app: GraphApp): object {
  const code = text(params, 'code')
  const known = code === undefined ? undefined : store.state.codes.get(code)
  const now = store.clock.now()
  if (!known || known.appId !== app.id) throw refuse.badCode()
  if (known.used) throw refuse.codeUsed()
  if (known.at + CODE_LIFE <= now) throw refuse.codeExpired()
  if (known.redirectUri !== text(params, 'redirect_uri')) throw refuse.otherRedirect()
  const token = newToken()
  const of = { kind: 'user', appId: app.id, userId: known.userId, at: now, expiresAt: now + SHORT_LIFE } as const
  store.record({ type: 'token.issued', token, of, code })
  return { access_token: token, token_type: 'bearer', expires_in: SHORT_LIFE / 1000 }
}

function exchangeForLong({ params, store }: GraphRequest, app: GraphApp): object {
  const now = store.clock.now()
  const short = checkToken(store.state, text(params, 'fb_exchange_token') ?? '', now)
  if (short.kind !== 'user' || short.appId !== app.id) throw refuse.unreadableToken()
  const token = newToken()
  const of = { kind: 'user', appId: app.id, userId: short.userId, at: now, expiresAt: now + LONG_LIFE } as const
  store.record({ type: 'token.issued', token, of })
  return { access_token: token, token_type: 'bearer', expires_in: LONG_LIFE / 1000 }
}

/** `debug_token`: describes a token to its app. An invalid token is described too, not refused. */
export function debugToken(call: GraphRequest): object {
  const { params, store, apps } = call
  if (!isAppToken(call.token ?? '', apps)) call.caller()
  const input = text(params, 'input_token')
  if (input === undefined) throw refuse.parameter('The parameter input_token is required')
  const token = store.state.tokens.get(input)
  const fault = whyNot(store.state, input, store.clock.now())?.refused
  const error = fault && { code: fault.code, message: fault.message, subcode: fault.subcode }
  if (!token) return { data: { is_valid: false, scopes: [], error } }
  const grant = grantOf(store.state, token)
  const scopes = Object.keys(grant.scopes).filter((scope) => grant.scopes[scope] === 'granted')
  return {
    data: {
      app_id: token.appId,
      type: token.kind === 'page' ? 'PAGE' : 'USER',
      application: 'Sandbox app',
      data_access_expires_at: Math.floor((grant.at + DATA_ACCESS) / 1000),
      ...(error && { error }),
      expires_at: Math.floor(token.expiresAt / 1000),
      is_valid: !error,
      issued_at: Math.floor(token.at / 1000),
      ...(token.pageId !== undefined && { profile_id: token.pageId }),
      scopes,
      granular_scopes: scopes.map((scope) =>
        /^(pages|read|instagram)_/.test(scope) ? { scope, target_ids: grant.pages } : { scope },
      ),
      user_id: token.userId,
    },
  }
}

/** `me/accounts`: the pages that the person has granted and has a role on, with their tokens. */
export function listAccounts(call: GraphRequest): object {
  const caller = ownUser(call)
  const { state } = call.store
  if (!hasScope(state, caller, 'pages_show_list')) throw refuse.permission(['pages_show_list'])
  const pages = grantOf(state, caller)
    .pages.map(findPage)
    .filter((page) => page !== undefined && tasksOf(state, page.id).length > 0)
    .map((page, index) => ({ key: -index, node: page as NonNullable<typeof page> }))
  return answerList(call, PageNode, pages, limit(call.params))
}

/** `me/permissions`: the granted and the declined permissions. */
export function listPermissions(call: GraphRequest): object {
  const { scopes } = grantOf(call.store.state, ownUser(call))
  return { data: Object.entries(scopes).map(([permission, status]) => ({ permission, status })) }
}

/** Revokes one permission, or all. Revoking all removes the app, which ends every token of it. */
export function removePermissions(call: GraphRequest): object {
  const { appId, userId } = ownUser(call)
  call.store.record({ type: 'permissions.removed', appId, userId, scope: call.ids['permission'] })
  return { success: true }
}

/** `{page}/subscribed_apps`: sets the events of the page that the app receives. */
export function subscribeApp(call: GraphRequest): object {
  const pageId = subscribedPage(call)
  const fields = list(call.params, 'subscribed_fields')?.map(String)
  if (!fields) throw refuse.parameter('The parameter subscribed_fields is required')
  call.store.record({ type: 'subscribed', pageId, fields })
  return { success: true }
}

export function unsubscribeApp(call: GraphRequest): object {
  call.store.record({ type: 'subscribed', pageId: subscribedPage(call) })
  return { success: true }
}

export function listSubscriptions(call: GraphRequest): object {
  const fields = call.store.state.subscriptions.get(subscribedPage(call))
  const { appId } = call.caller()
  return { data: fields ? [{ name: 'Sandbox app', id: appId, subscribed_fields: fields }] : [] }
}

function subscribedPage(call: GraphRequest): string {
  const caller = call.caller()
  if (caller.pageId === undefined) throw refuse.pageTokenNeeded()
  if (idOf(call) !== caller.pageId) throw refuse.unknownObject(call.method, idOf(call))
  needScopes(call.store.state, caller, 'pages_manage_metadata')
  return caller.pageId
}

/** Returns the person of the token, whom the call names as `me` or by id. */
function ownUser(call: GraphRequest): GraphCaller {
  const caller = call.caller()
  if (caller.kind !== 'user' || idOf(call) !== caller.userId) throw refuse.unknownObject(call.method, idOf(call))
  return caller
}
