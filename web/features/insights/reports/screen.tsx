import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FileChartColumn, Plus, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Report } from '../../../../src/insights/reports/api.ts'
import { Button } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { Page } from '../../../ui/page.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Rows } from '../../../ui/row.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { InsightTabs } from '../tabs.tsx'
import { reportsQuery, snapshotsQuery } from './queries.ts'
import { SnapshotRow } from './snapshots.tsx'
import { useReportWords } from './words.ts'

const ReportEditor = lazy(() => import('./editor.tsx'))

/** The reports of the workspace. A client sees only those shared with clients. */
export function ReportsScreen() {
  const t = useTranslations('reports')
  const { membership } = usePlace()
  const refused = refusal(membership, 'listReportSnapshots')
  if (refused)
    return (
      <Page title={t('title')}>
        <Refused refused={refused} />
      </Page>
    )
  return membership.role === 'CLIENT' ? <Shared /> : <Reports />
}

const skeleton = <div className="skeleton mx-auto my-6 h-48 w-full max-w-4xl" aria-hidden />

const List = ({ children }: { children: ReactNode }) => (
  <div className="mx-auto grid w-full max-w-4xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 lg:px-6">
    {children}
  </div>
)

function Reports() {
  const t = useTranslations('reports')
  const { ws } = usePlace()
  const may = useMay('createReport')
  const query = useInfiniteQuery(reportsQuery(ws))
  const [making, setMaking] = useState(false)
  const add = !may.hidden && (
    <Button variant="primary" reason={may.reason} onClick={() => setMaking(true)}>
      <Plus className="size-4" aria-hidden />
      {t('new')}
    </Button>
  )
  return (
    <Page title={t('title')} actions={add}>
      <InsightTabs current="reports" />
      <Loaded query={query} skeleton={skeleton}>
        {({ pages }) => {
          const reports = pages.flatMap(({ data }) => data)
          if (reports.length === 0)
            return (
              <Empty icon={FileChartColumn} title={t('none')} actions={add}>
                {t('noneBody')}
              </Empty>
            )
          return (
            <List>
              <p className="text-13 text-muted">{t('lead')}</p>
              <Rows aria-label={t('title')}>
                {reports.map((report) => (
                  <Row key={report.id} report={report} />
                ))}
              </Rows>
              <More query={query} label={t('more')} />
            </List>
          )
        }}
      </Loaded>
      {making && <ReportEditor report={null} onClose={() => setMaking(false)} />}
    </Page>
  )
}

function Row({ report }: { report: Report }) {
  const t = useTranslations('reports')
  const say = useReportWords()
  const { ws } = usePlace()
  const { range, nextMailOn, mails } = report
  const failed = mails.filter(({ state }) => state === 'failed')
  const [first] = failed
  return (
    <li className="grid min-h-(--row) content-center px-4 py-2.5 text-13">
      <Link
        to="/w/$ws/analytics/reports/$id"
        params={{ ws, id: report.id }}
        className="inline-flex min-h-6 w-fit max-w-full min-w-6 items-center font-medium break-words hover:underline max-sm:min-h-11 max-sm:min-w-11"
      >
        <bdi>{report.name}</bdi>
      </Link>
      <p className="text-xs text-muted">
        {range === 'last_month' ? t('lastMonthOf') : say.period(range.from, range.to)}
        {nextMailOn !== null && ` · ${t('nextMail', { day: say.day(nextMailOn) })}`}
      </p>
      {first && (
        <p className="flex items-center gap-1.5 text-xs text-bad">
          <TriangleAlert className="size-3.5 shrink-0" aria-hidden />
          {t('failedMails', { count: failed.length, month: say.month(first.month) })}
        </p>
      )}
    </li>
  )
}

function Shared() {
  const t = useTranslations('reports')
  const { ws } = usePlace()
  const query = useInfiniteQuery(snapshotsQuery(ws))
  return (
    <Page title={t('title')}>
      <InsightTabs current="reports" />
      <Loaded query={query} skeleton={skeleton}>
        {({ pages }) => {
          const snapshots = pages.flatMap(({ data }) => data)
          if (snapshots.length === 0)
            return (
              <Empty icon={FileChartColumn} title={t('noneShared')}>
                {t('noneSharedBody')}
              </Empty>
            )
          return (
            <List>
              <Rows aria-label={t('title')}>
                {snapshots.map((snapshot) => (
                  <SnapshotRow key={snapshot.id} snapshot={snapshot} />
                ))}
              </Rows>
              <More query={query} label={t('more')} />
            </List>
          )
        }}
      </Loaded>
    </Page>
  )
}
