import { useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { fileUrl } from '../../../files.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'

interface Props {
  file: PostMedia['file']
  network: string
  at: number | null
  onClose: () => void
  /** null: the network chooses. */
  onChoose: (at: number | null) => void
}

/** Milliseconds per step, which is two or three frames of most videos. */
const STEP = 100

/** Scrubs through a video to choose its cover frame. */
export function CoverDialog({ file, network, at, onClose, onChoose }: Props) {
  const t = useTranslations('options')
  const common = useTranslations('common')
  const format = useFormatter()
  const player = useRef<HTMLVideoElement>(null)
  const [now, setNow] = useState(at ?? 0)
  const last = Math.max(0, Math.ceil((file.duration ?? 0) * 1000) - STEP)
  const move = (next: number) => {
    setNow(next)
    if (player.current) player.current.currentTime = next / 1000
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('coverTitle', { network })}
      description={t('coverHint')}
      footer={
        <>
          <Button onClick={() => onChoose(null)}>{t('coverClear', { network })}</Button>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button variant="primary" onClick={() => onChoose(now)}>
            {common('save')}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <video
          ref={player}
          src={fileUrl(file.storageUrl)}
          poster={fileUrl(file.thumbnailUrl)}
          muted
          playsInline
          preload="auto"
          aria-hidden
          tabIndex={-1}
          onLoadedMetadata={() => move(now)}
          className="max-h-40 justify-self-center rounded-lg"
        />
        <label className="flex min-h-8 items-center gap-3 text-13 max-sm:min-h-11">
          <span className="sr-only">{t('coverAt')}</span>
          <input
            type="range"
            className="grow accent-accent"
            min={0}
            max={last}
            step={STEP}
            value={now}
            aria-valuetext={t('coverSet', { seconds: now / 1000 })}
            onChange={(event) => move(Number(event.target.value))}
          />
          <bdi className="tabular-nums">{format.number(now / 1000, { minimumFractionDigits: 1 })}</bdi>
        </label>
      </div>
    </Dialog>
  )
}
