import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell as BellIcon } from 'lucide-react'
import { clsx } from 'clsx'
import { useTranslations } from 'use-intl'
import { unreadQuery } from '../../../queries.ts'

const MOST = 99

/** A link to the notifications, with the number of unread ones. */
export function Bell({ compact }: { compact?: boolean }) {
  const t = useTranslations('shell')
  const { data: count = 0 } = useQuery(unreadQuery)
  return (
    <Link
      to="/notifications"
      title={t('notifications')}
      className={clsx(
        'relative grid shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-fg aria-[current=page]:text-accent-text',
        compact ? 'size-11' : 'size-8',
      )}
    >
      <BellIcon className={compact ? 'size-5' : 'size-4'} aria-hidden />
      <span className="sr-only">{t('notifications')}</span>
      {count > 0 && <span className="sr-only"> {t('unread', { count })}</span>}
      {count > 0 && (
        <span
          aria-hidden
          dir="ltr"
          className={clsx(
            'absolute min-w-4 rounded-full bg-fg px-1 text-center text-[0.625rem] leading-4 font-semibold text-surface ring-2 ring-bg',
            compact ? 'end-0.5 top-1' : '-end-0.5 -top-0.5',
          )}
        >
          {count > MOST ? `${MOST}+` : count}
        </span>
      )}
    </Link>
  )
}
