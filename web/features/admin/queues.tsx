import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { FailedWork, Queue } from '../../../src/admin/api.ts'
import { call } from '../../client.ts'
import { useMaybe } from '../../i18n.tsx'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { More } from '../../ui/more.tsx'
import { Body, Cell, Head, Row, Seen, Table, useAdminProblem, useWhen } from './parts.tsx'
import { ADMIN, failedQuery, queuesQuery } from './queries.ts'

/** The waiting, running and failed jobs of each queue. */
export function QueuesScreen() {
  const t = useTranslations('admin')
  const maybe = useMaybe()
  const client = useQueryClient()
  const query = useQuery(queuesQuery)
  const [open, setOpen] = useState<string | null>(null)
  const nameOf = (name: string) => maybe(`admin.queueNames.${name}`, name)
  return (
    <Body>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 text-13 text-muted">{t('queuesLead')}</p>
        <Button busy={query.isFetching} onClick={() => void client.invalidateQueries({ queryKey: ADMIN })}>
          <RotateCw className="size-4" aria-hidden />
          {t('lookAgain')}
        </Button>
      </div>
      <Seen query={query}>
        {(queues) => (
          <Table label={t('queues')} head={[t('queue'), t('waiting'), t('running'), t('oldest'), t('failed')]}>
            {queues.map((queue) => (
              <QueueRow
                key={queue.name}
                queue={queue}
                name={nameOf(queue.name)}
                open={open === queue.name}
                onOpen={() => setOpen(open === queue.name ? null : queue.name)}
              />
            ))}
          </Table>
        )}
      </Seen>
      {open && <Failed key={open} queue={open} name={nameOf(open)} />}
    </Body>
  )
}

interface QueueProps {
  queue: Queue
  name: string
  open: boolean
  onOpen: () => void
}

function QueueRow({ queue, name, open, onOpen }: QueueProps) {
  const t = useTranslations('admin')
  const format = useFormatter()
  const { waiting, running, retrying, failed, oldestSeconds } = queue
  const failures = failed + retrying
  return (
    <Row>
      <Head>
        <span className="font-medium">{name}</span>
      </Head>
      <Cell label={t('waiting')}>{format.number(waiting)}</Cell>
      <Cell label={t('running')}>{format.number(running)}</Cell>
      <Cell label={t('oldest')}>
        {oldestSeconds === null ? '–' : t('seconds', { seconds: Math.round(oldestSeconds) })}
      </Cell>
      <Cell label={t('failed')}>
        {failures === 0 ? (
          format.number(0)
        ) : (
          <Button size="sm" aria-expanded={open} onClick={onOpen}>
            {t('failures', { failed, retrying })}
            <span className="sr-only">{t('showFailed', { name })}</span>
          </Button>
        )}
      </Cell>
    </Row>
  )
}

function Failed({ queue, name }: { queue: string; name: string }) {
  const t = useTranslations('admin')
  const problem = useAdminProblem()
  const client = useQueryClient()
  const query = useInfiniteQuery(failedQuery(queue))
  const retry = useMutation({
    mutationFn: () => call('retryQueue', { params: { name: queue } }),
    onSuccess: ({ retried }) => toast.success(t('retried', { count: retried })),
    onError: (error) => toast.error(problem(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ADMIN }),
  })
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3" aria-labelledby="failed-title">
      <h2 id="failed-title" className="text-sm font-semibold">
        {t('failedOf', { name })}
      </h2>
      <Seen query={query}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data)
          if (all.length === 0) return <Empty icon={CircleCheck} title={t('nothingFailed')} />
          return (
            <>
              {all.some(({ canRetry }) => canRetry) ? (
                <Button className="justify-self-start" busy={retry.isPending} onClick={() => retry.mutate()}>
                  {t('retryAll')}
                </Button>
              ) : (
                <p className="text-13 text-muted">{t('peopleRetry')}</p>
              )}
              <ul className="card grid grid-cols-[minmax(0,1fr)] divide-y">
                {all.map((work) => (
                  <Line key={work.id} work={work} />
                ))}
              </ul>
              <More query={query} label={t('more')} />
            </>
          )
        }}
      </Seen>
    </section>
  )
}

function Line({ work }: { work: FailedWork }) {
  const t = useTranslations('admin')
  const when = useWhen()
  const problem = useAdminProblem()
  const client = useQueryClient()
  const retry = useMutation({
    mutationFn: () => call('retryJob', { params: { job: work.id } }),
    onSuccess: () => toast.success(t('retried', { count: 1 })),
    onError: (error) => toast.error(problem(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ADMIN }),
  })
  return (
    <li className="flex flex-wrap items-center gap-3 px-4 py-3 text-13">
      <div className="min-w-0 grow basis-60">
        <p dir="ltr" className="font-mono text-xs break-all [text-align:match-parent]">
          {work.error}
        </p>
        <p className="mt-1 text-xs text-muted">
          {[
            when(work.at, true),
            t('tries', { attempts: work.attempts }),
            work.nextAt ? t('nextAt', { date: when(work.nextAt, true) }) : t('givenUp'),
          ].join(' · ')}{' '}
          <bdi dir="ltr" className="break-all">
            #{work.id}
          </bdi>
        </p>
      </div>
      {work.canRetry && (
        <Button size="sm" busy={retry.isPending} onClick={() => retry.mutate()}>
          {t('retry')}
          <span className="sr-only">#{work.id}</span>
        </Button>
      )}
    </li>
  )
}
