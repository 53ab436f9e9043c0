import pg from 'pg'
import { send } from '../core/platform/db.ts'
import { securityEvent } from '../core/platform/security-events.ts'
import { Address } from '../team/identity/api.ts'
import { setSuperAdmin } from '../team/identity/person.ts'

/** A command about operators that cannot be carried out, with a message for the person who gave it. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}

export const OPERATOR_USAGE = `npm run admin -- list
npm run admin -- grant ADDRESS     makes the account with this email address a super admin
npm run admin -- revoke ADDRESS    makes it an ordinary account again`

/**
 * Lists, grants or revokes super admins, as the owner of the database, which is the way to the first one. Returns what
 * to print. Records each change, without a person as its actor. Throws OperatorError.
 */
export async function commandOperators(url: string, [act, address, ...rest]: string[]): Promise<string> {
  if (
    rest.length > 0 ||
    (act === 'list') === (address !== undefined) ||
    !['list', 'grant', 'revoke'].includes(act ?? '')
  ) {
    throw new OperatorError(OPERATOR_USAGE)
  }
  const client = new pg.Client({ connectionString: url, application_name: 'parley admin' })
  client.on('error', () => undefined) // the running statement reports it
  await client.connect()
  try {
    return address === undefined ? await list(client) : await change(client, act === 'grant', address)
  } catch (error) {
    const missing = error instanceof pg.DatabaseError && ['42P01', '42703'].includes(error.code ?? '')
    throw missing ? new OperatorError('This database is not up to date: start Parley once, then try again.') : error
  } finally {
    await client.end()
  }
}

async function list(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ line: string }>(
    `select coalesce(email, phone, id::text) || case when disabled_at is null then '' else ' (disabled)' end as line
      from app_user where is_super_admin order by id`,
  )
  return rows.length === 0 ? 'There is no super admin.' : rows.map(({ line }) => line).join('\n')
}

async function change(client: pg.Client, wanted: boolean, address: string): Promise<string> {
  const { data: email } = Address.safeParse(address)
  if (email === undefined) throw new OperatorError(`${address} is not an email address.`)
  await client.query('begin')
  const { rows } = await client.query<{ id: string; is: boolean; confirmed: boolean; disabled: boolean }>(
    `select id, is_super_admin as "is", email_confirmed_at is not null as confirmed, disabled_at is not null as disabled
      from app_user where email = $1 for update`,
    [email],
  )
  const [user] = rows
  if (!user) throw new OperatorError(`No account has the address ${email}: sign up with it first.`)
  if (user.is === wanted) return `${email} is ${wanted ? 'already a super admin' : 'not a super admin'}.`
  if (wanted && user.disabled)
    throw new OperatorError(`${email} is disabled: another super admin must enable it first.`)
  await send(client, setSuperAdmin(user.id, wanted))
  const action = wanted ? 'admin.granted' : 'admin.revoked'
  await send(client, securityEvent({ action, object: { userId: user.id } }))
  await client.query('commit')
  if (!wanted) return `${email} is no longer a super admin.`
  return user.confirmed
    ? `${email} is a super admin now: /app/admin`
    : `${email} is a super admin now: /app/admin. This address isn’t confirmed: revoke the role unless the account is yours.`
}
