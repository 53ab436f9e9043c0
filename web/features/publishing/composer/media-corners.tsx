import { clsx } from 'clsx'
import { Crop, type LucideIcon, Scissors, X } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'

const disc = 'grid place-items-center rounded-md'
const dark = 'bg-black/75 text-white hover:bg-black'
const done = 'bg-ok-soft text-ok'

interface Props {
  file: PostMedia['file']
  index: number
  onDescribe: () => void
  /** Each is absent if the file does not allow it. */
  onTrim: (() => void) | undefined
  onCrop: (() => void) | undefined
  onRemove: (() => void) | undefined
  cropped: boolean
}

/** The actions in the corners of a picture or video. */
export function MediaCorners({ file, index, onDescribe, onTrim, onCrop, onRemove, cropped }: Props) {
  const t = useTranslations('composer')
  const name = file.fileName
  return (
    <>
      {onTrim && (
        <Corner
          id={`field-trim-${index}`}
          icon={Scissors}
          label={t('trim', { name })}
          title={t('trim', { name })}
          place="end-0 bottom-0"
          onClick={onTrim}
        />
      )}
      <button
        type="button"
        onClick={onDescribe}
        className="absolute start-0 bottom-0 grid h-9 place-items-center px-1.5 max-sm:h-11 max-sm:min-w-11"
      >
        <span className={clsx(disc, 'h-6 px-1.5 text-2xs font-semibold max-sm:h-7', file.altText ? done : dark)}>
          {file.altText ? 'ALT ✓' : '+ ALT'}
        </span>
        <span className="sr-only">{t(file.altText ? 'editAlt' : 'addAlt', { name })}</span>
      </button>
      {onCrop && (
        <Corner icon={Crop} label={t('crop', { name })} place="start-0 top-0" done={cropped} onClick={onCrop} />
      )}
      {onRemove && <Corner icon={X} label={t('removeMedia', { name })} place="end-0 top-0" onClick={onRemove} />}
    </>
  )
}

interface CornerProps {
  id?: string
  icon: LucideIcon
  label: string
  title?: string
  place: string
  done?: boolean
  onClick: () => void
}

/** A corner button. Its target is larger than its visible part. */
const Corner = ({ icon: Icon, label, place, done: isDone, ...rest }: CornerProps) => (
  <button
    type="button"
    aria-label={label}
    className={clsx('absolute grid size-9 place-items-center max-sm:size-11', place)}
    {...rest}
  >
    <span className={clsx(disc, 'size-6 max-sm:size-7', isDone ? done : dark)}>
      <Icon className="size-3.5" aria-hidden />
    </span>
  </button>
)
