import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { ReportSnapshot } from '../../../../src/insights/reports/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { More } from '../../../ui/more.tsx'
import { Rows } from '../../../ui/row.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { snapshotsQuery } from './queries.ts'
import { useReportWords } from './words.ts'

/** The snapshots of a report. Each has a link that can be revoked. */
export function Snapshots({ reportId }: { reportId: string }) {
  const t = useTranslations('reports')
  const { ws } = usePlace()
  const query = useInfiniteQuery(snapshotsQuery(ws, reportId))
  return (
    <section aria-labelledby="snapshots" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 id="snapshots" className="text-15 font-semibold">
        {t('snapshots')}
      </h2>
      <Loaded query={query} skeleton={<div className="skeleton h-16" aria-hidden />}>
        {({ pages }) => {
          const snapshots = pages.flatMap(({ data }) => data)
          if (snapshots.length === 0) return <p className="text-13 text-muted">{t('noSnapshots')}</p>
          return (
            <>
              <Rows aria-labelledby="snapshots">
                {snapshots.map((snapshot) => (
                  <SnapshotRow key={snapshot.id} snapshot={snapshot} />
                ))}
              </Rows>
              <More query={query} label={t('more')} small />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

export function SnapshotRow({ snapshot }: { snapshot: ReportSnapshot }) {
  const t = useTranslations('reports')
  const say = useReportWords()
  const { ws, workspace } = usePlace()
  const { id, name, from, to, createdBy, createdAt, endsAt, revokedAt } = snapshot
  const on = (instant: string) => say.dayOf(instant, workspace.timezone)
  const hasEnded = Date.parse(endsAt) <= Date.now()
  return (
    <li className="flex min-h-(--row) flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-13">
      <div className="min-w-0 grow basis-60">
        <Link
          to="/w/$ws/analytics/snapshots/$id"
          params={{ ws, id }}
          className="inline-flex min-h-6 max-w-full min-w-6 items-center font-medium break-words hover:underline max-sm:min-h-11"
        >
          <span>
            <bdi>{name}</bdi> · <bdi>{say.period(from, to)}</bdi>
          </span>
        </Link>
        <p className="text-xs text-muted">
          {createdBy
            ? t('sharedBy', { name: createdBy.name, date: on(createdAt) })
            : t('mailed', { date: on(createdAt) })}
          {' · '}
          {revokedAt !== null ? t('linkRevoked') : hasEnded ? t('linkEnded') : t('worksUntil', { date: on(endsAt) })}
        </p>
      </div>
      {revokedAt === null && !hasEnded && <Revoke id={id} on={on(createdAt)} />}
    </li>
  )
}

function Revoke({ id, on }: { id: string; on: string }) {
  const t = useTranslations('reports')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('revokeReportSnapshot')
  const [asking, setAsking] = useState(false)
  const revoke = useMutation({
    mutationFn: () => call('revokeReportSnapshot', { workspace: ws, params: { id } }),
    onSuccess: () => toast.success(t('revoked')),
    onError: (error) => toast.error(problem(error)),
    onSettled: async () => {
      setAsking(false)
      await client.invalidateQueries({ queryKey: [ws, 'reports'] })
    },
  })
  if (may.hidden) return null
  return (
    <>
      <Button size="sm" reason={may.reason} aria-label={t('revokeNamed', { date: on })} onClick={() => setAsking(true)}>
        {t('revoke')}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('revokeTitle')}
        description={t('revokeBody')}
        action={t('revoke')}
        danger
        busy={revoke.isPending}
        onConfirm={() => revoke.mutate()}
      />
    </>
  )
}
