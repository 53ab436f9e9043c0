import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  CircleCheckBig,
  CirclePause,
  LayoutGrid,
  type LucideIcon,
  MessageCircle,
  TriangleAlert,
  Unplug,
} from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { WorkspaceOverview } from '../../../../src/publishing/overview/api.ts'
import { call } from '../../../client.ts'
import { fileUrl } from '../../../files.ts'
import { startOf } from '../../../home.ts'
import { live, meQuery } from '../../../queries.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { NetworkMarks } from '../../../ui/network.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Rows, Thumb } from '../../../ui/row.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMomentIn } from '../approvals/people.ts'

const overviewQuery = {
  ...live,
  queryKey: ['overview'],
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await call('getOverview', { signal })).data,
}

/** What needs attention in each workspace, for people who belong to several. */
export function OverviewScreen() {
  const t = useTranslations('overview')
  const query = useQuery(overviewQuery)
  return (
    <Page title={t('title')}>
      <div className="mx-auto grid w-full max-w-4xl grid-cols-[minmax(0,1fr)] gap-5 px-4 py-6 lg:px-6">
        <Loaded query={query} skeleton={<Skeleton />}>
          {(all) => (all.length === 0 ? <Nowhere /> : <Workspaces all={all} />)}
        </Loaded>
      </div>
    </Page>
  )
}

function Workspaces({ all }: { all: WorkspaceOverview[] }) {
  const t = useTranslations('overview')
  const waiting = all.filter(({ needs }) => needs > 0).length
  return (
    <>
      <h2 className="text-xl font-semibold tracking-tight">
        {waiting > 0 ? t('headline', { count: waiting }) : t('nothing')}
      </h2>
      <Rows aria-label={t('title')}>
        {/* Workspaces that need attention come first, then the others, each group by name. */}
        {all
          .toSorted((a, b) => Number(b.needs > 0) - Number(a.needs > 0))
          .map((one) => (
            <Workspace key={one.workspaceId} workspace={one} />
          ))}
      </Rows>
    </>
  )
}

function Workspace({ workspace }: { workspace: WorkspaceOverview }) {
  const t = useTranslations('overview')
  const roles = useTranslations('states.roles')
  const { data: me } = useQuery(meQuery)
  const { workspaceId: ws, name, role, approvals, inbox, accounts, troubles } = workspace
  const membership = me?.workspaces.find(({ id }) => id === ws)
  const problems = Object.values(troubles).reduce((sum, count) => sum + count, 0)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Avatar name={name} square className="size-8" />
        <div className="min-w-0 grow basis-40">
          <h3 className="text-13 font-semibold">
            <Link
              to={membership ? startOf(membership) : '/w/$ws/today'}
              params={{ ws }}
              className="block clip py-1 hover:underline max-sm:py-3"
            >
              <bdi>{name}</bdi>
            </Link>
          </h3>
          <p className="text-xs text-muted">{roles(role)}</p>
        </div>
        {workspace.publishingPaused && (
          <Pill icon={CirclePause} look="bg-warn-soft text-warn">
            {t('paused')}
          </Pill>
        )}
        <div className="flex flex-wrap gap-2">
          {approvals > 0 && (
            <Need to="/w/$ws/approvals" ws={ws} icon={CircleCheckBig} tone="text-accent-text">
              {t('approvals', { count: approvals })}
            </Need>
          )}
          {problems > 0 && (
            <Need to="/w/$ws/trouble" ws={ws} icon={TriangleAlert} tone="text-bad">
              {t('problems', { count: problems })}
            </Need>
          )}
          {inbox.unanswered > 0 && (
            <Need to="/w/$ws/inbox" ws={ws} icon={MessageCircle} tone={inbox.escalated > 0 ? 'text-bad' : 'text-warn'}>
              {t('unanswered', { count: inbox.unanswered })}
            </Need>
          )}
          {accounts.length > 0 && (
            <Need to="/w/$ws/accounts" ws={ws} icon={Unplug} tone="text-warn">
              {t('reconnect', { count: accounts.length })}
            </Need>
          )}
        </div>
      </div>
      <Next workspace={workspace} />
    </li>
  )
}

interface NeedProps {
  to: '/w/$ws/approvals' | '/w/$ws/trouble' | '/w/$ws/inbox' | '/w/$ws/accounts'
  ws: string
  icon: LucideIcon
  tone: string
  children: string
}

const Need = ({ to, ws, icon: Icon, tone, children }: NeedProps) => (
  <Link to={to} params={{ ws }} className={buttonClass('secondary', 'sm')}>
    <Icon className={`size-3.5 ${tone}`} aria-hidden />
    {children}
  </Link>
)

/** The next post of a workspace. */
function Next({ workspace: { workspaceId: ws, next, timezone } }: { workspace: WorkspaceOverview }) {
  const t = useTranslations('overview')
  const moment = useMomentIn(timezone)
  if (!next) return <p className="text-xs text-muted sm:ps-11">{t('nothingPlanned')}</p>
  return (
    <div className="flex items-center gap-3 sm:ps-11">
      <Thumb url={fileUrl(next.thumbnailUrl)} className="size-8" />
      <div className="min-w-0 grow">
        <Link
          to="/w/$ws/posts/$id"
          params={{ ws, id: next.postId }}
          dir="auto"
          className="block clip py-1 text-13 hover:underline max-sm:py-3"
        >
          {next.caption || t('untitled')}
        </Link>
        <p className="clip text-xs text-muted">{t('next', { time: moment(next.scheduledAt) })}</p>
      </div>
      <NetworkMarks platforms={next.platforms} />
    </div>
  )
}

function Nowhere() {
  const t = useTranslations('overview')
  return (
    <Empty
      icon={LayoutGrid}
      title={t('empty')}
      actions={
        <Link to="/me" className={buttonClass('secondary')}>
          {t('emptyAct')}
        </Link>
      }
    >
      {t('emptyBody')}
    </Empty>
  )
}

const Skeleton = () => (
  <div className="grid gap-5" aria-hidden>
    <div className="skeleton h-7 w-64" />
    <div className="grid divide-y rounded-lg border">
      {[1, 2, 3].map((row) => (
        <div key={row} className="grid gap-3 p-4">
          <div className="flex items-center gap-3">
            <div className="skeleton size-8" />
            <div className="skeleton h-4 w-40" />
          </div>
          <div className="skeleton ms-11 h-8" />
        </div>
      ))}
    </div>
  </div>
)
