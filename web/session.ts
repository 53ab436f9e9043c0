import type { Session } from '../src/team/identity/api.ts'
import { offline, problemOf } from './problem-error.ts'
import { forgetOthers, readStored, writeStored } from './storage.ts'

declare global {
  interface Window {
    /** The response to the first request of the page for a new access token, which `first.js` sends. */
    parleyRefresh?: Promise<Response>
  }
}

// The access token is kept in memory only. The refresh token is a cookie that no script can read.
let current: { token: string; expiresAt: number } | null = null
let started: Promise<boolean> | null = null
let renewal: Promise<boolean> | null = null
const listeners = new Set<(event: 'lost' | 'ended' | 'disabled' | 'left' | 'changed', user?: Session['user']) => void>()
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('parley.session')

const EARLY_MS = 30_000

/** Whether anyone has ever signed in with this browser. If not, there is no refresh cookie to try. */
const known = {
  key: 'parley.known',
  // If storage is blocked, every page load tries the cookie.
  get: () => readStored(known.key) !== null,
  set: (yes: boolean) => writeStored(known.key, yes ? '1' : null),
}

function adopt(answer: Session) {
  // An answer from before is about an earlier session.
  delete window.parleyRefresh
  current = { token: answer.accessToken, expiresAt: Date.now() + answer.expiresIn * 1000 }
  started = Promise.resolve(true)
  known.set(true)
  forgetOthers(answer.user.id)
  for (const listener of listeners) listener('changed', answer.user)
}

async function refresh(): Promise<boolean> {
  // At the start of the page, `first.js` has sent the first request already.
  const early = window.parleyRefresh
  delete window.parleyRefresh
  if (!known.get()) return false
  const headers = { accept: 'application/json' }
  const response = await (early ?? fetch('/api/v1/auth/refresh', { method: 'POST', headers })).catch(
    (error: unknown) => {
      throw offline(error)
    },
  )
  if (response.ok) {
    adopt((await response.json()) as Session)
    return true
  }
  // Always read the body: an unread response keeps its connection open.
  const answer = await response.text()
  if (response.status === 401) {
    current = null
    known.set(false)
    return false
  }
  throw problemOf(response.status, answer, response.headers.get('retry-after'))
}

function forget(event: 'lost' | 'ended' | 'disabled' | 'left') {
  current = null
  started = Promise.resolve(false)
  for (const listener of listeners) listener(event)
}

channel?.addEventListener('message', (message: MessageEvent) => {
  if (message.data === 'left') forget('left')
  else if (message.data === 'entered' && !current) started = null
})

export const session = {
  signedIn: () => current !== null,

  /**
   * Whether the browser is signed in. Tries the refresh cookie once per page load. Rejects when the service cannot be
   * reached.
   */
  ensure(): Promise<boolean> {
    started ??= this.renew().catch((error: unknown) => {
      started = null
      throw error
    })
    return started
  },

  /** A token that is valid for at least 30 seconds, or null when signed out. If renewing fails, the current token. */
  async token(): Promise<string | null> {
    if (!current) return null
    if (current.expiresAt - Date.now() > EARLY_MS) return current.token
    try {
      await this.renew()
    } catch {
      // The current token may still be valid. If not, the call itself fails.
    }
    return current?.token ?? null
  },

  /** Refreshes the session. Concurrent callers share one request. */
  renew(): Promise<boolean> {
    renewal ??= refresh().finally(() => {
      renewal = null
    })
    return renewal
  },

  enter(answer: Session) {
    adopt(answer)
    channel?.postMessage('entered')
  },

  /**
   * Called before a redirect to a sign-in provider: the browser may return with a session, so the cookie is worth
   * trying.
   */
  expect: () => known.set(true),

  leave() {
    forget('left')
    channel?.postMessage('left')
  },

  /**
   * Ends the session locally. `code`, from the service's refusal, says whether it expired, was revoked, or its account
   * was disabled.
   */
  lost(code: string) {
    if (!current && !started) return
    forget(code === 'session_revoked' ? 'ended' : code === 'account_disabled' ? 'disabled' : 'lost')
  },

  listen(listener: (event: 'lost' | 'ended' | 'disabled' | 'left' | 'changed', user?: Session['user']) => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
