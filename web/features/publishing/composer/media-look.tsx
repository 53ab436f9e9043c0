import { clsx } from 'clsx'
import { LoaderCircle, Play, TriangleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { fileUrl, playTime } from '../../../files.ts'

const mark = 'absolute rounded-md bg-black/75 px-1.5 text-2xs font-semibold text-white'

interface Props {
  file: PostMedia['file']
  /** What the picture is called while nobody has described it. */
  name: string
  /** Whether the network of the tab leaves it out. */
  left: boolean
}

/** The picture of a file, or its state while there is none, with its length and whether AI made it. */
export function MediaLook({ file, name, left }: Props) {
  const t = useTranslations('composer')
  return (
    <>
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
        <span className={clsx(mark, 'start-1.5 top-1.5 flex items-center gap-1 py-0.5 tabular-nums')}>
          <Play className="size-3 fill-current" aria-hidden />
          <span aria-hidden>{playTime(file.duration)}</span>
          <span className="sr-only">{t('lasts', { time: playTime(file.duration) })}</span>
        </span>
      )}
      {file.aiGenerated && (
        <span
          className={clsx(
            mark,
            'grid min-h-6 place-items-center max-sm:min-h-11',
            // A video has the button that trims it in the other corner.
            file.kind === 'VIDEO' ? 'start-1.5 top-8' : 'end-1.5 bottom-1.5',
          )}
        >
          <span aria-hidden>{t('aiShort')}</span>
          <span className="sr-only">{t('aiMade')}</span>
        </span>
      )}
    </>
  )
}
