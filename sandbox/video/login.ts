import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mayReturnTo, pagePolicy, somebodyElse } from '../dialog.ts'
import { onlyOwnForm } from '../guard.ts'
import { html, page } from '../html.ts'
import { formOf, queryOf, same } from '../http.ts'
import { type Creator, findCreator, findCreatorOf } from '../people.ts'
import type { Store } from '../store.ts'
import type { VideoApp } from './call.ts'

const SCOPES = new Map([
  ['user.info.basic', 'See your name and picture'],
  ['user.info.profile', 'See the address of your profile'],
  ['user.info.stats', 'See your numbers of followers and likes'],
  ['video.list', 'See your videos'],
  ['video.insights', 'Read the metrics of your videos'],
  ['video.publish', 'Post videos'],
  ['video.upload', 'Upload drafts'],
])
/** Granted with every consent. */
const BASIC = 'user.info.basic'
/** In milliseconds. */
const CODE_LIFE = 10 * 60_000
const ACCESS_LIFE = 86_400_000
const REFRESH_LIFE = 365 * 86_400_000

/** The validated parameters of the consent page. */
type Asked = { query: URLSearchParams; creator: Creator; redirectUri: string; scopes: string[]; challenge: string }

/**
 * The consent page of NET_VIDEO at `/video-auth/v2/auth/authorize/`. `sandbox_user=u7` chooses the person (default u1),
 * `sandbox_approve=1` approves everything without the page.
 */
export function videoConsentRoutes(app: FastifyInstance, store: Store, { key }: VideoApp, root: string): void {
  app.get('/v2/auth/authorize/', async (request, reply) => {
    const asked = read(request)
    if ('fault' in asked) return refusePage(reply, asked.fault)
    if (asked.query.get('sandbox_approve') === '1') return approve(reply, asked, asked.scopes)
    return reply
      .header('content-security-policy', pagePolicy(`'self' ${new URL(asked.redirectUri).origin}`))
      .type('text/html; charset=utf-8')
      .send(page(root, `Connect @${asked.creator.username}`, consent(request, asked), 'dialog'))
  })

  app.post('/v2/auth/authorize/', async (request, reply) => {
    onlyOwnForm(request)
    const asked = read(request)
    if ('fault' in asked) return refusePage(reply, asked.fault)
    const form = formOf(request)
    if (form.get('decision') !== 'approve') {
      return goBack(reply, asked, { error: 'access_denied', error_description: 'The user denied the request.' })
    }
    return approve(
      reply,
      asked,
      asked.scopes.filter((scope) => scope === BASIC || form.getAll('scope').includes(scope)),
    )
  })

  function read(request: FastifyRequest): Asked | { fault: string } {
    const query = queryOf(request)
    if (query.get('client_key') !== key) return { fault: 'client_key: unknown app.' }
    if (query.get('response_type') !== 'code') return { fault: 'response_type: must be code.' }
    const redirectUri = query.get('redirect_uri') ?? ''
    if (!mayReturnTo(redirectUri) || redirectUri.includes('?')) {
      return { fault: 'redirect_uri: must be registered, without query and fragment.' }
    }
    const challenge = query.get('code_challenge') ?? ''
    // This network expects the hash in hexadecimal; others expect base64url.
    if (query.get('code_challenge_method') !== 'S256' || !/^[0-9a-f]{64}$/.test(challenge)) {
      return { fault: 'code_challenge: must be a SHA-256 in hexadecimal digits, by the method S256.' }
    }
    const scopes = [...new Set([BASIC, ...(query.get('scope') ?? '').split(',').filter(Boolean)])]
    const unknown = scopes.filter((scope) => !SCOPES.has(scope))
    if (unknown.length > 0) return { fault: `scope: unknown: ${unknown.join(', ')}.` }
    if (!query.get('state')) return { fault: 'state: required.' }
    const creator = findCreatorOf(query.get('sandbox_user') ?? 'u1')
    if (!creator) return { fault: 'Unknown person. The people of the sandbox are called u1, u2, u3 and so on.' }
    return { query, creator, redirectUri, scopes, challenge }
  }

  function approve(reply: FastifyReply, asked: Asked, scopes: string[]): FastifyReply {
    const { creator, redirectUri, challenge } = asked
    const code = randomBytes(32).toString('base64url')
    const at = store.clock.now()
    const of = { openId: creator.openId, scopes, redirectUri, challenge, at, used: false }
    store.record({ type: 'video.consented', code, of })
    return goBack(reply, asked, { code, scopes: scopes.join(',') })
  }

  function refusePage(reply: FastifyReply, fault: string): FastifyReply {
    const body = html`<p class="card">${fault}</p>`
    return reply
      .code(400)
      .type('text/html; charset=utf-8')
      .send(page(root, 'Cannot connect', body, 'dialog'))
  }

  function consent({ url }: FastifyRequest, { creator, query, scopes }: Asked) {
    return html`
      <section class="card">
        <div class="head">
          <img src="${root}/avatar/${creator.openId}.svg" alt="" width="48" height="48" />
          <div>
            <p>An app wants to act for <strong>@${creator.username}</strong> (${creator.key}).</p>
          </div>
        </div>
        <form method="post" action="${url}">
          <fieldset>
            <legend>What it can do</legend>
            ${scopes
              .filter((scope) => scope !== BASIC)
              .map(
                (scope) =>
                  html`<label class="check"
                    ><input type="checkbox" name="scope" value="${scope}" checked /> ${SCOPES.get(scope)}</label
                  >`,
              )}
          </fieldset>
          <div class="row">
            <button class="main" name="decision" value="approve">Approve</button>
            <button name="decision" value="refuse">Refuse</button>
          </div>
        </form>
      </section>
      ${somebodyElse(url, query, creator.key)}
    `
  }
}

