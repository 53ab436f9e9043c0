import endpoints from 'virtual:endpoints'
import { createContext, useContext } from 'react'
import { useTranslations } from 'use-intl'
import { admit, type Refusal } from '../../../src/core/http/rules.ts'
import type { Profile } from '../../../src/team/identity/api.ts'
import type { Workspace } from '../../../src/team/workspaces/api.ts'
import type { Operation } from '../../client.ts'

export interface Place {
  ws: string
  membership: Profile['workspaces'][number]
  workspace: Workspace
}

const Context = createContext<Place | null>(null)
export const PlaceProvider = Context.Provider

/** The open workspace, with the caller's role and features in it. */
export function usePlace(): Place {
  const place = useContext(Context)
  if (!place) throw new Error('No workspace around this component')
  return place
}

/** Returns the open workspace, or null outside one. */
export const useAnyPlace = (): Place | null => useContext(Context)

/** Why an operation is refused to a member, by the same rule as on the server; null if it is allowed. */
export function refusal(membership: Profile['workspaces'][number] | undefined, operation: Operation): Refusal | null {
  const gate = endpoints[operation]?.[2]
  if (!gate || typeof gate === 'string' || !membership) return null
  return admit(gate, { role: membership.role, plan: membership.plan, features: membership.features })
}

/**
 * Whether to hide an action (`hidden`: the role never allows it), and why it is disabled (`reason`: the plan lacks it).
 */
export function useMay(operation: Operation): { hidden: boolean; reason: string | null } {
  const { membership } = usePlace()
  const t = useTranslations('states')
  const refused = refusal(membership, operation)
  if (!refused) return { hidden: false, reason: null }
  if (refused.code !== 'feature_not_in_plan') return { hidden: true, reason: null }
  return { hidden: false, reason: t('feature', { feature: t(`features.${refused.feature}`) }) }
}
