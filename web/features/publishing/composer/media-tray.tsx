import { clsx } from 'clsx'
import { ImagePlus, Images } from 'lucide-react'
import { type DragEvent, type RefObject, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { factsOf } from '../../../../src/networks/rules.ts'
import { kindOf } from '../../../../src/publishing/posts/compose/rules.ts'
import { cropTexts, failedTexts } from '../../../i18n.tsx'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { type Draft, moved, placed, type Tab, withMediaOn, withoutMedia, withTrimmed } from './draft.ts'
import { useOwnersLimit } from './owners-checks.ts'
import { ACCEPTED, type Uploads } from './use-uploads.ts'

interface Props {
  draft: Draft
  tab: Tab
  platforms: readonly Platform[]
  edit: (change: (draft: Draft) => Draft) => void
  uploads: Uploads
  picker: RefObject<HTMLInputElement | null>
  /** The networks that can still change. Media already live elsewhere stay. */
  only?: Platform[] | undefined
}

// Loaded with the first file.
const MediaItem = lazy(async () => ({ default: (await import('./media-item.tsx')).MediaItem }))
const PendingItem = lazy(() => import('./pending-item.tsx'))
const CropDialog = lazy(async () => {
  const [{ CropDialog: dialog }] = await Promise.all([import('./crop-dialog.tsx'), cropTexts()])
  return { default: dialog }
})
const TrimDialog = lazy(async () => {
  const [{ TrimDialog: dialog }] = await Promise.all([import('./trim-dialog.tsx'), cropTexts()])
  return { default: dialog }
})
const MediaPicker = lazy(async () => {
  const [{ MediaPicker: picker }] = await Promise.all([import('../media/picker.tsx'), failedTexts()])
  return { default: picker }
})

/** The post's pictures and videos in order, running uploads, and a drop area. */
export function MediaTray({ draft, tab, platforms, edit, uploads, picker, only }: Props) {
  const t = useTranslations('composer')
  const [over, setOver] = useState(false)
  const [picking, setPicking] = useState(false)
  const [cropping, setCropping] = useState<string | null>(null)
  const [trimming, setTrimming] = useState<string | null>(null)
  const [said, setSaid] = useState('')
  const { media } = draft
  const networks = tab === 'all' ? (only ?? PLATFORM_ORDER) : [tab]
  const cropped = media.find(({ mediaFileId }) => mediaFileId === cropping)
  const trimmed = media.find(({ mediaFileId }) => mediaFileId === trimming)
  const owners = useOwnersLimit(draft.targets, platforms)
  const longest = Math.min(
    owners,
    ...platforms.map((one) => factsOf(one, kindOf(draft, one)).video?.seconds.max ?? Infinity),
  )
  const isFixed = (item: (typeof media)[number]) =>
    only !== undefined && (item.platforms ?? PLATFORM_ORDER).some((one) => !only.includes(one))
  const move = (id: string, by: -1 | 1) => {
    const index = media.findIndex((item) => item.mediaFileId === id)
    const position = index + by + 1
    if (position < 1 || position > media.length) return
    edit((current) => ({ ...current, media: moved(current.media, id, by) }))
    setSaid(t('movedTo', { position, count: media.length }))
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    uploads.add(event.dataTransfer.files)
  }
  const empty = media.length === 0 && uploads.pending.length === 0
  return (
    <section
      id="field-media"
      tabIndex={-1}
      aria-label={t('media')}
      className={clsx('min-w-0 border-t px-4 py-3 outline-none', over && 'bg-accent-soft')}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        ref={picker}
        type="file"
        className="hidden"
        accept={ACCEPTED.join(',')}
        multiple
        tabIndex={-1}
        aria-label={t('addMedia')}
        onChange={(event) => {
          uploads.add(event.target.files ?? [])
          event.target.value = ''
        }}
      />
      <ol className="flex flex-wrap gap-3">
        <Suspense>
          {media.map((item, index) => (
            <MediaItem
              key={item.mediaFileId}
              item={item}
              index={index}
              count={media.length}
              tab={tab}
              fixed={isFixed(item)}
              onMove={(by) => move(item.mediaFileId, by)}
              onPlace={(id) => {
                edit((current) => ({ ...current, media: placed(current.media, id, item.mediaFileId) }))
                setSaid(t('movedTo', { position: index + 1, count: media.length }))
              }}
              onRemove={() => edit((current) => withoutMedia(current, item.mediaFileId))}
              onCrop={
                item.file.kind === 'IMAGE' && item.file.storageUrl ? () => setCropping(item.mediaFileId) : undefined
              }
              cropped={networks.some((one) => item.crops[one])}
              onTrim={
                item.file.kind === 'VIDEO' && item.file.storageUrl ? () => setTrimming(item.mediaFileId) : undefined
              }
              onUse={(platform, on) => edit((current) => withMediaOn(current, item.mediaFileId, platform, on))}
              onFile={(file) =>
                edit((current) => ({
                  ...current,
                  media: current.media.map((one) => (one.mediaFileId === item.mediaFileId ? { ...one, file } : one)),
                }))
              }
            />
          ))}
          {uploads.pending.map((one) => (
            <PendingItem key={one.key} pending={one} uploads={uploads} />
          ))}
        </Suspense>
        <li className={empty ? 'flex w-full flex-wrap items-center gap-2' : 'grid w-28 content-start gap-1'}>
          <button
            type="button"
            onClick={() => picker.current?.click()}
            className={clsx(
              'flex items-center justify-center gap-2 rounded-lg border border-dashed border-control text-13 text-muted hover:bg-hover hover:text-fg',
              empty ? 'min-h-11 grow px-3' : 'h-19 flex-col',
              over && 'border-accent text-accent-text',
            )}
          >
            <ImagePlus className="size-5" aria-hidden />
            {empty ? t('dropHere') : t('addMore')}
          </button>
          <Button variant="ghost" size="sm" onClick={() => setPicking(true)}>
            <Images className="size-4" aria-hidden />
            {t('fromLibrary')}
          </Button>
        </li>
      </ol>
      {cropped && (
        <Suspense>
          <CropDialog draft={draft} item={cropped} networks={networks} edit={edit} onClose={() => setCropping(null)} />
        </Suspense>
      )}
      {trimmed && (
        <Suspense>
          <TrimDialog
            item={trimmed}
            most={longest}
            onClose={() => setTrimming(null)}
            onTrimmed={(file) =>
              edit((current) => withTrimmed(current, trimmed.mediaFileId, file, isFixed(trimmed) ? only : undefined))
            }
          />
        </Suspense>
      )}
      {picking && (
        <Suspense>
          <MediaPicker
            taken={media.map(({ mediaFileId }) => mediaFileId)}
            onClose={() => setPicking(false)}
            onPick={(files) => {
              for (const file of files) uploads.take(file)
            }}
          />
        </Suspense>
      )}
      <span role="status" className="sr-only">
        {said}
      </span>
    </section>
  )
}
