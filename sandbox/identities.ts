import { findPerson } from './people.ts'

/** The sandbox's people at the identity providers, also generated from their numbers. */

export type IdentityStandIn = 'IDP_A' | 'IDP_B'

/** The default tenant of an app at IDP_B, and a foreign tenant. */
export const SANDBOX_TENANT = '7e4a0000-5a5d-4b0c-8000-000000000001'
const FOREIGN_TENANT = 'f0e1f0e1-5a5d-4b0c-8000-00000000000f'

type Claims = {
  sub: string
  name: string
  email?: string
  email_verified?: boolean
  tid?: string
  oid?: string
}

/**
 * Finds the person of a key such as `u7`, or of the subject derived from it. Numbers that end in 4 have no email
 * address. Numbers that end in 3 have an address that IDP_A has not verified, and belong to a foreign tenant at IDP_B,
 * which never reports whether an address is verified.
 */
export function findIdentity(
  { provider, tenant = SANDBOX_TENANT }: { provider: IdentityStandIn; tenant?: string | undefined },
  keyOrSubject: string,
): Claims | undefined {
  const number = Number(/^[ab]-(\d{9})$/.exec(keyOrSubject)?.[1])
  const person = findPerson(number > 0 ? `u${number}` : keyOrSubject)
  if (!person) return undefined
  const digits = person.key.slice(1).padStart(9, '0')
  const last = digits.at(-1)
  const email: { email?: string } =
    last === '4' ? {} : { email: `${person.name.split(' ')[0]?.toLowerCase()}.${person.key}@example.test` }
  return provider === 'IDP_A'
    ? { sub: `a-${digits}`, name: person.name, ...email, ...(email.email && { email_verified: last !== '3' }) }
    : {
        sub: `b-${digits}`,
        name: person.name,
        ...email,
        tid: last === '3' ? FOREIGN_TENANT : tenant,
        oid: `0b1ec700-0000-4000-8000-000${digits}`,
      }
}
