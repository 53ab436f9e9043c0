import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Grid3x3, Play } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../../src/channels/api.ts'
import type { Platform } from '../../../../../src/networks/api.ts'
import type { PostMedia } from '../../../../../src/publishing/posts/api.ts'
import { compose } from '../../../../../src/publishing/posts/compose/rules.ts'
import { call } from '../../../../client.ts'
import { fileUrl } from '../../../../files.ts'
import { live } from '../../../../queries.ts'
import { Avatar } from '../../../../ui/avatar.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { type Draft, draftOf } from '../draft.ts'
import { Shot } from './shot.tsx'

/** Three rows of three, as a phone shows them first. */
const TILES = 9

interface Props {
  draft: Draft
  platform: Platform
  account: SocialAccount | undefined
  postId: string | undefined
}

/** The account's pictures as visitors see them: this post first, then earlier ones published from here. */
export default function ProfileGrid({ draft, platform, account, postId }: Props) {
  const t = useTranslations('composer')
  const { ws } = usePlace()
  const name = account?.name ?? t('yourPage')
  const query = { accountId: account?.id ?? '', status: 'PUBLISHED,PARTIALLY_PUBLISHED', limit: 2 * TILES }
  const { data } = useQuery({
    ...live,
    queryKey: [ws, 'posts', 'tiles', query],
    queryFn: async ({ signal }) => (await call('listPosts', { workspace: ws, query, signal })).data,
    enabled: account !== undefined,
  })
  const [first] = compose(draft, platform).media
  const before = (data ?? [])
    .filter(({ id }) => id !== postId)
    .flatMap((post) => compose(draftOf(post), platform).media.slice(0, 1))
    .slice(0, TILES - 1)
  const tiles: (PostMedia | undefined)[] = [first, ...before]
  return (
    <figure className="min-w-0">
      <figcaption className="sr-only">{t('profileOf', { name })}</figcaption>
      <div className="overflow-hidden rounded-xl border bg-white text-[#0f1419] shadow-card dark:bg-black dark:text-[#f5f5f5]">
        <div className="flex items-center gap-3 p-4">
          <Avatar name={name} url={account?.avatarUrl} className="size-14" />
          <bdi className="truncate text-sm font-semibold">{name}</bdi>
        </div>
        <div className="flex justify-center border-t border-black/10 py-2 dark:border-white/15" aria-hidden>
          <Grid3x3 className="size-5" />
        </div>
        <ul className="grid grid-cols-3 gap-0.5">
          {Array.from({ length: TILES }, (_, index) => {
            const item = tiles[index]
            return (
              <li
                key={item?.mediaFileId ?? index}
                className={clsx(
                  'relative aspect-[4/5] overflow-hidden bg-black/5 dark:bg-white/10',
                  index === 0 && 'outline-2 -outline-offset-2 outline-accent',
                )}
              >
                {item && <Tile item={item} whole={draft.media} platform={platform} />}
              </li>
            )
          })}
        </ul>
      </div>
    </figure>
  )
}

function Tile({ item, whole, platform }: { item: PostMedia; whole: readonly PostMedia[]; platform: Platform }) {
  if (item.file.kind !== 'VIDEO') return <Shot item={item} whole={whole} platform={platform} />
  return (
    <>
      <img src={fileUrl(item.file.thumbnailUrl)} alt={item.file.altText} className="size-full object-cover" />
      <Play className="absolute end-1.5 top-1.5 size-4 fill-white text-white drop-shadow" aria-hidden />
    </>
  )
}
