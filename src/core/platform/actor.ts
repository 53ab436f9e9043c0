import type { Once } from './idempotency-keys.ts'

export type WorkspaceId = string

/** The workspace of data without a workspace: sign-in and a person's own profile. No tenant's row is visible in it. */
export const NO_WORKSPACE: WorkspaceId = '00000000-0000-0000-0000-000000000000'

/** The actor of a request or job. */
export type Actor =
  | {
      kind: 'user'
      userId: string
      sessionId: string
      /**
       * The standing that each of the person's transactions requires. Null only for code that checks the role itself,
       * after its request.
       */
      standing: Standing | null
      ip?: string | undefined
      requestId?: string | undefined
      /** The claim on an Idempotency-Key. The first transaction marks it done, or has no effect. */
      once?: Once | undefined
    }
  | { kind: 'anonymous'; ip?: string | undefined; requestId?: string | undefined }
  | {
      kind: 'system'
      name: string
      /** The operator in whose order the product acts. Each transaction requires their standing. */
      operator?: Operator | undefined
      once?: Once | undefined
    }

/** The id of the person who acts, if one does. */
export const userIdOf = (actor: Actor) => (actor.kind === 'user' ? actor.userId : null)

interface Operator {
  userId: string
  sessionId: string
}

/**
 * What a person needs to act, besides a live session: nothing, the operator flag, or a role in a workspace whose plan
 * includes the features.
 */
export type Standing =
  | 'session'
  | 'operator'
  | { workspaceId: WorkspaceId; roles: readonly string[]; least: string; features?: readonly string[] }

/** The people whose standing a transaction changes: the members of its workspace, only the actor, or anyone. */
export type Alone = 'members' | 'sessions' | 'everybody'
