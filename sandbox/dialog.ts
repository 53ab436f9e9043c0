import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { grantOf } from './graph/tokens.ts'
import type { GraphApp } from './graph/tokens.ts'
import { isLoopbackHost, onlyOwnForm } from './guard.ts'
import { html, page } from './html.ts'
import type { Html } from './html.ts'
import { formOf, queryOf } from './http.ts'
import { findPerson } from './people.ts'
import type { Person } from './people.ts'
import { SCOPES } from './scopes.ts'
import type { Store } from './store.ts'

/** The validated parameters of the dialog. */
type Asked = { query: URLSearchParams; app: GraphApp; person: Person; redirectUri: string; scopes: string[] }

/**
 * The login dialog of the Graph API at `/dialog/{version}/dialog/oauth`. `sandbox_user=u7` chooses the person (default
 * u1), `sandbox_approve=1` approves everything without the page. The form submits `decision=approve|refuse`, and one
 * `page` and `scope` for each that is granted.
 */
export function dialogRoutes(app: FastifyInstance, store: Store, apps: GraphApp[], root: string): void {
  app.get('/:version/dialog/oauth', async (request, reply) => {
    const asked = read(request)
    if ('fault' in asked) return refusePage(reply, asked.fault)
    if (asked.query.get('sandbox_approve') === '1') {
      return approve(
        reply,
        asked,
        asked.scopes,
        asked.person.pages.map(({ id }) => id),
      )
    }
    // Browsers apply form-action to the redirect of a form too, so the policy must contain the origin of the app.
    const back = new URL(asked.redirectUri).origin
    return reply
      .header('content-security-policy', pagePolicy(`'self' ${back}`))
      .type('text/html; charset=utf-8')
      .send(page(root, `Connect ${asked.person.name}`, consent(request, asked), 'dialog'))
  })

  app.post('/:version/dialog/oauth', async (request, reply) => {
    onlyOwnForm(request)
    const asked = read(request)
    if ('fault' in asked) return refusePage(reply, asked.fault)
    const form = formOf(request)
    if (form.get('decision') !== 'approve') return goBack(reply, asked, REFUSED)
    const pages = asked.person.pages.map(({ id }) => id).filter((id) => form.getAll('page').includes(id))
    return approve(
      reply,
      asked,
      asked.scopes.filter((scope) => form.getAll('scope').includes(scope)),
      pages,
    )
  })

  function read(request: FastifyRequest): Asked | { fault: string } {
    const query = queryOf(request)
    const version = /^v(\d{1,3})\.\d$/.exec((request.params as { version: string }).version)?.[1]
    if (version === undefined || Number(version) < 19) return { fault: 'This API version is no longer available.' }
    const known = apps.find(({ id }) => id === query.get('client_id'))
    if (!known) return { fault: 'Invalid app ID: the provided app ID does not look like a valid app ID.' }
    const redirectUri = query.get('redirect_uri') ?? ''
    if (!mayReturnTo(redirectUri))
      return { fault: 'URL blocked: this redirect failed because the redirect URI is not allowed.' }
    if ((query.get('response_type') ?? 'code') !== 'code') return { fault: 'Invalid response_type.' }
    const person = findPerson(query.get('sandbox_user') ?? 'u1')
    if (!person) return { fault: 'Unknown person. The people of the sandbox are called u1, u2, u3 and so on.' }
    const scopes = [...new Set(['public_profile', ...(query.get('scope') ?? '').split(/[\s,]+/).filter(Boolean)])]
    const unknown = scopes.filter((scope) => !SCOPES.has(scope))
    if (unknown.length > 0) return { fault: `Invalid scopes: ${unknown.join(', ')}.` }
    return { query, app: known, person, redirectUri, scopes }
  }

  function approve(reply: FastifyReply, asked: Asked, chosen: string[], pages: string[]): FastifyReply {
    const code = `AQ${randomBytes(32).toString('base64url')}`
    const granted = [...new Set(['public_profile', ...chosen])]
    store.record({
      type: 'consented',
      at: store.clock.now(),
      appId: asked.app.id,
      userId: asked.person.id,
      granted,
      declined: asked.scopes.filter((scope) => !granted.includes(scope)),
      pages,
      code,
      redirectUri: asked.redirectUri,
    })
    return goBack(reply, asked, { code })
  }

  function refusePage(reply: FastifyReply, fault: string): FastifyReply {
    const body = html`<p class="card">${fault}</p>`
    return reply
      .code(400)
      .type('text/html; charset=utf-8')
      .send(page(root, 'Cannot connect', body, 'dialog'))
  }

  function consent(request: FastifyRequest, asked: Asked): Html {
    const { person, query, scopes } = asked
    const { scopes: before, pages } = grantOf(store.state, { appId: asked.app.id, userId: person.id })
    // Like the real network, the dialog asks for a declined permission again only with auth_type=rerequest.
    const again = query.get('auth_type') === 'rerequest'
    const declined = again ? [] : scopes.filter((scope) => before[scope] === 'declined')
    const address = request.url
    return html`
      <section class="card">
        <div class="head">
          <img src="${root}/avatar/${person.id}.svg" alt="" width="48" height="48" />
          <div>
            <p>An app wants to act for <strong>${person.name}</strong> (${person.key}).</p>
          </div>
        </div>
        <form method="post" action="${address}">
          <fieldset>
            <legend>Pages it can use</legend>
            ${person.pages.map((item) => check('page', item.id, item.name, pages.length === 0 || pages.includes(item.id)))}
          </fieldset>
          <fieldset>
            <legend>What it can do</legend>
            ${scopes
              .filter((scope) => scope !== 'public_profile' && !declined.includes(scope))
              .map((scope) => check('scope', scope, SCOPES.get(scope) ?? scope))}
            ${declined.length > 0 && html`<p class="soft">Declined earlier: ${declined.join(', ')}</p>`}
          </fieldset>
          <div class="row">
            <button class="main" name="decision" value="approve">Approve</button>
            <button name="decision" value="refuse">Refuse</button>
          </div>
        </form>
      </section>
      ${somebodyElse(address, query, person.key)}
    `
  }
}

