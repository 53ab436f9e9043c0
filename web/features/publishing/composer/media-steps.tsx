import { ArrowLeft, ArrowRight } from 'lucide-react'
import { useTranslations } from 'use-intl'

const button =
  'grid size-7 place-items-center rounded-md text-muted hover:bg-hover hover:text-fg aria-disabled:opacity-40 max-sm:size-11'

interface Props {
  fileName: string
  index: number
  count: number
  onMove: (by: -1 | 1) => void
}

/** The position of an item in the tray, between buttons that move it by one. */
export function MediaSteps({ fileName, index, count, onMove }: Props) {
  const t = useTranslations('composer')
  return (
    <div className="flex items-center justify-between">
      <button
        type="button"
        className={button}
        aria-label={t('moveLeft', { name: fileName })}
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
        className={button}
        aria-label={t('moveRight', { name: fileName })}
        aria-disabled={index === count - 1 || undefined}
        onClick={() => onMove(1)}
      >
        <ArrowRight className="size-4 rtl:rotate-180" aria-hidden />
      </button>
    </div>
  )
}
