import {
  Bookmark,
  Ellipsis,
  Heart,
  type LucideIcon,
  MessageCircle,
  Music2,
  Plus,
  Search,
  Send,
  Share2,
} from 'lucide-react'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { Avatar } from '../../../../ui/avatar.tsx'
import { Shot } from './shot.tsx'
import type { ShownPost } from './shown.ts'
import { Words } from './words.tsx'

/** Fills a phone's screen: a post in a video feed, or another network's reel. */
export function ScreenPost({ shown, reel }: { shown: ShownPost; reel: boolean }) {
  const t = useTranslations('composer')
  const { name, avatarUrl, text, fold, marksAi } = shown
  const icons: LucideIcon[] = reel ? [Heart, MessageCircle, Send, Ellipsis] : [Heart, MessageCircle, Bookmark, Share2]
  return (
    <Phone shown={shown}>
      <div
        className="pointer-events-none absolute inset-x-4 top-4 flex items-center justify-center gap-4 text-sm font-semibold text-white/75"
        aria-hidden
      >
        {reel ? (
          <span className="grow text-lg text-white">{t('frame.reels')}</span>
        ) : (
          <>
            <span className="size-4.5" />
            <span className="grow text-end">{t('frame.following')}</span>
            <span className="relative grow text-start text-white after:absolute after:-bottom-1.5 after:start-3 after:h-0.5 after:w-6 after:rounded-full after:bg-white">
              {t('frame.forYou')}
            </span>
          </>
        )}
        <Search className="size-4.5 text-white" />
      </div>
      <div
        className="pointer-events-none absolute end-2.5 bottom-4 grid w-11 justify-items-center gap-4 text-white drop-shadow-[0_1px_2px_#0008]"
        aria-hidden
      >
        {!reel && (
          <span className="relative mb-1">
            <Avatar name={name} url={avatarUrl} className="size-11 ring-2 ring-white" />
            <span className="absolute inset-x-0 -bottom-2 mx-auto grid size-4.5 place-items-center rounded-full bg-[#fe2c55]">
              <Plus className="size-3" />
            </span>
          </span>
        )}
        {icons.map((Icon, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- they never change
          <Icon key={index} className={clsx('size-7', !reel && 'fill-current')} />
        ))}
        <span className="grid size-9 place-items-center rounded-full border-[6px] border-[#26262a] bg-[#111]">
          <Avatar name={name} url={avatarUrl} className="size-6" />
        </span>
      </div>
      <div className="absolute start-3 end-16 bottom-4 grid gap-1 text-13 leading-snug text-white [text-shadow:0_1px_2px_#000a]">
        <span className="flex items-center gap-2 font-semibold">
          {reel && <Avatar name={name} url={avatarUrl} className="size-7" />}
          <bdi className="truncate text-sm">{name}</bdi>
        </span>
        {marksAi && <span className="justify-self-start rounded bg-black/40 px-1.5 text-2xs">{t('aiMade')}</span>}
        <Words text={text} fold={fold} more={t('more')} marked="font-semibold" />
        <span className="flex min-w-0 items-center gap-1.5 text-xs" aria-hidden>
          <Music2 className="size-3.5 shrink-0" />
          <span className="truncate">{t('frame.sound', { name })}</span>
        </span>
      </div>
    </Phone>
  )
}

/** A picture or video that lasts a day, without text. */
export function StoryPost({ shown }: { shown: ShownPost }) {
  const t = useTranslations('composer')
  const { name, avatarUrl, age } = shown
  return (
    <Phone shown={shown}>
      <div className="pointer-events-none absolute inset-x-3 top-3 grid gap-2.5 text-white [text-shadow:0_1px_2px_#000a]">
        <span className="h-0.5 rounded-full bg-white/40" aria-hidden>
          <span className="block h-full w-1/3 rounded-full bg-white" />
        </span>
        <span className="flex items-center gap-2 text-13">
          <Avatar name={name} url={avatarUrl} className="size-8" />
          <bdi className="truncate font-semibold">{name}</bdi>
          <span className="shrink-0 opacity-80">{age}</span>
        </span>
      </div>
      <div
        className="pointer-events-none absolute inset-x-3 bottom-3 flex items-center gap-3 text-13 text-white"
        aria-hidden
      >
        <span className="grow rounded-full border border-white/70 px-4 py-2">{t('frame.message')}</span>
        <Heart className="size-6" />
        <Send className="size-6" />
      </div>
    </Phone>
  )
}

function Phone({ shown: { media, whole, platform }, children }: { shown: ShownPost; children: ReactNode }) {
  const [item] = media
  return (
    <div className="mx-auto w-full max-w-[19rem] rounded-[2.25rem] bg-[#0b0b0d] p-1.5 shadow-pop ring-1 ring-[#2c2d31]">
      <div className="relative aspect-[9/17.5] overflow-hidden rounded-[1.875rem] bg-black">
        {item && <Shot key={item.mediaFileId} item={item} whole={whole} platform={platform} />}
        <div
          className="pointer-events-none absolute inset-0 bg-[linear-gradient(#0007,#0000_18%,#0000_58%,#000b)]"
          aria-hidden
        />
        {media.length > 1 && (
          <span className="absolute inset-x-0 bottom-1.5 flex justify-center gap-1" aria-hidden>
            {media.map(({ mediaFileId }, index) => (
              <i key={mediaFileId} className={clsx('size-1.5 rounded-full bg-white', index > 0 && 'opacity-40')} />
            ))}
          </span>
        )}
        {children}
      </div>
    </div>
  )
}