const check = (name: string, value: string, label: string, checked = true) =>
  html`<label class="check"
    ><input type="checkbox" name="${name}" value="${value}" ${checked && html`checked`} /> ${label}</label
  >`

const REFUSED = {
  error: 'access_denied',
  error_code: '200',
  error_description: 'Permissions error',
  error_reason: 'user_denied',
}

/** Redirects to the app: its address byte for byte as requested, followed by the answer. */
function goBack(reply: FastifyReply, { query, redirectUri }: Asked, answer: Record<string, string>): FastifyReply {
  const state = query.get('state')
  const params = new URLSearchParams({ ...answer, ...(state !== null && { state }) })
  return reply.redirect(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${params}#_=_`, 302)
}

/** The sandbox registers no redirect addresses. It accepts every address on this machine, and every https address. */
export function mayReturnTo(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, host, hash } = new URL(uri)
  return hash === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(host)))
}

/** A page of the sandbox may load its own style and pictures, but no script. */
export const pagePolicy = (formAction = "'self'") =>
  `default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`

/** The part of a consent page that chooses another person of the sandbox. All other parameters stay unchanged. */
export const somebodyElse = (address: string, asked: URLSearchParams, chosen: string, note?: string): Html => html`
  <section class="card">
    <h2>Someone else</h2>
    <form method="get" action="${address.split('?')[0]}" class="row">
      ${[...asked]
        .filter(([name]) => name !== 'sandbox_user')
        .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <label>Person, u1 to u999999999 <br /><input name="sandbox_user" value="${chosen}" required /></label>
      <button>Switch</button>
    </form>
    ${note !== undefined && html`<p class="soft">${note}</p>`}
  </section>
`
