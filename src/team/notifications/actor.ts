import { query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'

/** Returns the acting person and what notices call them: their name, else their address. `by` is '' for a rule. */
export async function actorOf(tx: Tx): Promise<{ userId: string | null; by: string }> {
  if (tx.actor.kind !== 'user') return { userId: null, by: '' }
  const { userId } = tx.actor
  const [person] = await tx.run(
    query<{ by: string }>`select coalesce(nullif(name, ''), email, phone, '') as by from app_user where id = ${userId}`,
  )
  return { userId, by: person?.by ?? '' }
}
