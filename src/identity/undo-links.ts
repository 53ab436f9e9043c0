import { hashSecret, newSecret } from '../platform/crypto.ts'
import { query } from '../platform/db.ts'
import type { Tx } from '../platform/scope.ts'

const DAYS = 7

/** A change of the ways into an account: a provider that was joined, or an address or number with the proven one before it. */
export type Undoable = { change: 'identity'; identityId: string } | { change: 'email' | 'phone'; former: string | null }

/** Keeps what undoes a change, for 7 days. Answers the token of its link. */
export async function keepUndo(tx: Tx, userId: string, what: Undoable): Promise<string> {
  const token = newSecret()
  const [former, identityId] = what.change === 'identity' ? [null, what.identityId] : [what.former, null]
  await tx.run(query`with old as (delete from credential_undo where token_hash in (select token_hash from credential_undo
      where expires_at < ${tx.now} limit 2 for update skip locked))
    insert into credential_undo (token_hash, user_id, change, former, identity_id, created_at, expires_at)
    values (${hashSecret(token)}, ${userId}, ${what.change}, ${former}, ${identityId}, ${tx.now},
      ${new Date(tx.now.getTime() + DAYS * 86_400_000)})`)
  return token
}
