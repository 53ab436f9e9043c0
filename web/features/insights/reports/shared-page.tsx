import { useQuery } from '@tanstack/react-query'
import { LinkIcon, Printer } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SharedReport } from '../../../../src/insights/reports/api.ts'
import { isProblem } from '../../../client.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { useTitle } from '../../../ui/page.tsx'
import { Empty, ErrorView } from '../../../ui/states.tsx'
import { OtherLanguages } from '../../team/auth/other-languages.tsx'
import { sharedReportQuery } from './queries.ts'
import { ReportView } from './view.tsx'
import { useReportWords } from './words.ts'

/** A report for a person without an account: no menus and no sign-in. A link that has ended says nothing about the workspace. */
export function SharedReportPage({ token }: { token: string }) {
  const query = useQuery(sharedReportQuery(token))
  if (isProblem(query.error, 'link_expired', 'not_found'))
    return (
      <main>
        <Over />
      </main>
    )
  if (query.error && !query.data)
    return (
      <main>
        <ErrorView whole error={query.error} retry={() => void query.refetch()} />
      </main>
    )
  if (!query.data)
    return (
      <div className="mx-auto grid w-full max-w-4xl gap-4 px-4 py-6" aria-hidden>
        <div className="skeleton h-8" />
        <div className="skeleton h-96" />
      </div>
    )
  return <Shown report={query.data} />
}

function Over() {
  const t = useTranslations('reports')
  useTitle(t('over'))
  return (
    <Empty whole icon={LinkIcon} title={t('over')} role="alert">
      {t('overBody')}
    </Empty>
  )
}

function Shown({ report }: { report: SharedReport }) {
  const t = useTranslations('reports')
  const say = useReportWords()
  const { workspace, name, endsAt, createdAt } = report
  useTitle(name)
  return (
    <div className="mx-auto grid w-full max-w-4xl grid-cols-[minmax(0,1fr)]">
      <header className="grid gap-2 border-b px-4 py-3">
        <div className="flex items-center gap-2">
          <p className="flex min-w-0 grow items-center gap-2 text-13 font-semibold">
            <Avatar name={workspace.name} square className="size-6" />
            <bdi dir="auto" className="clip">
              {workspace.name}
            </bdi>
          </p>
          <span className="print:hidden">
            <OtherLanguages />
            <Button size="sm" onClick={() => window.print()}>
              <Printer className="size-3.5" aria-hidden />
              {t('print')}
            </Button>
          </span>
        </div>
        <h1 className="text-base font-semibold break-words">
          <bdi>{name}</bdi>
        </h1>
      </header>
      <main className="grid grid-cols-[minmax(0,1fr)] gap-6 px-4 py-5">
        <ReportView report={report} timeZone={workspace.timezone} at={createdAt} />
        <p className="text-xs text-muted">{t('until', { date: say.dayOf(endsAt, workspace.timezone) })}</p>
      </main>
    </div>
  )
}
