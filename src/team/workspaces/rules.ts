import type { Role } from '../../core/http/endpoint.ts'
import { atLeast, type Refusal } from '../../core/http/rules.ts'

/** A change of a member or an invitation. A null `target` is not a member yet; a null `wanted` removes. */
interface MemberAct {
  actor: Role
  target: Role | null
  wanted: Role | null
  /** Whether the actor and the member are the same person. */
  own?: boolean
}

/** Returns why the change is refused, or null. Only an OWNER may change ownership, and a workspace always keeps one. */
export function refuseAct({
  actor,
  target,
  wanted,
  own = false,
}: MemberAct): Extract<Refusal, { code: 'role_required' }> | { code: 'owner_required' } | null {
  const leaves = own && wanted === null
  if (!leaves && !atLeast(actor, 'ADMIN')) return { code: 'role_required', required: 'ADMIN', actual: actor }
  if ((target === 'OWNER' || wanted === 'OWNER') && actor !== 'OWNER') {
    return { code: 'role_required', required: 'OWNER', actual: actor }
  }
  if (target === 'OWNER' && wanted !== 'OWNER') return { code: 'owner_required' }
  return null
}

/** An address that shows only its first letter and its host: `a•••@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${Array.from(email)[0] ?? ''}•••${email.slice(at)}`
}

const plain = (name: string) => name.trim().replaceAll('’', "'")

/** Whether a person typed the name of a workspace. Few keyboards have the apostrophe of the first workspace's name. */
export const isTypedName = (typed: string, name: string) => plain(typed) === plain(name)
