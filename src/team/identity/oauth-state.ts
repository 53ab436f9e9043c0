import { timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../../core/platform/crypto.ts'
import { query } from '../../core/platform/db.ts'
import { ownPath } from '../../core/platform/own-path.ts'
import type { Scope } from '../../core/platform/scope.ts'

const STATE_MINUTES = 10

/** Why a browser leaves for a provider: to sign in, to join it to an account, or to connect accounts of a network. */
type Purpose = 'login' | 'join' | 'connect'

export interface OAuthState {
  userId: string | null
  /** The session that left. */
  sessionId: string | null
  workspaceId: string | null
  /** The page for the browser afterwards. */
  redirect: string
}

/** Keeps what a browser leaves for a provider with, for ten minutes; removes what has expired. */
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

/** Takes what was kept, once. Undefined for a state that is over, or that this browser did not get. */
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
