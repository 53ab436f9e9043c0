import type { SocialAccount } from '../../src/channels/api.ts'
import { Avatar } from './avatar.tsx'
import { NetworkMark } from './network.tsx'

interface AccountAvatarProps {
  account: Pick<SocialAccount, 'name' | 'avatarUrl' | 'platform'>
  /** The size of the picture. */
  className?: string
}

/**
 * The picture of a connected account with its network's logo as a badge. Hidden from screen readers, because the name
 * is next to it.
 */
export function AccountAvatar({ account, className = 'size-6' }: AccountAvatarProps) {
  return (
    <span className="relative inline-flex shrink-0">
      <Avatar name={account.name} url={account.avatarUrl} className={className} />
      <span className="absolute -end-1 -bottom-1 inline-flex rounded-full ring-2 ring-surface">
        <NetworkMark platform={account.platform} small />
      </span>
    </span>
  )
}
