import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ArrowLeft, ArrowRight, Crop, LoaderCircle, Play, Scissors, TriangleAlert, X } from 'lucide-react'
import { type KeyboardEvent, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { fileUrl, playTime } from '../../../files.ts'
import { NETWORKS } from '../../../labels.ts'
import { useRejectionWords } from '../../../service-words.ts'
import { mediaQuery } from '../../../queries.ts'
import { usePlace } from '../../shell/workspace.tsx'
import type { Tab } from './draft.ts'
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

/** A corner button on the picture. Its target is larger than its visible part. */
const corner = 'absolute grid size-9 place-items-center max-sm:size-11'
const disc = 'grid size-6 place-items-center rounded-md max-sm:size-7'
const dark = 'bg-black/75 text-white hover:bg-black'
const small =
  'grid size-7 place-items-center rounded-md text-muted hover:bg-hover hover:text-fg aria-disabled:opacity-40 max-sm:size-11'

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
  const look = useOrder(place, item.mediaFileId, !fixed && count > 1, onPlace)
  const [describing, setDescribing] = useState(false)
  const { file } = item
  const fresh = useQuery({ ...mediaQuery(ws, item.mediaFileId), enabled: file.state === 'PROCESSING' })
  const { data } = fresh
  useEffect(() => {
    if (data && data.state !== file.state) onFile({ ...file, ...data })
  })
  const keys = (event: KeyboardEvent) => {
    if (fixed || !event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return
    event.preventDefault()
    const forward = (event.key === 'ArrowRight') !== (document.documentElement.dir === 'rtl')
    onMove(forward ? 1 : -1)
  }
  const name = t(file.kind === 'VIDEO' ? 'videoOf' : 'pictureOf', { position: index + 1, count, name: file.fileName })
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
        {file.thumbnailUrl || file.storageUrl ? (
          <img
            src={fileUrl(file.thumbnailUrl ?? file.storageUrl)}
            alt={file.altText || name}
            draggable={false}
            className={clsx('size-full object-cover', left && 'opacity-30 grayscale')}
          />
        ) : (
          <span className="grid size-full place-items-center text-muted">
            {file.state === 'REJECTED' ? (
              <TriangleAlert className="size-5 text-bad" aria-label={t('rejected')} />
            ) : (
              <LoaderCircle className="size-5 motion-safe:animate-spin" aria-label={t('processing')} />
            )}
          </span>
        )}
        {file.duration !== null && (
          <span className="absolute start-1.5 top-1.5 flex items-center gap-1 rounded-md bg-black/75 px-1.5 py-0.5 text-2xs font-semibold text-white tabular-nums">
            <Play className="size-3 fill-current" aria-hidden />
            <span aria-hidden>{playTime(file.duration)}</span>
            <span className="sr-only">{t('lasts', { time: playTime(file.duration) })}</span>
          </span>
        )}
        {onTrim && (
          <button
            id={`field-trim-${index}`}
            type="button"
            onClick={onTrim}
            aria-label={t('trim', { name: file.fileName })}
            title={t('trim', { name: file.fileName })}
            className={clsx(corner, 'end-0 bottom-0')}
          >
            <span className={clsx(disc, dark)}>
              <Scissors className="size-3.5" aria-hidden />
            </span>
          </button>
        )}
        {file.aiGenerated && (
          <span className="absolute end-1.5 bottom-1.5 grid min-h-6 place-items-center rounded-md bg-black/75 px-1.5 text-2xs font-semibold text-white max-sm:min-h-11">
            <span aria-hidden>{t('aiShort')}</span>
            <span className="sr-only">{t('aiMade')}</span>
          </span>
        )}
        <button
          type="button"
          onClick={() => setDescribing(true)}
          className="absolute start-0 bottom-0 grid h-9 place-items-center px-1.5 max-sm:h-11 max-sm:min-w-11"
        >
          <span
            className={clsx(
              'grid h-6 place-items-center rounded-md px-1.5 text-2xs font-semibold max-sm:h-7',
              file.altText ? 'bg-ok-soft text-ok' : dark,
            )}
          >
            {file.altText ? 'ALT ✓' : '+ ALT'}
          </span>
          <span className="sr-only">{t(file.altText ? 'editAlt' : 'addAlt', { name: file.fileName })}</span>
        </button>
        {onCrop && (
          <button
            type="button"
            onClick={onCrop}
            aria-label={t('crop', { name: file.fileName })}
            className={clsx(corner, 'start-0 top-0')}
          >
            <span className={clsx(disc, cropped ? 'bg-ok-soft text-ok' : dark)}>
              <Crop className="size-3.5" aria-hidden />
            </span>
          </button>
        )}
        {!fixed && (
          <button
            type="button"
            onClick={onRemove}
            aria-label={t('removeMedia', { name: file.fileName })}
            className={clsx(corner, 'end-0 top-0')}
          >
            <span className={clsx(disc, dark)}>
              <X className="size-3.5" aria-hidden />
            </span>
          </button>
        )}
      </div>
      {file.state === 'REJECTED' && (
        <p role="alert" className="text-2xs break-words text-bad">
          {rejection(file)}
        </p>
      )}
      {!fixed && count > 1 && (
        <div className="flex items-center justify-between">
          <button
            type="button"
            className={small}
            aria-label={t('moveLeft', { name: file.fileName })}
            aria-disabled={index === 0 || undefined}
            onClick={() => onMove(-1)}
          >
            <ArrowLeft className="size-4 rtl:rotate-180" aria-hidden />
          </button>
          <span className="text-2xs text-muted tabular-nums" aria-hidden>
            {index + 1}/{count}
          </span>
          <button
            type="button"
            className={small}
            aria-label={t('moveRight', { name: file.fileName })}
            aria-disabled={index === count - 1 || undefined}
            onClick={() => onMove(1)}
          >
            <ArrowRight className="size-4 rtl:rotate-180" aria-hidden />
          </button>
        </div>
      )}
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
