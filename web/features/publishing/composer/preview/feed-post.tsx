import { clsx } from 'clsx'
import { Ellipsis, Globe, MessageCircle, Share2, ThumbsUp } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { Avatar } from '../../../../ui/avatar.tsx'
import { LinkCard } from './link-card.tsx'
import { Shot } from './shot.tsx'
import type { ShownPost } from './shown.ts'
import { Words } from './words.tsx'

const ACTS = [
  [ThumbsUp, 'like'],
  [MessageCircle, 'comment'],
  [Share2, 'share'],
] as const

/** How many pictures to show before "+2". */
const MOST = 5

/** A post in a feed: the text above, then all pictures in a grid. */
export function FeedPost({ shown }: { shown: ShownPost }) {
  const t = useTranslations('composer')
  const { name, avatarUrl, age, text, fold, comment, marksAi } = shown
  return (
    <div className="overflow-hidden rounded-xl border bg-white text-[#1c1e21] shadow-card dark:bg-[#242526] dark:text-[#e4e6eb]">
      <div className="flex items-center gap-2.5 p-3 pb-2">
        <Avatar name={name} url={avatarUrl} className="size-10" />
        <div className="min-w-0 grow">
          <span className="block truncate text-sm font-semibold">
            <bdi>{name}</bdi>
          </span>
          <span className="flex items-center gap-1 text-xs text-[#5f6368] dark:text-[#b0b3b8]">
            {age} · <Globe className="size-3" aria-hidden />
            {marksAi && <> · {t('aiMade')}</>}
          </span>
        </div>
        <Ellipsis className="size-5 shrink-0 text-[#5f6368] dark:text-[#b0b3b8]" aria-hidden />
      </div>
      <Words
        text={text}
        fold={fold}
        more={t('seeMore')}
        marked="text-[#0a58ca] dark:text-[#6ea8fe]"
        className="px-3 pb-3 text-[0.9375rem] leading-snug"
      />
      {shown.media.length === 0 && shown.link ? <LinkCard address={shown.link} /> : <Pictures shown={shown} />}
      <div
        className="flex justify-around gap-2 px-2 py-1.5 text-13 font-semibold text-[#5f6368] dark:text-[#b0b3b8]"
        aria-hidden
      >
        {ACTS.map(([Icon, key]) => (
          <span key={key} className="flex items-center gap-1.5 px-2 py-1">
            <Icon className="size-4.5" />
            {t(key)}
          </span>
        ))}
      </div>
      {comment && (
        <div className="flex gap-2 border-t border-black/10 px-3 py-2.5 dark:border-white/10">
          <Avatar name={name} url={avatarUrl} className="size-8" />
          <p
            dir="auto"
            className="min-w-0 rounded-2xl bg-[#f0f2f5] px-3 py-2 text-13 break-words whitespace-pre-wrap dark:bg-[#3a3b3c]"
          >
            <span className="block font-semibold">
              <bdi>{name}</bdi>
            </span>
            {comment}
          </p>
        </div>
      )}
    </div>
  )
}

function Pictures({ shown: { media, whole, platform } }: { shown: ShownPost }) {
  const [only] = media
  if (!only) return null
  const { width, height } = only.file
  if (media.length === 1)
    return (
      <div
        className="relative max-h-[28rem] w-full overflow-hidden bg-black/5 dark:bg-white/5"
        style={{ aspectRatio: width && height ? Math.max(width / height, 0.8) : 1 }}
      >
        <Shot item={only} whole={whole} platform={platform} controls />
      </div>
    )
  const seen = media.slice(0, MOST)
  const rest = media.length - seen.length
  const n = seen.length
  return (
    <div className={clsx('grid gap-0.5', n === 5 ? 'grid-cols-6' : 'grid-cols-2')}>
      {seen.map((item, index) => (
        <div
          key={item.mediaFileId}
          className={clsx(
            'relative overflow-hidden bg-black/5 dark:bg-white/5',
            n === 3 && index === 0 ? 'col-span-2 aspect-[2/1]' : 'aspect-square',
            n === 5 && (index < 2 ? 'col-span-3' : 'col-span-2'),
          )}
        >
          <Shot item={item} whole={whole} platform={platform} controls />
          {rest > 0 && index === n - 1 && (
            <span className="absolute inset-0 grid place-items-center bg-black/55 text-2xl font-semibold text-white">
              +{rest}
            </span>
          )}
        </div>
      ))}
    </div>
  )
}
