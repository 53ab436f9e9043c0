import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { MessagesSquare } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { useShortcuts } from '../../../shortcuts.ts'
import { Page, useTitle } from '../../../ui/page.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { FailedBar } from './failed-bar.tsx'
import { ListHead } from './list-head.tsx'
import { ThreadList } from './list.tsx'
import { threadsQuery } from './queries.ts'
import { asked, type InboxSearch, readSearch } from './search.ts'
import { ThreadSkeleton } from './thread-skeleton.tsx'
import { useBulk } from './use-bulk.ts'
import { usePlaceInList } from './use-place-in-list.ts'
import { SideViews } from './side-views.tsx'

const loadThread = () => import('./thread-pane.tsx')
const ThreadPane = lazy(async () => ({ default: (await loadThread()).ThreadPane }))
const CustomerPanel = lazy(async () => ({ default: (await import('./customer-panel.tsx')).CustomerPanel }))
const BulkBar = lazy(async () => ({ default: (await import('./bulk-bar.tsx')).BulkBar }))

/** The inbox: the list, the open thread, and its customer. A phone shows one at a time. */
export function InboxScreen({ search }: { search: InboxSearch }) {
  const t = useTranslations('inbox')
  const { membership } = usePlace()
  const refused = refusal(membership, 'listConversations')
  useTitle(t('title'))
  if (refused)
    return (
      <Page title={t('title')}>
        <Refused refused={refused} />
      </Page>
    )
  return <Panes search={readSearch({ ...search })} />
}

function Panes({ search }: { search: InboxSearch }) {
  const t = useTranslations('inbox')
  const { ws } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/inbox' })
  const may = useMay('closeConversation')
  const works = !may.hidden && !may.reason
  const [byKey, setByKey] = useState(false)
  const [searches, setSearches] = useState(false)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const listed = useInfiniteQuery(threadsQuery(ws, search))
  const threads = listed.data?.pages.flatMap((page) => page.data) ?? []
  const change = (next: Partial<InboxSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const list = listed.isPlaceholderData ? null : JSON.stringify(asked(search))
  const { isPlaced, after, before } = usePlaceInList(threads, search.id, list)
  const step = (to: Thread | undefined) => {
    const next = isPlaced ? to : threads[0]
    setByKey(true)
    if (next) change({ id: next.id, about: undefined })
  }
  const bulk = useBulk()
  // Preload, because the next click most likely opens a thread. If this fails, opening one loads it again and shows any
  // error.
  useEffect(() => void loadThread().catch(() => undefined), [])
  useShortcuts({
    j: () => step(after),
    k: () => step(before),
    '/': () => {
      flushSync(() => setSearches(true))
      document.querySelector<HTMLElement>('[data-inbox-search] input')?.focus()
    },
  })
  const select = (id: string, on: boolean) =>
    setSelected((before) => new Set(on ? [...before, id] : [...before].filter((one) => one !== id)))
  return (
    <div className="relative min-h-96 grow">
      <h1 className="sr-only">{t('title')}</h1>
      <SideViews filter={search.filter} />
      <div
        className="absolute inset-0 grid grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] lg:grid-cols-[19.5rem_minmax(0,1fr)] xl:data-open:grid-cols-[19.5rem_minmax(0,1fr)_15rem]"
        data-open={search.id ? '' : undefined}
      >
        <section
          aria-label={t('list')}
          className={clsx('flex min-h-0 min-w-0 flex-col lg:border-e', search.id && 'max-lg:hidden')}
        >
          <ListHead search={search} onChange={change} searches={searches} onSearches={setSearches} />
          <FailedBar />
          <div className="min-h-0 grow overflow-y-auto">
            <ThreadList
              search={search}
              onChange={change}
              focuses={byKey}
              selected={selected}
              onSelect={works ? select : undefined}
            >
              {(shown) =>
                works &&
                selected.size > 0 && (
                  <Suspense>
                    <BulkBar
                      bulk={bulk}
                      shown={shown}
                      selected={shown.filter(({ id }) => selected.has(id))}
                      onSelect={(ids) => setSelected(new Set(ids))}
                    />
                  </Suspense>
                )
              }
            </ThreadList>
          </div>
        </section>
        <section
          aria-label={t('opened')}
          className={clsx(
            'flex min-h-0 min-w-0 flex-col',
            !search.id && 'max-lg:hidden',
            search.about && 'max-xl:hidden',
          )}
          {...(search.id && { 'data-whole': '' })}
        >
          {search.id ? (
            <Suspense fallback={<ThreadSkeleton />}>
              <ThreadPane
                key={search.id}
                id={search.id}
                about={search.about === true}
                onChange={change}
                onDone={() => change({ id: (after ?? before)?.id })}
              />
            </Suspense>
          ) : (
            <div className={clsx('my-auto', threads.length === 0 && 'hidden')}>
              <Empty icon={MessagesSquare} title={t('choose')}>
                {t('chooseBody')}
              </Empty>
            </div>
          )}
        </section>
        {search.id && (
          <section
            aria-label={t('about')}
            className={clsx('min-h-0 min-w-0 overflow-y-auto xl:border-s', !search.about && 'max-xl:hidden')}
          >
            <Suspense>
              <CustomerPanel key={search.id} id={search.id} onClose={() => change({ about: undefined })} />
            </Suspense>
          </section>
        )}
      </div>
    </div>
  )
}
