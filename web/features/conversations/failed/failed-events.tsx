import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { FailedEvent } from '../../../../src/conversations/failed-events/api.ts'
import { call, isProblem } from '../../../client.ts'
import { NETWORKS } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { Rows } from '../../../ui/row.tsx'
import { useMoment } from '../../shell/moment.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { failedEventsQuery } from './query.ts'

/** Customer events that Parley could not add to the inbox, each with a retry. */
export function FailedEvents({ accounts }: { accounts: readonly SocialAccount[] }) {
  const t = useTranslations('trouble')
  const { ws } = usePlace()
  const query = useInfiniteQuery(failedEventsQuery(ws))
  const events = query.data?.pages.flatMap(({ data }) => data) ?? []
  if (events.length === 0) return null
  return (
    <section aria-label={t('events.title')} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="text-sm font-medium">{t('events.title')}</h2>
      <p className="text-13 text-muted">{t('events.lead', { count: query.data?.pages[0]?.count ?? events.length })}</p>
      <Rows>
        {events.map((event) => (
          <Item key={event.id} event={event} account={accounts.find(({ id }) => id === event.accountId)} />
        ))}
      </Rows>
      <More query={query} label={t('more')} small />
    </section>
  )
}

function Item({ event, account }: { event: FailedEvent; account: SocialAccount | undefined }) {
  const t = useTranslations('trouble')
  const moment = useMoment()
  const problem = useProblemText()
  const client = useQueryClient()
  const may = useMay('retryFailedEvent')
  const { ws } = usePlace()
  const kind = `events.kinds.${event.kind}` as 'events.kinds.comment'
  const retry = useMutation({
    mutationFn: () => call('retryFailedEvent', { workspace: ws, params: { id: event.id } }),
    onSuccess: () => toast.success(t('events.retrying')),
    // Another person has retried it; the refreshed list shows that.
    onError: (error) => !isProblem(error, 'invalid_state') && toast.error(problem(error)),
    onSettled: () => client.invalidateQueries({ queryKey: failedEventsQuery(ws).queryKey }),
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <NetworkMark platform={event.platform} label />
      <div className="min-w-0 grow basis-52">
        <p className="text-13 font-medium">{t.has(kind) ? t(kind) : t('events.kinds.comment')}</p>
        {event.text && (
          <p dir="auto" className="line-clamp-2 text-13 break-words">
            {event.text}
          </p>
        )}
        <p className="text-xs text-muted">
          <bdi>{account?.name ?? NETWORKS[event.platform].short}</bdi>
          {' · '}
          <time dateTime={event.at}>{moment(event.at, 'any')}</time>
        </p>
      </div>
      {!may.hidden && (
        <Button size="sm" reason={may.reason} busy={retry.isPending} onClick={() => retry.mutate()}>
          {t('events.retry')}
        </Button>
      )}
    </li>
  )
}
