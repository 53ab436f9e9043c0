import { timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../../core/platform/crypto.ts'
import { query } from '../../core/platform/db.ts'
import { ownPath } from '../../core/platform/own-path.ts'
import type { Scope } from '../../core/platform/scope.ts'

const STATE_MINUTES = 10

/**
 * Why a browser leaves for a provider: to sign in, to join the provider to an account, or to connect accounts of a
 * network.
 */
type Purpose = 'login' | 'join' | 'connect'

export interface OAuthState {
  userId: string | null
  /** The session in which the browser left. */
  sessionId: string | null
  workspaceId: string | null
  /** The page that the browser opens afterwards. */
  redirect: string
}

/** Stores the state of a browser that leaves for a provider, for ten minutes. Also removes expired states. */
export async function keepState(
  scope: Scope,
  input: {
    state: string
    browserSecret: string
    provider: string
    purpose: Purpose
    userId: string | null
    redirect: string
  },
): Promise<void> {
  const { state, browserSecret, provider, purpose, userId, redirect } = input
  await scope.transaction(async (tx) => {
    await tx.run(query`delete from oauth_state where expires_at < ${tx.now}`)
    await tx.run(query`insert into oauth_state
        (state_hash, browser_hash, provider, purpose, user_id, session_id, workspace_id, redirect, expires_at)
      values (${hashSecret(state)}, ${hashSecret(browserSecret)}, ${provider}, ${purpose}, ${userId},
        ${scope.actor.kind === 'user' ? scope.actor.sessionId : null}, ${purpose === 'connect' ? tx.workspaceId : null},
        ${ownPath(redirect)}, ${new Date(tx.now.getTime() + STATE_MINUTES * 60_000)})`)
  })
}

/** Takes a stored state, once. Undefined for an expired state, or one of another browser. */
export async function takeState(
  scope: Scope,
  provider: string,
  purposes: readonly Purpose[],
  { state, browserSecret }: { state: string; browserSecret: string },
): Promise<OAuthState | undefined> {
  const row = await scope.transaction(async (tx) => {
    const [taken] = await tx.run(query<OAuthState & { browserHash: string }>`
      delete from oauth_state where state_hash = ${hashSecret(state)} and provider = ${provider}
        and purpose = any (${purposes}) and expires_at > ${tx.now}
      returning browser_hash, user_id, session_id, workspace_id, redirect`)
    return taken
  })
  if (!row) return undefined
  const { browserHash, ...kept } = row
  return timingSafeEqual(Buffer.from(browserHash), Buffer.from(hashSecret(browserSecret))) ? kept : undefined
}
