import type { Session } from '../src/team/identity/api.ts'
import { offline, problemOf } from './problem-error.ts'

// The access token lives in memory alone; the refresh token is a cookie that no script can read.
let current: { token: string; expiresAt: number } | null = null
let started: Promise<boolean> | null = null
let renewal: Promise<boolean> | null = null
const listeners = new Set<(event: 'lost' | 'ended' | 'disabled' | 'left' | 'changed', user?: Session['user']) => void>()
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('parley.session')

const EARLY_MS = 30_000

/** Whether this browser ever signed in here: who never did has no cookie that is worth asking. */
const known = {
  key: 'parley.known',
  get: () => {
    try {
      return localStorage.getItem(known.key) !== null
    } catch {
      return true // no storage for us here: the cookie decides
    }
  },
  set: (yes: boolean) => {
    try {
      if (yes) localStorage.setItem(known.key, '1')
      else localStorage.removeItem(known.key)
    } catch {
      // Without storage the cookie is asked each time.
    }
  },
}

function adopt(answer: Session) {
  current = { token: answer.accessToken, expiresAt: Date.now() + answer.expiresIn * 1000 }
  started = Promise.resolve(true)
  known.set(true)
  for (const listener of listeners) listener('changed', answer.user)
}

async function refresh(): Promise<boolean> {
  if (!known.get()) return false
  const headers = { accept: 'application/json' }
  const response = await fetch('/api/v1/auth/refresh', { method: 'POST', headers }).catch((error: unknown) => {
    throw offline(error)
  })
  if (response.ok) {
    adopt((await response.json()) as Session)
    return true
  }
  // Read in any case: an answer that nobody reads keeps its connection.
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

  /** Whether somebody is signed in: asks the cookie once after a page load. Rejects when the service cannot be reached. */
  ensure(): Promise<boolean> {
    started ??= this.renew().catch((error: unknown) => {
      started = null
      throw error
    })
    return started
  },

  /** A token good for the next half minute, or null when nobody is signed in. */
  async token(): Promise<string | null> {
    if (!current) return null
    if (current.expiresAt - Date.now() > EARLY_MS) return current.token
    try {
      await this.renew()
    } catch {
      // The old token may still be good; if not, the call itself says so.
    }
    return current?.token ?? null
  },

  /** One refresh, shared by all who ask meanwhile. */
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

  /** Somebody leaves for a provider and may come back signed in: then the cookie is worth asking. */
  expect: () => known.set(true),

  leave() {
    forget('left')
    channel?.postMessage('left')
  },

  /** The session has ended by itself, or, as the code of the refusal says, by somebody's will. */
  lost(code: string) {
    if (!current && !started) return
    forget(code === 'session_revoked' ? 'ended' : code === 'account_disabled' ? 'disabled' : 'lost')
  },

  listen(listener: (event: 'lost' | 'ended' | 'disabled' | 'left' | 'changed', user?: Session['user']) => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
