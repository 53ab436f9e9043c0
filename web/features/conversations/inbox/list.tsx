import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheckBig, Inbox, SearchX, Share2 } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { accountsQuery, meQuery } from '../../../queries.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { threadsQuery } from './queries.ts'
import { type InboxSearch, isFiltered, NO_FILTER, URGENCIES } from './search.ts'
import { ThreadRow } from './thread-row.tsx'
import { UrgencySign } from './urgency.tsx'

interface Props {
  search: InboxSearch
  onChange: (change: Partial<InboxSearch>) => void
  /** Whether an opened row takes the focus. */
  focuses: boolean
  selected: ReadonlySet<string>
  onSelect: ((id: string, on: boolean) => void) | undefined
  /** Content above the rows. */
  children: (threads: Thread[]) => React.ReactNode
}

/** The threads of a view, by urgency and waiting time, or by age. */
export function ThreadList({ search, onChange, focuses, selected, onSelect, children }: Props) {
  const t = useTranslations('inbox')
  const review = useTranslations('why.review')
  const { ws, membership } = usePlace()
  const me = useQuery(meQuery).data?.id
  const query = useInfiniteQuery(threadsQuery(ws, search))
  const row = (thread: Thread) => (
    <ThreadRow
      key={thread.id}
      thread={thread}
      me={me}
      open={thread.id === search.id}
      focuses={focuses}
      selected={selected.has(thread.id)}
      onSelect={onSelect && ((on) => onSelect(thread.id, on))}
    />
  )
  return (
    <Loaded query={query} skeleton={<RowsSkeleton />}>
      {({ pages }) => {
        const threads = pages.flatMap((page) => page.data)
        if (threads.length === 0)
          return (
            <>
              {children(threads)}
              <Nothing search={search} onChange={onChange} />
            </>
          )
        // Urgency groups contain only threads in which a customer waits.
        const groups =
          search.sort === 'newest' || membership.role === 'CLIENT'
            ? []
            : URGENCIES.map((urgency) => ({
                urgency,
                rows: threads.filter((one) => one.urgency === urgency && one.unansweredAt !== null),
              })).filter(({ rows }) => rows.length > 0)
        const answered = groups.length > 0 ? threads.filter((one) => one.unansweredAt === null) : threads
        return (
          <>
            {search.filter === 'review' && (
              <div className="border-b px-4 py-2">
                <Link to="/w/$ws/inbox/review" params={{ ws }} className={buttonClass('secondary', 'sm', 'w-full')}>
                  {review('start')}
                </Link>
              </div>
            )}
            {children(threads)}
            <div className={query.isPlaceholderData ? 'opacity-60' : undefined}>
              {groups.map(({ urgency, rows }) => (
                <Fragment key={urgency}>
                  <h3 className="sticky top-0 z-10 flex h-7 items-center gap-1.5 border-b bg-sunken px-4 text-xs">
                    <UrgencySign urgency={urgency} />
                    <span className="font-semibold">{t(`urgencies.${urgency}`)}</span>
                    <span className="clip text-muted">{t(`within.${urgency}`)}</span>
                    <span className="ms-auto text-muted tabular-nums">{rows.length}</span>
                  </h3>
                  <ul>{rows.map(row)}</ul>
                </Fragment>
              ))}
              {groups.length > 0 && answered.length > 0 && (
                <h3 className="sticky top-0 z-10 flex h-7 items-center border-b bg-sunken px-4 text-xs font-semibold">
                  {t('answered')}
                </h3>
              )}
              <ul>{answered.map(row)}</ul>
              <More query={query} label={t('more')} className="p-3 text-center" />
            </div>
          </>
        )
      }}
    </Loaded>
  )
}

/** Why the list is empty, and what to do about it. */
function Nothing({ search, onChange }: Pick<Props, 'search' | 'onChange'>) {
  const t = useTranslations('inbox.empty')
  const { ws, membership } = usePlace()
  const sees = !refusal(membership, 'listSocialAccounts')
  const accounts = useQuery({ ...accountsQuery(ws), enabled: sees })
  if (isFiltered(search))
    return (
      <Empty
        icon={SearchX}
        title={t('noMatch')}
        role="status"
        actions={<Button onClick={() => onChange(NO_FILTER)}>{t('clear')}</Button>}
      />
    )
  if (sees && accounts.data?.length === 0)
    return (
      <Empty
        icon={Share2}
        title={t('noAccount')}
        role="status"
        actions={
          !refusal(membership, 'startConnection') && (
            <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass('primary')}>
              {t('connect')}
            </Link>
          )
        }
      >
        {t('noAccountBody')}
      </Empty>
    )
  const { filter: view = 'unanswered' } = search
  return (
    <Empty icon={view === 'all' ? Inbox : CircleCheckBig} title={t(`views.${view}`)} role="status">
      {(view === 'all' || view === 'unanswered') && t('allBody')}
    </Empty>
  )
}

const RowsSkeleton = () => (
  <div aria-hidden>
    {[1, 2, 3, 4, 5, 6, 7].map((one) => (
      <div key={one} className="flex h-(--row) items-center gap-3 border-b px-4">
        <div className="skeleton size-8 rounded-full!" />
        <div className="grid grow gap-1.5">
          <div className="skeleton h-3.5 w-24" />
          <div className="skeleton h-3 w-44" />
        </div>
      </div>
    ))}
  </div>
)
