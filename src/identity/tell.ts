import { notify } from '../notifications/notifications.ts'
import { query } from '../platform/db.ts'
import { postMail } from '../platform/mail.ts'
import type { Tx } from '../platform/scope.ts'
import type { Ports } from '../services.ts'
import { changedLetter, type CredentialChange } from './letters.ts'

/**
 * Tells somebody, with the transaction, that a way into their account has changed: by a notice, and by mail to an address that is confirmed. `provider` names
 * the identity provider that was joined or removed. A changed address is told to `formerEmail`, which is theirs for certain.
 */
export async function tellOfChange(
  tx: Tx,
  ports: Pick<Ports, 'crypto' | 'settings'>,
  userId: string,
  change: CredentialChange,
  { provider, formerEmail }: { provider?: string; formerEmail?: string | null } = {},
): Promise<void> {
  await notify(tx, { users: [userId] }, 'security', { change, ...(provider && { provider }) })
  const [user] = await tx.run(query<{ email: string | null; name: string; language: string; timezone: string }>`
    select case when email_confirmed_at is not null then email end as email, name, language, timezone
    from app_user where id = ${userId}`)
  const to = formerEmail ?? user?.email
  if (!user || !to) return
  const letter = changedLetter(user, change, tx.now, ports.settings.publicUrl(), provider)
  postMail(tx, ports, { kind: `${change}-changed`, to, letter })
}
