import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import type { Workspace } from '../../../../src/team/workspaces/api.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { draftOf, taggingOf } from './draft.ts'
import { Preview } from './preview.tsx'

/** A stored post as each of its networks shows it; where accounts are not known, by the names on its targets. */
export function Previews({
  post,
  accounts,
  workspace,
}: {
  post: Post
  accounts: SocialAccount[]
  workspace: Pick<Workspace, 'linkTags' | 'timezone'>
}) {
  const counted = post.publications.filter(({ dropped }) => !dropped)
  const platforms = PLATFORM_ORDER.filter((platform) => counted.some((one) => one.platform === platform))
  return (platforms.length > 0 ? platforms : [PLATFORM_ORDER[0]]).map((platform) => {
    const name = counted.find((one) => one.platform === platform)?.accountName
    return (
      <Preview
        key={platform}
        draft={draftOf(post)}
        tagging={taggingOf(workspace, post, post.id)}
        platform={platform}
        account={
          accounts.find((one) => one.platform === platform && post.targets.includes(one.id)) ??
          (name === undefined ? undefined : { name, avatarUrl: null })
        }
      />
    )
  })
}
