import { Bookmark, ChevronLeft, ChevronRight, Ellipsis, Heart, MessageCircle, Send } from 'lucide-react'
import { clsx } from 'clsx'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Avatar } from '../../../../ui/avatar.tsx'
import { Shot } from './shot.tsx'
import type { ShownPost } from './shown.ts'
import { Words } from './words.tsx'

/** The limits of a picture's shape in the feed, width to height. */
const NARROWEST = 4 / 5
const WIDEST = 1.91

/** A picture post: one picture at a time in the shape of the first, with the text below. */
export function GalleryPost({ shown }: { shown: ShownPost }) {
  const t = useTranslations('composer')
  const { name, avatarUrl, age, text, fold, comment, media, whole, platform, marksAi } = shown
  const [turned, setTurned] = useState(0)
  const at = Math.min(turned, Math.max(0, media.length - 1))
  const item = media[at]
  const { width, height } = media[0]?.file ?? {}
  const shape = width && height ? Math.min(Math.max(width / height, NARROWEST), WIDEST) : 1
  return (
    <div className="overflow-hidden rounded-xl border bg-white text-[#0f1419] shadow-card dark:bg-black dark:text-[#f5f5f5]">
      <div className="flex items-center gap-2.5 p-3">
        <span className="rounded-full bg-linear-45 from-[#feb14b] via-[#ef4152] to-[#7a3bd0] p-0.5">
          <span className="flex rounded-full bg-white p-0.5 dark:bg-black">
            <Avatar name={name} url={avatarUrl} className="size-7" />
          </span>
        </span>
        <div className="min-w-0 grow">
          <p className="truncate text-13 font-semibold">
            <bdi>{name}</bdi>
          </p>
          {marksAi && <span className="block text-2xs">{t('aiMade')}</span>}
        </div>
        <Ellipsis className="size-5 shrink-0" aria-hidden />
      </div>
      <div className="relative overflow-hidden bg-black/5 dark:bg-white/10" style={{ aspectRatio: shape }}>
        {item && <Shot key={item.mediaFileId} item={item} whole={whole} platform={platform} controls />}
        {media.length > 1 && (
          <>
            <span className="absolute end-3 top-3 rounded-full bg-black/65 px-2 py-0.5 text-xs font-medium text-white">
              {at + 1}/{media.length}
            </span>
            <Turn back hidden={at === 0} label={t('previousPicture')} onClick={() => setTurned(at - 1)} />
            <Turn hidden={at === media.length - 1} label={t('nextPicture')} onClick={() => setTurned(at + 1)} />
          </>
        )}
      </div>
      <div className="relative flex items-center gap-3.5 px-3 pt-3 pb-2" aria-hidden>
        <Heart className="size-6" />
        <MessageCircle className="size-6 -scale-x-100" />
        <Send className="size-6" />
        <span className="grow" />
        <Bookmark className="size-6" />
        {media.length > 1 && (
          <span className="absolute inset-x-0 flex justify-center gap-1">
            {media.map(({ mediaFileId }, index) => (
              <i
                key={mediaFileId}
                className={clsx('size-1.5 rounded-full', index === at ? 'bg-[#0095f6]' : 'bg-current opacity-25')}
              />
            ))}
          </span>
        )}
      </div>
      <div className="grid gap-1 px-3 pb-3 text-13 leading-snug">
        <Words
          text={text}
          fold={fold}
          more={t('more')}
          marked="text-[#00376b] dark:text-[#b3d9ff]"
          lead={
            <>
              <bdi className="font-semibold">{name}</bdi>{' '}
            </>
          }
        />
        {comment && (
          <p dir="auto" className="break-words whitespace-pre-wrap">
            <bdi className="font-semibold">{name}</bdi> {comment}
          </p>
        )}
        <p className="text-2xs text-[#5f6368] dark:text-[#a8a8a8]">{age}</p>
      </div>
    </div>
  )
}

/** Moves to the previous or next picture. Always left to right, as on the network. */
function Turn({
  back,
  hidden,
  label,
  onClick,
}: {
  back?: boolean
  hidden: boolean
  label: string
  onClick: () => void
}) {
  const Icon = back ? ChevronLeft : ChevronRight
  if (hidden) return null
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className={clsx(
        'absolute top-1/2 grid size-6 -translate-y-1/2 place-items-center rounded-full bg-white/85 text-black max-sm:size-11',
        back ? 'start-2' : 'end-2',
      )}
    >
      <Icon className="size-4 rtl:-scale-x-100" aria-hidden />
    </button>
  )
}
