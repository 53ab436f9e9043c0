import { notify } from '../notifications/notifications.ts'
import { query } from '../platform/db.ts'
import { postMail } from '../platform/mail.ts'
import { postSms } from '../platform/sms.ts'
import type { Tx } from '../platform/scope.ts'
import type { Ports } from '../services.ts'
import { keepUndo, type Undoable } from './undo-links.ts'
import { changedLetter, changedPhoneText, type CredentialChange, type WayIn } from './letters.ts'

/**
 * Tells somebody, with the transaction, that a way into their account has changed: by a notice, and by mail to an address that is confirmed. `provider` names
 * the identity provider that was joined or removed. A changed address is told to `formerEmail`, which is theirs for certain.
 * With `undo` the letter has a link that undoes the change; a new address is not sent one, since it would undo nothing but itself.
 */
export async function tellOfChange(
  tx: Tx,
  ports: Pick<Ports, 'crypto' | 'settings'>,
  userId: string,
  change: CredentialChange,
  { provider, formerEmail, undo }: { provider?: string; formerEmail?: string | null; undo?: Undoable } = {},
): Promise<void> {
  await notify(tx, { users: [userId] }, 'security', { change, ...(provider && { provider }) })
  const token = undo && (await keepUndo(tx, userId, undo))
  const [user] = await tx.run(query<{ email: string | null; name: string; language: string; timezone: string }>`
    select case when email_confirmed_at is not null then email end as email, name, language, timezone
    from app_user where id = ${userId}`)
  const to = formerEmail ?? user?.email
  if (!user || !to) return
  const others = change === 'password' ? await waysBesides(tx, userId) : []
  const undoToken = change === 'email_added' ? undefined : token
  const letter = changedLetter(user, change, tx.now, ports.settings.publicUrl(), { provider, others, undoToken })
  postMail(tx, ports, { kind: `${change}-changed`, to, letter })
}

/** What opens the account besides its password and address. */
const waysBesides = (tx: Tx, userId: string) => tx.run(otherWays(userId))

export const otherWays = (userId: string) => query<WayIn>`
  select i.id::text as id, i.provider as way, i.email as detail from user_identity i where i.user_id = ${userId}
  union all select 'phone', 'phone', right(u.phone, 4) from app_user u
    where u.id = ${userId} and u.phone is not null and u.phone_confirmed_at is not null`

const TEXT_DAYS = 1

/** Tells a number that it no longer signs in: it may be all that somebody is reached by. */
export async function tellFormerPhone(
  tx: Tx,
  ports: Pick<Ports, 'crypto' | 'sms'>,
  userId: string,
  phone: string,
): Promise<void> {
  if (!ports.sms.configured) return
  const { language } = await tx.one(
    query<{ language: string }>`select language from app_user where id = ${userId}`,
    'not_found',
  )
  const until = new Date(tx.now.getTime() + TEXT_DAYS * 86_400_000)
  postSms(tx, ports, { to: phone, text: changedPhoneText(language), until })
}
