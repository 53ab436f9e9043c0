import { Link } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { buttonClass } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { usePlace } from '../../shell/workspace.tsx'

/** Shown when no post matches the filter. */
export function NothingMatches({ strip }: { strip: boolean }) {
  const t = useTranslations('posts')
  const { ws } = usePlace()
  const clear = (
    <Link
      to="/w/$ws/calendar"
      params={{ ws }}
      search={({ view, date }) => ({ view, date })}
      className={buttonClass('secondary')}
    >
      {t('clear')}
    </Link>
  )
  if (!strip) return <Empty icon={SearchX} title={t('noMatch')} role="status" actions={clear} />
  return (
    <p role="status" className="border-b bg-bg px-4 py-2.5 text-13 font-semibold lg:px-6">
      {t('noMatch')}
    </p>
  )
}

interface SkeletonProps {
  rows: number
  agenda: boolean
}

/** The placeholder of the calendar while it loads. */
export function CalendarSkeleton({ rows, agenda }: SkeletonProps) {
  if (agenda)
    return (
      <div className="grid gap-3 p-4" aria-hidden>
        {[1, 2, 3, 4].map((row) => (
          <div key={row} className="skeleton h-16" />
        ))}
      </div>
    )
  return (
    <div
      className="grid grow grid-cols-7 gap-px"
      style={{ gridTemplateRows: `2rem repeat(${rows}, minmax(7rem, 1fr))` }}
      aria-hidden
    >
      {Array.from({ length: 7 * (rows + 1) }, (_, cell) => (
        <div key={cell} className="p-2">
          {cell >= 7 && cell % 3 === 0 && <div className="skeleton h-8" />}
        </div>
      ))}
    </div>
  )
}
