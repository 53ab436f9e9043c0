import { clsx } from 'clsx'
import { Globe, Heart, type LucideIcon, MessageCircle, Share2, ThumbsUp } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { type Area, networks } from '../../../../src/networks/rules.ts'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { compose, kindOf, ofAccount, type Tagging } from '../../../../src/publishing/posts/compose/rules.ts'
import { fileUrl } from '../../../files.ts'
import { NETWORKS } from '../../../labels.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import type { Draft } from './draft.ts'

interface Props {
  draft: Draft
  platform: Platform
  account: Pick<SocialAccount, 'name' | 'avatarUrl'> | undefined
  tagging: Tagging
}

/** The post as the network shows it: the same composing as the service sends. Always laid out left to right, as there. */
export function Preview({ draft, platform, account, tagging }: Props) {
  const t = useTranslations('composer')
  const name = account?.name ?? t('yourPage')
  const { text, media, comment: said } = compose(draft, platform, ofAccount(tagging, { name }))
  const kind = kindOf(draft, platform)
  const { fold, single, textFirst, like } = NETWORKS[platform].preview
  const tall = kind === 'reel' || kind === 'story'
  const comment = kind === 'story' ? '' : said
  const pictures = (
    <PictureGrid key="pictures" media={media} whole={draft.media} platform={platform} single={single} tall={tall} />
  )
  const words = <Words key={platform} text={text} fold={fold} />
  return (
    <figure className="grid gap-2">
      <figcaption className="text-13 font-medium">
        {t(tall ? `previewOf.${kind}` : 'preview', { network: NETWORKS[platform].name })}
      </figcaption>
      <div
        dir="ltr"
        lang="und"
        className="overflow-hidden rounded-xl border bg-white text-[#1c1e21] shadow-card dark:bg-[#242526] dark:text-[#e4e6eb]"
      >
        <div className="flex items-center gap-2.5 p-3">
          <Avatar name={name} url={account?.avatarUrl} className="size-9" />
          <div className="min-w-0">
            <span className="block truncate text-sm font-semibold">
              <bdi>{name}</bdi>
            </span>
            <span className="flex items-center gap-1 text-xs text-[#5f6368] dark:text-[#b0b3b8]">
              {t('justNow')} · <Globe className="size-3" aria-hidden />
              {media.some(({ file }) => file.aiGenerated && networks[platform].marksAi.includes(file.kind)) && (
                <> · {t('aiMade')}</>
              )}
            </span>
          </div>
        </div>
        {kind === 'story' ? pictures : textFirst && !tall ? [words, pictures] : [pictures, words]}
        <div
          className="flex justify-around gap-2 border-t border-black/10 px-2 py-1.5 text-xs font-medium text-[#5f6368] dark:border-white/10 dark:text-[#b0b3b8]"
          aria-hidden
        >
          {ACTS[like].map(([Icon, key]) => (
            <span key={key} className="flex items-center gap-1.5 px-2 py-1">
              <Icon className="size-4" />
              {t(key)}
            </span>
          ))}
        </div>
        {comment && (
          <p dir="auto" className="flex gap-2 border-t border-black/10 px-3 py-2.5 text-sm dark:border-white/10">
            <Avatar name={name} url={account?.avatarUrl} className="size-6" />
            <span className="min-w-0 break-words whitespace-pre-wrap">
              <bdi className="font-semibold">{name}</bdi> {comment}
            </span>
          </p>
        )}
      </div>
    </figure>
  )
}

const actsWith = (like: LucideIcon): [LucideIcon, 'like' | 'comment' | 'share'][] => [
  [like, 'like'],
  [MessageCircle, 'comment'],
  [Share2, 'share'],
]
const ACTS = { thumb: actsWith(ThumbsUp), heart: actsWith(Heart) }

function Words({ text, fold }: { text: string; fold: number }) {
  const t = useTranslations('composer')
  const [open, setOpen] = useState(false)
  if (text === '')
    return (
      <p dir="auto" className="px-3 py-2.5 text-sm text-[#5f6368] italic dark:text-[#b0b3b8]">
        {t('previewEmpty')}
      </p>
    )
  const long = text.length > fold
  return (
    <div className="px-3 py-2.5 text-[0.9375rem] leading-snug">
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {long && !open ? `${Array.from(text).slice(0, fold).join('').trimEnd()}… ` : text}
        {long && !open && (
          <button
            type="button"
            className="inline-block min-h-6 font-semibold text-[#5f6368] hover:underline dark:text-[#b0b3b8]"
            onClick={() => setOpen(true)}
          >
            {t('seeMore')}
          </button>
        )}
      </p>
    </div>
  )
}

