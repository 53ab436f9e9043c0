import { useState } from 'react'
import type { SocialAccount } from '../../../../../src/channels/api.ts'
import type { Post } from '../../../../../src/publishing/posts/api.ts'
import type { Workspace } from '../../../../../src/team/workspaces/api.ts'
import { PLATFORM_ORDER } from '../../../../labels.ts'
import { draftOf, taggingOf } from '../draft.ts'
import { NetworkSwitch } from './network-switch.tsx'
import { useAgo } from '../../../../now.ts'
import { Preview } from './preview.tsx'

interface Props {
  post: Post
  accounts: SocialAccount[]
  workspace: Pick<Workspace, 'linkTags' | 'timezone'>
  /** Shows all networks, one below the other, for a person who decides. */
  all?: boolean
}

/** Previews of a saved post on its networks. If the accounts are unknown, it uses the names on the targets. */
export function Previews({ post, accounts, workspace, all = false }: Props) {
  const ago = useAgo()
  const counted = post.publications.filter(({ dropped }) => !dropped)
  const found = PLATFORM_ORDER.filter((platform) => counted.some((one) => one.platform === platform))
  const platforms = found.length > 0 ? found : [PLATFORM_ORDER[0]]
  const [wanted, setWanted] = useState(platforms[0])
  const one = platforms.find((platform) => platform === wanted) ?? PLATFORM_ORDER[0]
  return (
    <>
      {!all && <NetworkSwitch platforms={platforms} shown={one} onShow={setWanted} />}
      {(all ? platforms : [one]).map((platform) => {
        const there = counted.filter((each) => each.platform === platform)
        const since = there.find(({ publishedAt }) => publishedAt)?.publishedAt
        const [first] = there
        return (
          <Preview
            key={platform}
            draft={draftOf(post)}
            tagging={taggingOf(workspace, post, post.id)}
            platform={platform}
            age={since ? ago(since) : undefined}
            account={
              accounts.find((each) => each.platform === platform && post.targets.includes(each.id)) ??
              (first ? { name: first.accountName, avatarUrl: null } : undefined)
            }
          />
        )
      })}
    </>
  )
}
