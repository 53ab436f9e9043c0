import { notify } from '../notifications/notifications.ts'
import { query } from '../../core/platform/db.ts'
import { postMail } from '../../core/platform/mail.ts'
import { postSms } from '../../core/platform/sms.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { keepUndo, type Undoable } from './undo-links.ts'
import {
  changedLetter,
  changedPhoneText,
  type CredentialChange,
  undoAddress,
  undoPhoneText,
  type WayIn,
} from './letters.ts'

/** What a notice about the ways into an account needs. */
export type NoticePorts = Pick<Ports, 'crypto' | 'settings' | 'sms'>

/**
 * Notifies a person, with the transaction, of a change to the ways into their account. `provider` names the identity
 * provider that was joined or removed. The owner can undo a change given as `undo`: an address or number that was the
 * account's before every change of the last 7 days gets a letter or text with a link. The present address and a
 * replaced one are notified without a link, since a stranger may have brought them.
 */
export async function tellOfChange(
  tx: Tx,
  ports: NoticePorts,
  userId: string,
  change: CredentialChange,
  { provider, undo }: { provider?: string; undo?: Undoable } = {},
): Promise<void> {
  await notify(tx, { users: [userId] }, 'security', { change, ...(provider && { provider }) })
  const link = undo && (await keepUndo(tx, ports, userId, undo))
  const [user] = await tx.run(query<{ email: string | null; name: string; language: string; timezone: string }>`
    select case when email_confirmed_at is not null then email end as email, name, language, timezone
    from app_user where id = ${userId}`)
  if (!user) return
  const publicUrl = ports.settings.publicUrl()
  const others = change === 'password' ? await waysBesides(tx, userId) : []
  const mail = (to: string, undoToken?: string) => {
    const letter = changedLetter(user, change, tx.now, publicUrl, { provider, others, undoToken })
    postMail(tx, ports, { kind: `${change}-changed`, to, letter })
  }
  const owner = link?.to
  if (owner?.kind === 'email') mail(owner.address, link?.token)
  if (owner?.kind === 'phone') text(tx, ports, owner.address, undoPhoneText(user, undoAddress(publicUrl, link!.token)))
  const former = undo && 'former' in undo ? undo.former : null
  // A new address does not learn that it replaced another one.
  const also = change === 'email' ? former : user.email
  if (also !== null && also !== owner?.address) mail(also)
  if (change === 'phone' && former !== null && former !== owner?.address) {
    text(tx, ports, former, changedPhoneText(user.language))
  }
}

/** The ways into the account besides its password and address. */
const waysBesides = (tx: Tx, userId: string) => tx.run(otherWays(userId))

export const otherWays = (userId: string) => query<WayIn>`
  select i.id::text as id, i.provider as way, i.email as detail from user_identity i where i.user_id = ${userId}
  union all select 'phone', 'phone', right(u.phone, 4) from app_user u
    where u.id = ${userId} and u.phone is not null and u.phone_confirmed_at is not null`

const TEXT_DAYS = 1

function text(tx: Tx, ports: NoticePorts, to: string, words: string): void {
  if (!ports.sms.configured) return
  postSms(tx, ports, { to, text: words, until: new Date(tx.now.getTime() + TEXT_DAYS * 86_400_000) })
}
