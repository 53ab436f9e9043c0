import { Pause, Play, RotateCcw, X } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { useProblemText } from '../../../problem.ts'
import { isVideo, type Pending, type Uploads } from './use-uploads.ts'

interface Props {
  pending: Pending
  uploads: Uploads
}

/** A file that is uploading. */
export default function PendingItem({ pending, uploads }: Props) {
  const t = useTranslations('composer')
  const format = useFormatter()
  const text = useProblemText()
  const { error, file, phase, preview, progress } = pending
  const final = error === 'type' || error === 'size'
  const video = isVideo(file)
  const tooLarge = t(video ? 'videoTooLarge' : 'pictureTooLarge')
  const why = error === 'type' ? t('wrongType') : error === 'size' ? tooLarge : error ? text(error) : null
  return (
    <li className="grid w-28 gap-1 max-sm:w-[8.5rem]">
      <div className="relative h-28 overflow-hidden rounded-lg border bg-sunken max-sm:h-[8.5rem]">
        {preview && !video && <img src={preview} alt="" className="size-full object-cover opacity-40" />}
        {preview && video && (
          <video
            src={preview}
            muted
            playsInline
            preload="metadata"
            aria-hidden
            tabIndex={-1}
            className="size-full object-cover opacity-40"
          />
        )}
        <button
          type="button"
          onClick={() => uploads.remove(pending.key)}
          aria-label={t(error ? 'removeMedia' : 'cancelUpload', { name: file.name })}
          className="absolute end-1.5 top-1.5 grid size-6 place-items-center rounded-md bg-black/75 text-white hover:bg-black max-sm:size-11"
        >
          <X className="size-3.5" aria-hidden />
        </button>
        {error !== null && !final && (
          <button
            type="button"
            onClick={() => uploads.retry(pending)}
            className="absolute inset-x-2 bottom-2 flex min-h-7 items-center justify-center gap-1 rounded-md bg-surface max-sm:min-h-11 text-xs font-medium shadow-card"
          >
            <RotateCcw className="size-3.5" aria-hidden />
            {t('retryUpload')}
          </button>
        )}
        {error === null && (
          <button
            type="button"
            onClick={() => uploads.togglePause(pending)}
            aria-label={t(phase === 'paused' ? 'resumeUpload' : 'pauseUpload', { name: file.name })}
            className="absolute start-1.5 top-1.5 grid size-6 place-items-center rounded-md bg-black/75 text-white hover:bg-black max-sm:size-11"
          >
            {phase === 'paused' ? (
              <Play className="size-3.5" aria-hidden />
            ) : (
              <Pause className="size-3.5" aria-hidden />
            )}
          </button>
        )}
        {error === null && phase !== 'sending' && (
          <p role="status" className="absolute inset-x-2 bottom-2 rounded-md bg-surface p-1 text-2xs shadow-card">
            {t(phase === 'paused' ? 'uploadPaused' : 'uploadWaiting')}
          </p>
        )}
      </div>
      {why ? (
        <p role="alert" className="text-2xs break-words text-bad">
          {why}
        </p>
      ) : (
        <div
          role="progressbar"
          aria-label={t('uploading', { name: file.name })}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(progress * 100)}
          className="flex items-center gap-1.5"
        >
          <span className="h-1.5 grow overflow-hidden rounded-full bg-hover">
            <span
              className="block h-full rounded-full bg-accent transition-[width]"
              style={{ width: `${Math.round(progress * 100)}%` }}
            />
          </span>
          <bdi className="w-9 text-end text-2xs text-muted tabular-nums">
            {format.number(progress, { style: 'percent' })}
          </bdi>
        </div>
      )}
    </li>
  )
}
