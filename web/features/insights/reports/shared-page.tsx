import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SharedReport } from '../../../../src/insights/reports/api.ts'
import { Button } from '../../../ui/button.tsx'
import { useTitle } from '../../../ui/page.tsx'
import { LinkHead, LinkPage } from '../../shell/link-page.tsx'
import { sharedReportQuery } from './queries.ts'
import { ReportView } from './view.tsx'
import { useReportWords } from './words.ts'

/** A report for people without an account. */
export function SharedReportPage({ token }: { token: string }) {
  return (
    <LinkPage query={useQuery(sharedReportQuery(token))} className="max-w-4xl">
      {(report) => <Shown report={report} />}
    </LinkPage>
  )
}

function Shown({ report }: { report: SharedReport }) {
  const t = useTranslations('reports')
  const say = useReportWords()
  const { workspace, name, endsAt, createdAt } = report
  useTitle(name)
  return (
    <>
      <LinkHead
        workspace={workspace.name}
        actions={
          <Button size="sm" onClick={() => window.print()}>
            <Printer className="size-3.5" aria-hidden />
            {t('print')}
          </Button>
        }
      >
        <h1 className="text-base font-semibold break-words">
          <bdi>{name}</bdi>
        </h1>
      </LinkHead>
      <main className="grid grid-cols-[minmax(0,1fr)] gap-6 px-4 py-5">
        <ReportView report={report} timeZone={workspace.timezone} at={createdAt} />
        <p className="text-xs text-muted">{t('until', { date: say.dayOf(endsAt, workspace.timezone) })}</p>
      </main>
    </>
  )
}
