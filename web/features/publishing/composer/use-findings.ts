import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Check, Post } from '../../../../src/publishing/posts/api.ts'
import { check, isForeseen } from '../../../../src/publishing/posts/checks/rules.ts'
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
  /** Only these networks can still be changed. */
  fixes: Platform[] | undefined
}

/** Everything that stands between a draft and going live: by its content, by the owners of its accounts, and by what the service foresees. */
export function useFindings({ draft, post, accounts, platforms, tagging, fixes }: Asked): Check[] {
  const { data: config } = useQuery(configQuery)
  const publicMedia = config?.publicMedia ?? true
  const owners = useOwnersChecks(
    draft,
    accounts.filter(({ id, platform }) => draft.targets.includes(id) && platforms.includes(platform)),
  )
  const twins = useTwins(draft, post === null)
  const content = useMemo(
    () =>
      check(draft, accounts, { publicMedia, tagging }).filter(
        ({ platform }) => !fixes || platform === null || fixes.includes(platform),
      ),
    [draft, accounts, publicMedia, tagging, fixes],
  )
  return [...content, ...owners, ...(post?.checks ?? twins).filter(isForeseen)]
}
