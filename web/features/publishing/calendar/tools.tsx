import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { browserZone } from '../../../i18n.tsx'
import { withKey } from '../../../shortcuts.ts'
import { startOf, zoneLabel } from '../../../time.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { type CalendarView, VIEWS } from './views.ts'

interface HeadingProps {
  view: CalendarView
  date: string
  first: string
  last: string
  zone: string
}

/** The shown period and its zone. */
export function Heading({ view, date, first, last, zone }: HeadingProps) {
  const t = useTranslations('calendar')
  const format = useFormatter()
  const locale = useLocale()
  const local = browserZone()
  const noon = (day: string) => new Date(`${day}T12:00Z`)
  return (
    <span className="flex flex-wrap items-baseline gap-x-2.5">
      {view === 'week' || view === 'weeks'
        ? format.dateTimeRange(noon(first), noon(last), {
            day: 'numeric',
            month: 'short',
            year: 'numeric',
            timeZone: 'UTC',
          })
        : format.dateTime(noon(`${date.slice(0, 7)}-01`), { month: 'long', year: 'numeric', timeZone: 'UTC' })}
      <span
        className="text-xs font-normal tracking-normal text-muted"
        title={
          local === zone
            ? undefined
            : t('zoneBoth', { zone: zone.replaceAll('_', ' '), local: local.replaceAll('_', ' ') })
        }
      >
        <bdi>{zoneLabel(zone, startOf(first > date ? first : date, zone), locale)}</bdi>
      </span>
    </span>
  )
}

interface ToolsProps {
  shown: CalendarView
  previous: string
  next: string
}

/** Buttons for the previous and next period and for today. */
export function Tools({ shown, previous, next }: ToolsProps) {
  const t = useTranslations('calendar')
  const { ws } = usePlace()
  const rtl = document.documentElement.dir === 'rtl'
  const at = { to: '/w/$ws/calendar', params: { ws } } as const
  const ways = {
    month: { back: t('previous'), on: t('next') },
    agenda: { back: t('previous'), on: t('next') },
    week: { back: t('previousWeek'), on: t('nextWeek') },
    weeks: { back: t('previousWeeks'), on: t('nextWeeks') },
  }[shown]
  return (
    <div className="flex items-center">
      <Link
        {...at}
        search={(before) => ({ ...before, date: previous })}
        aria-label={ways.back}
        aria-keyshortcuts={rtl ? 'ArrowRight' : 'ArrowLeft'}
        title={withKey(ways.back, rtl ? '→' : '←')}
        className={buttonClass('ghost', 'icon')}
      >
        <ChevronLeft className="size-4 rtl:rotate-180" aria-hidden />
      </Link>
      <Link
        {...at}
        search={(before) => ({ ...before, date: undefined })}
        aria-keyshortcuts="T"
        title={withKey(t('today'), 'T')}
        className={buttonClass('secondary')}
      >
        {t('today')}
      </Link>
      <Link
        {...at}
        search={(before) => ({ ...before, date: next })}
        aria-label={ways.on}
        aria-keyshortcuts={rtl ? 'ArrowLeft' : 'ArrowRight'}
        title={withKey(ways.on, rtl ? '←' : '→')}
        className={buttonClass('ghost', 'icon')}
      >
        <ChevronRight className="size-4 rtl:rotate-180" aria-hidden />
      </Link>
    </div>
  )
}

const KEYS: Record<CalendarView, string> = { weeks: 'F', month: 'M', week: 'W', agenda: 'L' }

/** Switches between the views. */
export function ViewSwitch({ shown }: { shown: CalendarView }) {
  const t = useTranslations('calendar')
  const { ws } = usePlace()
  return (
    <nav aria-label={t('view')} className="segments max-md:w-full">
      {VIEWS.map((one) => (
        <Link
          key={one}
          to="/w/$ws/calendar"
          params={{ ws }}
          search={(before) => ({ ...before, view: one })}
          activeOptions={{ exact: true }}
          aria-current={shown === one ? 'page' : undefined}
          aria-keyshortcuts={KEYS[one]}
          title={withKey(t(one), KEYS[one])}
          className="segment max-md:min-h-11 max-md:grow max-md:justify-center max-md:px-1"
        >
          {t(one)}
        </Link>
      ))}
    </nav>
  )
}
