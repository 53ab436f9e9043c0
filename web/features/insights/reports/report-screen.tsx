import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LinkIcon } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Report } from '../../../../src/insights/reports/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { DetailPage } from '../../shell/detail-page.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { Mails } from './mails.tsx'
import { previewQuery, reportQuery } from './queries.ts'
import { Snapshots } from './snapshots.tsx'
import { ReportView } from './view.tsx'
import { useReportWords } from './words.ts'

const ReportEditor = lazy(() => import('./editor.tsx'))
const ShareDialog = lazy(() => import('./share-dialog.tsx'))

/** One report: its content for clients, its email recipients, and its links. */
export function ReportScreen({ id }: { id: string }) {
  const t = useTranslations('reports')
  const { ws } = usePlace()
  return (
    <DetailPage
      operation="getReport"
      query={reportQuery(ws, id)}
      nameOf={({ name }) => name}
      title={t('title')}
      list={{ to: '/w/$ws/analytics/reports', label: t('all') }}
      actions={(report) => <Acts report={report} />}
    >
      {(report) => (
        <>
          <Mails report={report} />
          <Snapshots reportId={report.id} />
          <Preview report={report} />
        </>
      )}
    </DetailPage>
  )
}

function Preview({ report }: { report: Report }) {
  const t = useTranslations('reports')
  const say = useReportWords()
  const { ws, workspace } = usePlace()
  const query = useQuery(previewQuery(ws, report.id, report.version))
  return (
    <section aria-labelledby="preview" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="grid gap-1">
        <h2 id="preview" className="text-15 font-semibold">
          {t('preview')}
        </h2>
        <p className="text-xs text-muted">
          {t('previewBody')}
          {report.nextMailOn !== null && ` ${t('nextMail', { day: say.day(report.nextMailOn) })}`}
        </p>
      </div>
      <div className="rounded-xl border p-4">
        <Loaded query={query} skeleton={<div className="skeleton h-96" aria-hidden />}>
          {(preview) => <ReportView report={preview} timeZone={workspace.timezone} at={null} />}
        </Loaded>
      </div>
    </section>
  )
}

function Acts({ report }: { report: Report }) {
  const t = useTranslations('reports')
  const problem = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ws } = usePlace()
  const may = useMay('updateReport')
  const [open, setOpen] = useState<'edit' | 'share' | 'delete' | null>(null)
  const close = () => setOpen(null)
  const remove = useMutation({
    mutationFn: () => call('deleteReport', { workspace: ws, params: { id: report.id } }),
    onSuccess: async () => {
      toast.success(t('deleted'))
      await navigate({ to: '/w/$ws/analytics/reports', params: { ws } })
      await client.invalidateQueries({ queryKey: [ws, 'reports', 'list'] })
    },
    onError: (error) => toast.error(problem(error)),
  })
  if (may.hidden) return null
  return (
    <>
      <Button reason={may.reason} onClick={() => setOpen('edit')}>
        {t('edit')}
      </Button>
      <Button reason={may.reason} onClick={() => setOpen('delete')}>
        {t('delete')}
      </Button>
      <Button variant="primary" reason={may.reason} onClick={() => setOpen('share')}>
        <LinkIcon className="size-4" aria-hidden />
        {t('share')}
      </Button>
      {open === 'edit' && <ReportEditor report={report} onClose={close} />}
      {open === 'share' && <ShareDialog report={report} onClose={close} />}
      <Confirm
        open={open === 'delete'}
        onOpenChange={close}
        title={t('deleteTitle', { name: report.name })}
        description={t('deleteBody')}
        action={t('delete')}
        danger
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}
