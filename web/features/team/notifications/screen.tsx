import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell, Check, CheckCheck, CircleStop } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { stoppedBy } from '../../../../src/team/notifications/rules.ts'
import type { Notification } from '../../../../src/team/notifications/api.ts'
import { call } from '../../../client.ts'
import { homeOf } from '../../../home.ts'
import { follow } from '../../../live.ts'
import { useProblemText } from '../../../problem.ts'
import { meQuery, unreadQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Drafted } from './drafted.tsx'
import { icons } from './icons.ts'
import { placeOf } from './place.ts'
import { useSentence } from './use-sentence.ts'
import { useAgo } from '../../../now.ts'
import { notificationsQuery } from './queries.ts'

/** A person's notifications of all workspaces, newest first, each with a link. */
export function NotificationsScreen() {
  const t = useTranslations('notices')
  const client = useQueryClient()
  const text = useProblemText()
  const query = useInfiniteQuery(notificationsQuery)
  const { data: unread = 0 } = useQuery(unreadQuery)
  useHints()
  const renew = () => client.invalidateQueries({ queryKey: ['notifications'] })
  const readAll = useMutation({
    mutationFn: (upTo: string) => call('readNotifications', { body: { upTo } }),
    onError: (error) => toast.error(t('notRead'), { description: text(error) }),
    onSettled: renew,
  })
  const read = useMutation({
    mutationFn: (id: string) => call('readNotification', { params: { id }, body: {} }),
    onError: (error) => toast.error(t('notRead'), { description: text(error) }),
    onSettled: renew,
  })
  const newest = query.data?.pages[0]?.data[0]?.id
  return (
    <Page
      title={t('title')}
      actions={
        <>
          {unread > 0 && newest && (
            <Button busy={readAll.isPending} onClick={() => readAll.mutate(newest)}>
              <CheckCheck className="size-4" aria-hidden />
              {t('readAll')}
            </Button>
          )}
          <Link to="/me" hash="notifications" className={buttonClass('ghost')}>
            {t('choose')}
          </Link>
        </>
      }
    >
      <Loaded query={query} skeleton={<Skeleton />}>
        {({ pages }) => {
          const notices = pages.flatMap(({ data }) => data)
          if (notices.length === 0) {
            return (
              <Empty icon={Bell} title={t('none')}>
                {t('noneBody')}
              </Empty>
            )
          }
          return (
            <div className="mx-auto grid w-full max-w-2xl grid-cols-[minmax(0,1fr)] gap-4 px-4 py-6 lg:px-6">
              <ul className="card divide-y overflow-hidden">
                {notices.map((notice) => (
                  <Row key={notice.id} notice={notice} read={() => read.mutate(notice.id)} />
                ))}
              </ul>
              <More query={query} label={t('more')} />
            </div>
          )
        }}
      </Loaded>
    </Page>
  )
}

/** This screen belongs to no workspace, so it follows the hints of the person's current one. */
function useHints() {
  const client = useQueryClient()
  const { data: me } = useQuery(meQuery)
  const home = me && homeOf(me)?.id
  useEffect(() => (home ? follow(client, home) : undefined), [client, home])
}

function Row({ notice, read }: { notice: Notification; read(): void }) {
  const t = useTranslations('notices')
  const format = useFormatter()
  const ago = useAgo()
  const sentence = useSentence()(notice)
  const Icon = stoppedBy(notice.data).length > 0 ? CircleStop : (icons[notice.kind] ?? Bell)
  const open = notice.readAt === null
  const at = new Date(notice.createdAt)
  return (
    <li className="relative flex items-start gap-3 px-4 py-3 has-[a:hover]:bg-hover">
      <span
        className={`mt-0.5 grid size-8 shrink-0 place-items-center rounded-full ${open ? 'bg-accent-soft text-accent-text' : 'bg-sunken text-muted'}`}
      >
        <Icon className="size-4" aria-hidden />
      </span>
      <div className="grid min-w-0 grow gap-0.5">
        <p className={`text-13 break-words ${open ? 'font-medium' : 'text-muted'}`}>
          <To notice={notice} onClick={() => open && read()}>
            {open && <span className="sr-only">{t('unread')} </span>}
            {sentence}
          </To>
        </p>
        <Drafted notice={notice} />
        <p className="text-xs text-muted">
          {notice.workspaceName && (
            <>
              <bdi>{notice.workspaceName}</bdi>
              {' · '}
            </>
          )}
          <time dateTime={notice.createdAt} title={format.dateTime(at, { dateStyle: 'full', timeStyle: 'short' })}>
            {ago(notice.createdAt)}
          </time>
        </p>
      </div>
      {open && (
        <Button
          size="icon"
          variant="ghost"
          className="z-10"
          title={t('read')}
          aria-label={t('readNamed', { text: sentence })}
          onClick={read}
        >
          <Check className="size-4" aria-hidden />
        </Button>
      )}
    </li>
  )
}

/** Makes the whole row a link to the place to act. */
function To({ notice, onClick, children }: { notice: Notification; onClick(): void; children: ReactNode }) {
  const place = placeOf(notice)
  if (!place) return children
  return (
    <Link {...place} onClick={onClick} className="after:absolute after:inset-0">
      {children}
    </Link>
  )
}

function Skeleton() {
  return (
    <div className="mx-auto grid w-full max-w-2xl gap-2 px-4 py-6 lg:px-6" aria-hidden>
      <div className="skeleton h-14" />
      <div className="skeleton h-14" />
      <div className="skeleton h-14" />
    </div>
  )
}
