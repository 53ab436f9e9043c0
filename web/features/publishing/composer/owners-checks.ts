import { useQueries } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { isOwnersPlatform } from '../../../../src/networks/rules.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { compose } from '../../../../src/publishing/posts/compose/rules.ts'
import { postingOptionsQuery } from '../../../queries.ts'
import { usePlace } from '../../shell/workspace.tsx'
import type { Draft } from './draft.ts'

/** The findings by the rules of the accounts' owners. */
export function useOwnersChecks(draft: Draft, accounts: SocialAccount[]): Check[] {
  const t = useTranslations('options')
  const { ws } = usePlace()
  const asked = accounts.filter(({ platform }) => isOwnersPlatform(platform))
  const found = useQueries({ queries: asked.map(({ id }) => postingOptionsQuery(ws, id)) })
  return asked.flatMap(({ id, platform }, index) => {
    const limit = found[index]?.data?.maxSeconds
    const lasts = Math.max(0, ...compose(draft, platform).media.map(({ file }) => file.duration ?? 0))
    if (limit === undefined || lasts <= limit) return []
    const value = Math.ceil(lasts)
    const said = { message: t('tooLong', { lasts: value, longest: limit }), fix: t('tooLongFix') }
    return [{ severity: 'error', target: id, platform, field: '/media', code: 'owner_limit', limit, value, ...said }]
  })
}