function goBack(reply: FastifyReply, { query, redirectUri }: Asked, answer: Record<string, string>): FastifyReply {
  return reply.redirect(`${redirectUri}?${new URLSearchParams({ ...answer, state: query.get('state') ?? '' })}`, 302)
}

/** The refusals of the token endpoint, by their names in the OAuth standard. */
export class LoginError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const wrong = (message: string) => new LoginError('invalid_request', message)
const dead = (message: string) => new LoginError('invalid_grant', message)

/**
 * `POST /v2/oauth/token/`: returns tokens for a code, or new ones for a refresh token, which is invalid from then on.
 */
export function giveTokens(store: Store, app: VideoApp, form: URLSearchParams): object {
  checkApp(app, form)
  const now = store.clock.now()
  const type = form.get('grant_type')
  if (type === 'refresh_token') {
    const text = form.get('refresh_token') ?? ''
    const token = store.state.videoTokens.get(text)
    if (!token || token.kind !== 'refresh' || token.ended || token.expiresAt <= now) {
      throw dead('Refresh token is invalid or expired.')
    }
    return issue(store, { openId: token.openId, scopes: token.scopes, refreshUntil: token.expiresAt }, text)
  }
  if (type !== 'authorization_code') throw new LoginError('unsupported_grant_type', 'This grant type is not supported.')
  const text = form.get('code') ?? ''
  const code = store.state.videoCodes.get(text)
  if (!code || code.used || code.at + CODE_LIFE <= now) throw dead('Authorization code is expired.')
  if (form.get('redirect_uri') !== code.redirectUri)
    throw wrong('Redirect_uri is not matched with the uri when requesting code.')
  const verifier = form.get('code_verifier') ?? ''
  const right = createHash('sha256').update(verifier).digest('hex') === code.challenge
  if (!/^[\w.~-]{43,128}$/.test(verifier) || !right) throw wrong('Code verifier or code challenge is invalid.')
  return issue(store, { openId: code.openId, scopes: code.scopes, refreshUntil: now + REFRESH_LIFE }, text)
}

function issue(
  store: Store,
  { openId, scopes, refreshUntil }: { openId: string; scopes: string[]; refreshUntil: number },
  instead: string,
): object {
  const now = store.clock.now()
  const access = `act.${randomBytes(32).toString('base64url')}`
  const refresh = `rft.${randomBytes(32).toString('base64url')}`
  store.record({
    type: 'video.tokens',
    access: [access, { kind: 'access', openId, scopes, expiresAt: now + ACCESS_LIFE }],
    refresh: [refresh, { kind: 'refresh', openId, scopes, expiresAt: refreshUntil }],
    instead,
  })
  return {
    access_token: access,
    expires_in: ACCESS_LIFE / 1000,
    open_id: openId,
    refresh_token: refresh,
    refresh_expires_in: Math.round((refreshUntil - now) / 1000),
    scope: scopes.join(','),
    token_type: 'Bearer',
  }
}

/** `POST /v2/oauth/revoke/`: ends the person's consent with all its tokens. */
export function revokeTokens(store: Store, app: VideoApp, form: URLSearchParams): void {
  checkApp(app, form)
  const token = store.state.videoTokens.get(form.get('token') ?? '')
  if (!token || !findCreator(token.openId)) throw wrong('The token is unknown.')
  store.record({ type: 'video.tokens.ended', openId: token.openId })
}

function checkApp({ key, secret }: VideoApp, form: URLSearchParams): void {
  if (form.get('client_key') !== key || !same(form.get('client_secret') ?? '', secret)) {
    throw new LoginError('invalid_client', 'Client key or secret is incorrect.')
  }
}
