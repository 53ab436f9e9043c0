import { createHmac, randomBytes } from 'node:crypto'
import { same } from '../http.ts'
import { ALL_TASKS, findPage } from '../people.ts'
import { grantKey } from '../state.ts'
import type { Grant, State, Token } from '../state.ts'
import type { Store } from '../store.ts'
import { GraphError, refuse } from './errors.ts'

/** An app registered at the network. */
export type GraphApp = { id: string; secret: string }

/** A valid token, with its text. */
export type GraphCaller = Token & { text: string }

export const newToken = () => `EAA${randomBytes(36).toString('base64url').replaceAll(/[-_]/g, 'x')}`

/** Whether this is `{app id}|{app secret}`, an app's own token. Throws if the secret is wrong. */
export function isAppToken(token: string, apps: GraphApp[]): boolean {
  const [id, secret] = token.split('|')
  const app = apps.find((known) => known.id === id)
  if (!app || secret === undefined) return false
  if (!same(secret, app.secret)) throw refuse.badSignature()
  return true
}

/**
 * Returns the owner of a valid token. Otherwise throws code 190, with a subcode for the reason: 463 expired, 460
 * password changed, 458 app removed, 492 no longer a role on the page.
 */
export function checkToken(state: State, text: string, now: number): GraphCaller {
  const token = state.tokens.get(text)
  if (!token) throw refuse.unreadableToken()
  if (token.ended === 'password') throw refuse.passwordChanged()
  if (token.ended === 'removed') throw refuse.appRemoved(token.userId, token.appId)
  if (token.ended === 'expired') throw refuse.expired(now, now)
  if (token.expiresAt !== 0 && token.expiresAt <= now) throw refuse.expired(token.expiresAt, now)
  if (token.pageId !== undefined && !grantOf(state, token).pages.includes(token.pageId)) throw refuse.noRole()
  if (token.pageId !== undefined && tasksOf(state, token.pageId).length === 0) throw refuse.noRole()
  return { ...token, text }
}

export function checkProof(token: string, proof: string | undefined, app: GraphApp | undefined, needed: boolean): void {
  if (proof === undefined) {
    if (needed) throw refuse.proofMissing()
    return
  }
  const right = createHmac('sha256', app?.secret ?? '')
    .update(token)
    .digest('hex')
  if (!same(proof, right)) throw refuse.proof()
}

export function grantOf(state: State, of: { appId: string; userId: string }): Grant {
  return state.grants.get(grantKey(of)) ?? { scopes: {}, pages: [], at: 0 }
}

export const tasksOf = (state: State, pageId: string) => state.tasks.get(pageId) ?? ALL_TASKS

export const hasScope = (state: State, of: { appId: string; userId: string }, scope: string) =>
  grantOf(state, of).scopes[scope] === 'granted'

/** Throws code 200 unless all these permissions are granted. */
export function needScopes(state: State, caller: GraphCaller, ...scopes: string[]): void {
  if (!scopes.every((scope) => hasScope(state, caller, scope))) throw refuse.permission(scopes)
}

/** Throws code 10 unless this permission to read is granted. */
export function needToRead(state: State, caller: GraphCaller, scope: string): void {
  if (!hasScope(state, caller, scope)) throw refuse.readPermission(scope)
}

/**
 * Derives a page's token from a person's token. It is always the same one, and does not expire if the person's token is
 * long-lived.
 */
export function pageToken(store: Store, of: GraphCaller, pageId: string): string | undefined {
  if (of.kind !== 'user' || findPage(pageId)?.userId !== of.userId) return undefined
  const derived = createHmac('sha256', of.text).update(pageId).digest('base64url').replaceAll(/[-_]/g, 'x')
  const token = `EAAP${derived}`
  if (!store.state.tokens.has(token)) {
    const now = store.clock.now()
    const { appId, userId } = of
    const expiresAt = of.expiresAt - of.at > SHORT_LIFE ? 0 : of.expiresAt
    store.record({ type: 'token.issued', token, of: { kind: 'page', appId, userId, pageId, at: now, expiresAt } })
  }
  return token
}

/** Lifetimes in milliseconds: of the token for a code, and of the token that replaces it. */
export const SHORT_LIFE = 5100_000
export const LONG_LIFE = 5_183_944_000

/**
 * Returns why a token is invalid; undefined if it is valid. For `debug_token`, which reports the reason instead of
 * refusing the call.
 */
export function whyNot(state: State, text: string, now: number): GraphError | undefined {
  try {
    checkToken(state, text, now)
    return undefined
  } catch (error) {
    if (error instanceof GraphError) return error
    throw error
  }
}
