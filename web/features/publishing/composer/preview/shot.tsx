import { Play } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../../src/networks/api.ts'
import type { Area } from '../../../../../src/networks/rules.ts'
import type { PostMedia } from '../../../../../src/publishing/posts/api.ts'
import { fileUrl } from '../../../../files.ts'

type File = PostMedia['file']

/** A picture or video, with what is known before its rendition exists. */
export interface ShotProps {
  item: PostMedia
  /** The original files. */
  whole: readonly PostMedia[]
  platform: Platform
  /** For a video: the browser's controls instead of one button over all of it. */
  controls?: boolean
}

/** A picture or video as a network gets it. It fills its frame, which crops the rest. */
export function Shot({ item, whole, platform, controls = false }: ShotProps) {
  const { file } = item
  const area = item.crops[platform]
  if (file.kind === 'VIDEO') return file.storageUrl && <Film file={file} controls={controls} />
  if (file.storageUrl === null && area)
    return <Part area={area} of={whole.find(({ mediaFileId }) => mediaFileId === item.mediaFileId)?.file ?? file} />
  const url = fileUrl(file.storageUrl ?? file.thumbnailUrl)
  return (
    url && (
      <img
        src={url}
        alt={file.altText}
        width={file.width ?? undefined}
        height={file.height ?? undefined}
        className="size-full object-cover"
      />
    )
  )
}

function Film({ file, controls }: { file: File; controls: boolean }) {
  const t = useTranslations('composer')
  const film = useRef<HTMLVideoElement>(null)
  const [plays, setPlays] = useState(false)
  const toggle = () => {
    if (film.current?.paused) void film.current.play()
    else film.current?.pause()
  }
  return (
    <>
      <video
        ref={film}
        key={file.storageUrl}
        src={fileUrl(file.storageUrl)}
        poster={fileUrl(file.thumbnailUrl)}
        controls={controls}
        muted
        loop={!controls}
        playsInline
        preload="metadata"
        aria-label={file.altText || t('video', { name: file.fileName })}
        width={file.width ?? undefined}
        height={file.height ?? undefined}
        className="size-full bg-black object-cover"
        onPlay={() => setPlays(true)}
        onPause={() => setPlays(false)}
      />
      {!controls && (
        <button
          type="button"
          aria-label={t(plays ? 'pauseVideo' : 'playVideo')}
          className="absolute inset-0 grid place-items-center focus-visible:-outline-offset-4"
          onClick={toggle}
        >
          {!plays && (
            <span className="grid size-14 place-items-center rounded-full bg-black/35 text-white">
              <Play className="ms-1 size-7 fill-current" aria-hidden />
            </span>
          )}
        </button>
      )}
    </>
  )
}

/** A crop of a picture whose rendition does not exist yet. */
function Part({ area, of }: { area: Area; of: File }) {
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
