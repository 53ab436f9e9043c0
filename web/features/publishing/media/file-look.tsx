import { useFormatter, useTranslations } from 'use-intl'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { fileUrl, playTime } from '../../../files.ts'
import { DAY } from '../../../time.ts'

/** A file as a picture or a video, and its size, length and age. */
export function FileLook({ file }: { file: MediaFile }) {
  const t = useTranslations('library')
  const composer = useTranslations('composer')
  const format = useFormatter()
  return (
    <>
      {file.kind === 'VIDEO' && file.storageUrl ? (
        <video
          src={fileUrl(file.storageUrl)}
          poster={fileUrl(file.thumbnailUrl)}
          controls
          muted
          playsInline
          aria-label={file.fileName}
          className="max-h-40 justify-self-center rounded-lg"
        />
      ) : (
        file.thumbnailUrl && (
          <img
            src={fileUrl(file.thumbnailUrl)}
            alt={file.altText}
            className="max-h-40 justify-self-center rounded-lg"
          />
        )
      )}
      <p className="text-xs text-muted">
        {file.width !== null && file.height !== null && (
          <>
            <bdi dir="ltr">{`${file.width} × ${file.height} px`}</bdi> ·{' '}
          </>
        )}
        {file.duration !== null && (
          <>
            <bdi dir="ltr">{playTime(file.duration)}</bdi> ·{' '}
          </>
        )}
        {t('size', { size: format.number(Math.max(file.fileSize / 1e6, 0.01), { maximumFractionDigits: 2 }) })} ·{' '}
        {format.dateTime(new Date(file.createdAt), DAY)}
        {file.state === 'PROCESSING' && ` · ${composer('processing')}`}
      </p>
    </>
  )
}
