import { clsx } from 'clsx'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useTranslations } from 'use-intl'

/** A number, or that it is not known: that is never 0. */
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
  /** Above 0: more than before. */
  by: number
  /** The change in words, without its sign. */
  words: string
}

/** Less than what the words show. */
const NOTHING = 0.0005

/** How much more or less it is than before. */
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
