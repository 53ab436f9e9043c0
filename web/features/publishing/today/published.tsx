import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { fileUrl } from '../../../files.ts'
import { addDays, dateIn, weekdayFormat } from '../../../time.ts'
import { NetworkMarks } from '../../../ui/network.tsx'
import { Rows, RowTexts, Thumb } from '../../../ui/row.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import type { CalendarEntry } from '../calendar/entry.ts'
import { PostLink } from './post-link.tsx'
import { Section } from './section.tsx'

const MOST = 4

/** The most recently published posts. */
export function Published({ entries, today }: { entries: CalendarEntry[]; today: string }) {
  const t = useTranslations('today')
  const { ws } = usePlace()
  if (entries.length === 0) return null
  const all = (
    <Link to="/w/$ws/posts" params={{ ws }} search={{ status: 'PUBLISHED' }}>
      {t('allPublished')}
    </Link>
  )
  return (
    <Section title={t('published')} action={all}>
      <Rows>
        {entries.slice(0, MOST).map((entry) => (
          <Live key={entry.id} entry={entry} today={today} />
        ))}
      </Rows>
    </Section>
  )
}

function Live({ entry, today }: { entry: CalendarEntry; today: string }) {
  const t = useTranslations('today')
  const format = useFormatter()
  const { workspace } = usePlace()
  const timeZone = workspace.timezone
  const at = new Date(entry.happensAt)
  const day = dateIn(at, timeZone)
  const time = format.dateTime(at, { timeStyle: 'short', timeZone })
  const said =
    day === today
      ? t('todayAt', { time })
      : day === addDays(today, -1)
        ? t('yesterdayAt', { time })
        : format.dateTime(at, weekdayFormat(at, timeZone))
  return (
    <li className="relative flex min-h-(--row) items-center gap-3 px-3 py-1 hover:bg-hover">
      <Thumb url={fileUrl(entry.thumbnailUrl)} />
      <RowTexts
        title={<PostLink entry={entry} />}
        detail={
          <span className="flex items-center gap-1.5">
            <NetworkMarks platforms={entry.platforms} />
            {entry.status === 'PARTIALLY_PUBLISHED' ? (
              <span className="flex min-w-0 items-center gap-1 text-warn">
                <TriangleAlert className="size-3.5 shrink-0" aria-hidden />
                <span className="clip">{t('partly')}</span>
              </span>
            ) : (
              <span className="clip">{said}</span>
            )}
          </span>
        }
      />
    </li>
  )
}