/** A part of a picture that is not made yet. */
function Part({ area, of }: { area: Area; of: PostMedia['file'] }) {
  return (
    <svg
      role={of.altText ? 'img' : undefined}
      aria-label={of.altText || undefined}
      aria-hidden={of.altText === ''}
      viewBox={`${area.x} ${area.y} ${area.width} ${area.height}`}
      preserveAspectRatio="xMidYMid slice"
      className="size-full"
    >
      <image href={fileUrl(of.storageUrl)} width={of.width ?? 0} height={of.height ?? 0} />
    </svg>
  )
}

/** `single`: one picture at a time, whole, with how many there are; else all of them in a grid. */
function PictureGrid({
  media,
  whole,
  platform,
  single,
  tall,
}: {
  media: PostMedia[]
  /** The files as they are. */
  whole: readonly PostMedia[]
  platform: Platform
  single: boolean
  tall: boolean
}) {
  const t = useTranslations('composer')
  if (media.length === 0) return null
  const shown = media.slice(0, single ? 1 : 5)
  const rest = media.length - shown.length
  const n = shown.length
  return (
    <div
      className={clsx(
        'grid gap-0.5 overflow-hidden',
        tall && 'mx-auto aspect-[9/16] max-h-[32rem] place-items-center bg-black',
        n === 1 && 'grid-cols-1',
        (n === 2 || n === 3 || n === 4) && 'grid-cols-2',
        n === 5 && 'grid-cols-6',
      )}
    >
      {shown.map((item, index) => (
        <div
          key={item.mediaFileId}
          className={clsx(
            'relative overflow-hidden bg-black/5 dark:bg-white/5',
            n === 1 && !single && media[0]?.file.kind === 'IMAGE' && 'max-h-[26rem]',
            n > 1 && 'aspect-square',
            n === 3 && index === 0 && 'col-span-2 !aspect-[2/1]',
            n === 5 && (index < 2 ? 'col-span-3' : 'col-span-2'),
          )}
        >
          {item.file.kind === 'VIDEO' && item.file.storageUrl && (
            <video
              key={item.file.storageUrl}
              src={fileUrl(item.file.storageUrl)}
              poster={fileUrl(item.file.thumbnailUrl)}
              controls
              muted
              playsInline
              preload="metadata"
              aria-label={item.file.altText || t('video', { name: item.file.fileName })}
              width={item.file.width ?? undefined}
              height={item.file.height ?? undefined}
              className={clsx('w-full bg-black object-contain', n === 1 ? 'h-auto max-h-[32rem]' : 'h-full')}
            />
          )}
          {item.file.kind === 'IMAGE' && item.file.storageUrl === null && item.crops[platform] && (
            <Part
              area={item.crops[platform]}
              of={whole.find(({ mediaFileId }) => mediaFileId === item.mediaFileId)?.file ?? item.file}
            />
          )}
          {item.file.kind === 'IMAGE' &&
            (item.file.storageUrl || (item.file.thumbnailUrl && !item.crops[platform])) && (
              <img
                src={fileUrl(item.file.storageUrl ?? item.file.thumbnailUrl)}
                alt={item.file.altText}
                width={item.file.width ?? undefined}
                height={item.file.height ?? undefined}
                className={n === 1 ? 'h-auto w-full' : 'size-full object-cover'}
              />
            )}
          {rest > 0 && single && (
            <span className="absolute end-2 top-2 rounded-full bg-black/65 px-2 py-0.5 text-xs font-medium text-white">
              1/{media.length}
            </span>
          )}
          {rest > 0 && index === n - 1 && !single && (
            <span className="absolute inset-0 grid place-items-center bg-black/55 text-2xl font-semibold text-white">
              +{rest}
            </span>
          )}
        </div>
      ))}
    </div>
  )
}
