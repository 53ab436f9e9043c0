import { useQueries, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { isOwnersPlatform } from '../../../../src/networks/rules.ts'
import type { Check, PostMedia } from '../../../../src/publishing/posts/api.ts'
import { compose } from '../../../../src/publishing/posts/compose/rules.ts'
import { accountsQuery, postingOptionsQuery } from '../../../queries.ts'
import { usePlace } from '../../shell/workspace.tsx'
import type { Draft } from './draft.ts'

/** The findings from the choices that account owners allow. */
export function useOwnersChecks(draft: Draft, accounts: SocialAccount[]): Check[] {
  const t = useTranslations('options')
  const { ws } = usePlace()
  const asked = accounts.filter(({ platform }) => isOwnersPlatform(platform))
  const found = useQueries({ queries: asked.map(({ id }) => postingOptionsQuery(ws, id)) })
  return asked.flatMap(({ id, platform }, index) => {
    const limit = found[index]?.data?.maxSeconds
    const [longest] = compose(draft, platform).media.toSorted((a, b) => lengthOf(b) - lengthOf(a))
    if (limit === undefined || !longest || lengthOf(longest) <= limit) return []
    const value = Math.ceil(lengthOf(longest))
    const said = { message: t('tooLong', { lasts: value, longest: limit }), fix: t('tooLongFix') }
    const field = `/media/${draft.media.findIndex(({ mediaFileId }) => mediaFileId === longest.mediaFileId)}`
    return [{ severity: 'error', target: id, platform, field, code: 'owner_limit', limit, value, ...said }]
  })
}

const lengthOf = ({ file }: PostMedia) => file.duration ?? 0

/** The longest video that all owners of these accounts may post, in seconds. */
export function useOwnersLimit(targets: readonly string[], platforms: readonly Platform[]): number {
  const { ws } = usePlace()
  const { data: accounts = [] } = useQuery(accountsQuery(ws))
  const asked = accounts.filter(
    ({ id, platform }) => targets.includes(id) && platforms.includes(platform) && isOwnersPlatform(platform),
  )
  const found = useQueries({ queries: asked.map(({ id }) => postingOptionsQuery(ws, id)) })
  return Math.min(...found.map(({ data }) => data?.maxSeconds ?? Infinity), Infinity)
}
