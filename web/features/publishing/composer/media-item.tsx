import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { type KeyboardEvent, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { useRejectionWords } from '../../../service-words.ts'
import { mediaQuery } from '../../../queries.ts'
import { usePlace } from '../../shell/workspace.tsx'
import type { Tab } from './draft.ts'
import { MediaCorners } from './media-corners.tsx'
import { MediaLook } from './media-look.tsx'
import { MediaSteps } from './media-steps.tsx'
import { useOrder } from './use-order.ts'
import { lazy } from '../../../ui/part.tsx'

// Loaded when the person describes a picture.
const AltTextDialog = lazy(async () => ({ default: (await import('./alt-text.tsx')).AltTextDialog }))

interface Props {
  item: PostMedia
  index: number
  count: number
  tab: Tab
  /** Whether the item must stay, because it is live somewhere. */
  fixed: boolean
  onMove: (by: -1 | 1) => void
  /** Called when another item is dropped here. */
  onPlace: (id: string) => void
  onRemove: () => void
  /** Absent if the item cannot be cropped. */
  onCrop?: (() => void) | undefined
  cropped: boolean
  /** Absent if the item is not a video or cannot change. */
  onTrim?: (() => void) | undefined
  onUse: (platform: Platform, on: boolean) => void
  onFile: (file: PostMedia['file']) => void
}

/** A picture or video of the post: what it looks like, its place among the others, and its actions. */
export function MediaItem({
  item,
  index,
  count,
  tab,
  fixed,
  onMove,
  onPlace,
  onRemove,
  onCrop,
  cropped,
  onTrim,
  onUse,
  onFile,
}: Props) {
  const t = useTranslations('composer')
  const { ws } = usePlace()
  const rejection = useRejectionWords()
  const place = useRef<HTMLLIElement>(null)
  const movable = !fixed && count > 1
  const look = useOrder(place, item.mediaFileId, movable, onPlace)
  const [describing, setDescribing] = useState(false)
  const { file } = item
  const { data } = useQuery({ ...mediaQuery(ws, item.mediaFileId), enabled: file.state === 'PROCESSING' })
  useEffect(() => {
    if (data && data.state !== file.state) onFile({ ...file, ...data })
  })
  const keys = (event: KeyboardEvent) => {
    if (fixed || !event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return
    event.preventDefault()
    const forward = (event.key === 'ArrowRight') !== (document.documentElement.dir === 'rtl')
    onMove(forward ? 1 : -1)
  }
  const left = tab !== 'all' && item.platforms !== null && !item.platforms.includes(tab)
  return (
    <li
      ref={place}
      className={clsx(
        'grid w-28 gap-1 rounded-lg max-sm:w-[8.5rem]',
        look === 'dragged' && 'opacity-40',
        look === 'over' && 'outline-2 outline-offset-2 outline-accent',
      )}
      onKeyDown={keys}
    >
      <div className="relative h-28 overflow-hidden rounded-lg border bg-sunken max-sm:h-[8.5rem]">
        <MediaLook
          file={file}
          name={t(file.kind === 'VIDEO' ? 'videoOf' : 'pictureOf', { position: index + 1, count, name: file.fileName })}
          left={left}
        />
        <MediaCorners
          file={file}
          index={index}
          onDescribe={() => setDescribing(true)}
          onTrim={onTrim}
          onCrop={onCrop}
          onRemove={fixed ? undefined : onRemove}
          cropped={cropped}
        />
      </div>
      {file.state === 'REJECTED' && (
        <p role="alert" className="text-2xs break-words text-bad">
          {rejection(file)}
        </p>
      )}
      {movable && <MediaSteps fileName={file.fileName} index={index} count={count} onMove={onMove} />}
      {tab !== 'all' && (
        <label className="flex min-h-6 items-center gap-1.5 text-2xs text-muted max-sm:min-h-11">
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={!left}
            onChange={(event) => onUse(tab, event.target.checked)}
          />
          {t('useOn', { network: NETWORKS[tab].short })}
        </label>
      )}
      {describing && (
        <Suspense>
          <AltTextDialog onOpenChange={setDescribing} item={item} onFile={onFile} />
        </Suspense>
      )}
    </li>
  )
}
