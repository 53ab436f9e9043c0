import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarPlus, RefreshCw } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { dateIn } from '../../../time.ts'
import { Button } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import type { CalendarEntry } from '../calendar/entry.ts'
import { type Attention, useAttention } from './attention.ts'
import { AttentionList } from './attention-list.tsx'
import { FirstWeek } from './first-week.tsx'
import { useHeadline } from './headline.ts'
import { Published } from './published.tsx'
import { aroundQuery } from './query.ts'
import { Section } from './section.tsx'
import { TodaySkeleton } from './skeleton.tsx'
import { useNow } from '../../../now.ts'
import { Timeline } from './timeline.tsx'

/** The start of a working day: what needs attention, the next posts, and the latest ones. */
export function TodayScreen() {
  const t = useTranslations('today')
  const format = useFormatter()
  const { membership, workspace } = usePlace()
  const refused = refusal(membership, 'listTrouble')
  const now = useNow()
  const day = format.dateTime(now, { weekday: 'long', day: 'numeric', month: 'long', timeZone: workspace.timezone })
  return (
    <Page
      title={t('title')}
      heading={
        <>
          {t('title')} <span className="ms-1 text-13 font-normal tracking-normal text-faint">{day}</span>
        </>
      }
      actions={!refused && <Renew />}
    >
      {refused ? <Refused refused={refused} /> : <Today today={dateIn(now, workspace.timezone)} />}
    </Page>
  )
}

function useAround(today: string) {
  const { ws, workspace } = usePlace()
  return useQuery(aroundQuery(ws, today, workspace.timezone))
}

/** When the data was loaded, with a button to reload it. */
function Renew() {
  const t = useTranslations('today')
  const format = useFormatter()
  const { membership, workspace } = usePlace()
  const around = useAround(dateIn(new Date(), workspace.timezone))
  const attention = useAttention(membership)
  const read = format.dateTime(around.dataUpdatedAt, { timeStyle: 'short', timeZone: workspace.timezone })
  return (
    <>
      {around.data && (
        <span className="text-xs text-faint tabular-nums max-sm:hidden">{t('updated', { time: read })}</span>
      )}
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('refresh')}
        title={t('refresh')}
        busy={around.isFetching}
        onClick={() => void Promise.all([around.refetch(), attention.refetch()])}
      >
        <RefreshCw className="size-4" aria-hidden />
      </Button>
    </>
  )
}

function Today({ today }: { today: string }) {
  const { membership } = usePlace()
  const around = useAround(today)
  const attention = useAttention(membership)
  if (attention.isLoading) return <TodaySkeleton />
  return (
    <Loaded query={around} skeleton={<TodaySkeleton />}>
      {(entries) => <Content entries={entries} attention={attention} today={today} />}
    </Loaded>
  )
}

/** A draft is ahead until its time; a scheduled post until it is published. */
const isAhead = ({ status, happensAt }: CalendarEntry) =>
  status === 'SCHEDULED' || status === 'PUBLISHING' || (status === 'DRAFT' && Date.parse(happensAt) > Date.now())

const isLive = ({ status }: CalendarEntry) => status === 'PUBLISHED' || status === 'PARTIALLY_PUBLISHED'

function Content({ entries, attention, today }: { entries: CalendarEntry[]; attention: Attention; today: string }) {
  const t = useTranslations('today')
  const headline = useHeadline()
  const { ws } = usePlace()
  const manages = !useMay('startConnection').hidden
  const ahead = entries.filter(isAhead)
  const next = ahead.find(({ status }) => status === 'SCHEDULED')?.happensAt
  const pictures = new Map(entries.flatMap(({ id, thumbnailUrl }) => (thumbnailUrl ? [[id, thumbnailUrl]] : [])))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-x-8 px-4 py-6 lg:grid-cols-[minmax(0,1fr)_20rem] lg:px-6 lg:pt-7">
      <h2 className="mb-5 text-xl font-semibold tracking-tight lg:col-span-2">
        {headline(attention.count, next, today)}
      </h2>
      <div className="min-w-0">
        <AttentionList attention={attention} pictures={pictures} />
        <Section
          title={t('next')}
          action={
            <Link to="/w/$ws/calendar" params={{ ws }}>
              {t('openCalendar')}
            </Link>
          }
        >
          {ahead.length > 0 ? (
            <Timeline entries={ahead} today={today} />
          ) : (
            <div className="rounded-lg border border-dashed border-line-strong">
              <FirstSteps icon={CalendarPlus} title={t('nothingPlanned')} />
            </div>
          )}
        </Section>
      </div>
      <div className="min-w-0">
        <Published entries={entries.filter(isLive).toReversed()} today={today} />
        {manages && <FirstWeek />}
      </div>
    </div>
  )
}
