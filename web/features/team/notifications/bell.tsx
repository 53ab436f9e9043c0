import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell as BellIcon } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { unreadQuery } from '../../../queries.ts'

const MOST = 99

/** The way to what one was told, with how much of it is unread. */
export function Bell({ compact }: { compact?: boolean }) {
  const t = useTranslations('shell')
  const { data: count = 0 } = useQuery(unreadQuery)
  return (
    <Link
      to="/notifications"
      className={
        compact
          ? 'relative grid size-11 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-fg aria-[current=page]:text-accent-text'
          : 'flex min-h-8 items-center gap-2.5 rounded-md px-2.5 text-13 font-medium text-muted hover:bg-hover hover:text-fg aria-[current=page]:bg-hover aria-[current=page]:text-fg'
      }
    >
      <BellIcon className={compact ? 'size-5' : 'size-4'} aria-hidden />
      <span className={compact ? 'sr-only' : 'grow'}>{t('notifications')}</span>
      {count > 0 && <span className="sr-only"> {t('unread', { count })}</span>}
      {count > 0 && (
        <span
          aria-hidden
          dir="ltr"
          className={`min-w-4.5 rounded-full bg-accent px-1 text-center text-2xs leading-4.5 font-semibold text-on-accent ${compact ? 'absolute end-0.5 top-1' : ''}`}
        >
          {count > MOST ? `${MOST}+` : count}
        </span>
      )}
    </Link>
  )
}
