import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Check, Post } from '../../../../src/publishing/posts/api.ts'
import { isForeseen } from '../../../../src/publishing/posts/rules.ts'
import type { Tagging } from '../../../../src/publishing/posts/compose/rules.ts'
import { configQuery } from '../../../queries.ts'
import type { Draft } from './draft.ts'
import { useOwnersChecks } from './owners-checks.ts'
import { useTwins } from './use-twins.ts'

interface Asked {
  draft: Draft
  post: Post | null
  accounts: SocialAccount[]
  platforms: Platform[]
  tagging: Tagging
  /** Limits the findings to networks that can still change. */
  fixes: Platform[] | undefined
}

/** The rules that check a post. They load after the text, with retries until they arrive. */
const rulesQuery = queryOptions({
  queryKey: ['rules of checks'],
  queryFn: () => import('../../../../src/publishing/posts/checks/rules.ts'),
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: ({ state }) => state.status === 'error' && AGAIN_MS,
})
const AGAIN_MS = 3000

/**
 * All findings of a draft: from its content, from the choices of its account owners, and from the service. Undefined
 * until the rules are loaded.
 */
export function useFindings({ draft, post, accounts, platforms, tagging, fixes }: Asked): Check[] | undefined {
  const { data: config } = useQuery(configQuery)
  const { data: rules } = useQuery(rulesQuery)
  const publicMedia = config?.publicMedia ?? true
  const owners = useOwnersChecks(
    draft,
    accounts.filter(({ id, platform }) => draft.targets.includes(id) && platforms.includes(platform)),
  )
  const twins = useTwins(draft, post === null)
  const content = useMemo(
    () =>
      rules
        ?.check(draft, accounts, { publicMedia, tagging })
        .filter(({ platform }) => !fixes || platform === null || fixes.includes(platform)),
    [rules, draft, accounts, publicMedia, tagging, fixes],
  )
  return content && [...content, ...owners, ...(post?.checks ?? twins).filter(isForeseen)]
}
