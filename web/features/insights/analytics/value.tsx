import { clsx } from 'clsx'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useTranslations } from 'use-intl'

/** A number, or a dash if it is unknown. An unknown number never shows as 0. */
export function Value({ of, say }: { of: number | null; say: (value: number) => string }) {
  const t = useTranslations('figures')
  if (of !== null) return <bdi className="whitespace-nowrap">{say(of)}</bdi>
  return (
    <>
      <span aria-hidden className="text-muted">
        {t('none')}
      </span>
      <span className="sr-only">{t('noneSpoken')}</span>
    </>
  )
}

interface ChangeProps {
  /** Positive if the value has increased. */
  by: number
  /** The change as text, without its sign. */
  words: string
}

/** Smaller changes would display as zero. */
const NOTHING = 0.0005

/** How much a value has increased or decreased. */
export function Change({ by: exact, words }: ChangeProps) {
  const t = useTranslations('analytics')
  const by = Math.abs(exact) < NOTHING ? 0 : exact
  const Icon = by < 0 ? ArrowDown : ArrowUp
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-0.5 text-xs font-medium whitespace-nowrap',
        by < 0 ? 'text-bad' : by > 0 ? 'text-ok' : 'text-muted',
      )}
    >
      {by !== 0 && <Icon className="size-3" aria-hidden />}
      <span className="sr-only">{t(by < 0 ? 'less' : by > 0 ? 'more' : 'same', { value: words })}</span>
      <bdi aria-hidden>{words}</bdi>
    </span>
  )
}
