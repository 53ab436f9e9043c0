import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { hashtagsIn } from '../../../../src/publishing/posts/compose/rules.ts'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'
import { setsQuery } from '../writing/queries.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'

const MOST = 6
/** How many recent posts to take hashtags from. */
const RECENT = 20

export interface Offered {
  id: string
  text: string
  /** Its source: the name of a set, or a recent post. */
  from: string | null
}

/**
 * Suggestions for `#` and `@` in a text: hashtags of saved sets and recent posts, and the names of connected accounts.
 */
export function useTags(accounts: readonly SocialAccount[], wanted: boolean) {
  const { ws, membership } = usePlace()
  const sets = useQuery({ ...setsQuery(ws), enabled: wanted && !refusal(membership, 'listHashtagSets') })
  const recent = useQuery({
    ...live,
    queryKey: [ws, 'posts', 'tags'],
    queryFn: async ({ signal }) => (await call('listPosts', { workspace: ws, query: { limit: RECENT }, signal })).data,
    enabled: wanted,
  })
  const tags = useMemo(() => {
    const found = new Map<string, Offered>()
    const add = (tag: string, from: string | null) => {
      const text = tag.startsWith('#') ? tag : `#${tag}`
      const id = text.toLowerCase()
      if (!found.has(id)) found.set(id, { id, text, from })
    }
    for (const { name, hashtags } of sets.data ?? []) for (const tag of hashtags) add(tag, name)
    for (const { caption, hashtags } of recent.data ?? [])
      for (const tag of [...hashtags, ...hashtagsIn(caption)]) add(tag, null)
    return [...found.values()]
  }, [sets.data, recent.data])
  return ({ sign, text }: { sign: string; text: string }): Offered[] => {
    const all =
      sign === '#'
        ? tags
        : accounts.filter(({ name }) => !/\s/.test(name)).map(({ id, name }) => ({ id, text: `@${name}`, from: null }))
    const sought = text.toLowerCase()
    return all
      .filter((one) => one.text.slice(1).toLowerCase().startsWith(sought) && one.text.length > sought.length + 1)
      .slice(0, MOST)
  }
}
