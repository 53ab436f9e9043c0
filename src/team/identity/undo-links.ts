import { hashSecret, newSecret } from '../../core/platform/crypto.ts'
import { query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { Destination } from './destination.ts'

const DAY = 86_400_000
const DAYS = 7
const TEXTS_A_DAY = 10

/** An older change can no longer be undone, and what it brought counts as the owner's. */
export const changedSince = (now: Date) => new Date(now.getTime() - DAYS * DAY)

/** An identity that was removed from an account. */
export interface RemovedIdentity {
  id: string
  issuer: string
  subject: string
  provider: string
  email: string | null
  createdAt: string
}

/** A change to the ways into an account. `former` is the proven address or number just before it. */
export type Undoable =
  | { change: 'identity'; identityId: string }
  | { change: 'identity_removed'; removed: RemovedIdentity }
  | { change: 'email' | 'phone'; former: string | null }
  | { change: 'password' }

/**
 * The owner of an account: an address or number that no change of the last 7 days brought. It is notified of changes
 * and may undo them.
 */
export interface Owner {
  contact: Destination | null
  /** The end of a link that is sent there now. */
  until: Date
  /** Changes of the last 7 days, and of the last day. */
  changes: number
  changesToday: number
  /** The address and number that an undo restores. Null if a change of the last 7 days brought it. */
  established: { email: string | null; phone: string | null }
}

interface Row {
  email: string | null
  phone: string | null
  formerEmail: string | null
  formerPhone: string | null
  emailSince: Date | null
  phoneSince: Date | null
  changes: number
  changesToday: number
}

/** Call it in a transaction that has locked the account. `change` has just been made and is not stored yet. */
export async function ownerOf(
  tx: Tx,
  { sms }: Pick<Ports, 'sms'>,
  userId: string,
  change?: Undoable,
): Promise<Owner | undefined> {
  const since = changedSince(tx.now)
  const [row] = await tx.run(query<Row>`
    with live as (select * from credential_undo where user_id = ${userId} and created_at > ${since})
    select case when u.email_confirmed_at is not null then u.email end as email, u.phone,
      e.former as former_email, e.created_at as email_since, p.former as former_phone, p.created_at as phone_since,
      (select count(*)::int from live) as changes,
      (select count(*)::int from live where created_at > ${new Date(tx.now.getTime() - DAY)}) as changes_today
    from app_user u
      left join lateral (select * from live where change = 'email' order by id limit 1) e on true
      left join lateral (select * from live where change = 'phone' order by id limit 1) p on true
    where u.id = ${userId}`)
  if (!row) return undefined
  const before = { email: row.email, phone: row.phone }
  if (change?.change === 'email' || change?.change === 'phone') before[change.change] = change.former
  const email = row.emailSince ? row.formerEmail : before.email
  const phone = row.phoneSince ? row.formerPhone : before.phone
  const reachable = phone !== null && sms.configured
  const firstChangedAt = (email === null ? row.phoneSince : row.emailSince) ?? tx.now
  return {
    contact: email !== null ? { kind: 'email', address: email } : reachable ? { kind: 'phone', address: phone } : null,
    until: new Date(firstChangedAt.getTime() + DAYS * DAY),
    changes: row.changes,
    changesToday: row.changesToday,
    established: { email: row.emailSince ? null : before.email, phone: row.phoneSince ? null : before.phone },
  }
}

/**
 * Stores a change for 7 days. Returns who gets the link that undoes it: only the owner, and a phone number only ten
 * times a day.
 */
export async function keepUndo(
  tx: Tx,
  ports: Pick<Ports, 'sms'>,
  userId: string,
  what: Undoable,
): Promise<{ to: Destination; token: string } | undefined> {
  const owner = await ownerOf(tx, ports, userId, what)
  if (!owner) return undefined
  const token = newSecret()
  const { change } = what
  const former = change === 'email' || change === 'phone' ? owner.established[change] : null
  await tx.run(query`with old as (delete from credential_undo where id in (select id from credential_undo
      where created_at < ${changedSince(tx.now)} limit 2 for update skip locked))
    insert into credential_undo (token_hash, user_id, change, former, identity_id, removed, created_at, expires_at)
    values (${hashSecret(token)}, ${userId}, ${change}, ${former}, ${change === 'identity' ? what.identityId : null},
      ${change === 'identity_removed' ? JSON.stringify(what.removed) : null}::jsonb, ${tx.now}, ${owner.until})`)
  const { contact } = owner
  if (!contact || (contact.kind === 'phone' && owner.changesToday >= TEXTS_A_DAY)) return undefined
  return { to: contact, token }
}
