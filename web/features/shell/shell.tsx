import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams, useRouterState } from '@tanstack/react-router'
import {
  CalendarDays,
  CircleCheckBig,
  Ellipsis,
  Image,
  Lightbulb,
  List,
  type LucideIcon,
  PenLine,
  Settings,
  Share2,
} from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../src/team/identity/api.ts'
import { homeOf } from '../../home.ts'
import { rareTexts } from '../../i18n.tsx'
import { language } from '../../language.ts'
import { meQuery, waitingQuery } from '../../queries.ts'
import { useShortcuts } from '../../shortcuts.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Menu, MenuLink } from '../../ui/menu.tsx'
import { isVisitor } from './demo/visitor.ts'
import { Bell } from '../team/notifications/bell.tsx'
import { ProfileMenu } from './profile-menu.tsx'
import { sectionsFor } from '../team/settings/sections.ts'
import { SandboxMark } from './sandbox-mark.tsx'
import { refusal } from './workspace.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'

type Membership = Profile['workspaces'][number]

// Seen until an address is confirmed, so rarely.
const ConfirmBar = lazy(() => import('./confirm-bar.tsx'))

const KeysSheet = lazy(async () => {
  await rareTexts()
  return import('./keys-sheet.tsx')
})

interface Entry {
  to:
    | '/w/$ws/approvals'
    | '/w/$ws/calendar'
    | '/w/$ws/posts'
    | '/w/$ws/accounts'
    | '/w/$ws/media'
    | '/w/$ws/ideas'
    | ReturnType<typeof sectionsFor>[number]['to']
  label: 'approvals' | 'calendar' | 'posts' | 'ideas' | 'media' | 'accounts' | 'settings'
  icon: LucideIcon
}

function entriesFor(membership: Membership): Entry[] {
  const all: Entry[] = [
    { to: '/w/$ws/calendar', label: 'calendar', icon: CalendarDays },
    { to: '/w/$ws/posts', label: 'posts', icon: List },
  ]
  const approvals: Entry = { to: '/w/$ws/approvals', label: 'approvals', icon: CircleCheckBig }
  if (membership.role === 'CLIENT') all.unshift(approvals)
  else all.push(approvals)
  if (!refusal(membership, 'listSocialAccounts'))
    all.push(
      { to: '/w/$ws/ideas', label: 'ideas', icon: Lightbulb },
      { to: '/w/$ws/media', label: 'media', icon: Image },
      { to: '/w/$ws/accounts', label: 'accounts', icon: Share2 },
    )
  const [first] = sectionsFor(membership)
  if (first) all.push({ to: first.to, label: 'settings', icon: Settings })
  return all
}

/** As many tabs fit on a phone with their words whole. */
const TABS = 5

/** The frame of every signed-in screen: navigation beside it, or around it on a phone. */
export function Shell() {
  const t = useTranslations('shell')
  const features = useTranslations('states.features')
  const { data: me } = useQuery(meQuery)
  const { ws } = useParams({ strict: false })
  const main = useRef<HTMLElement>(null)
  useFocusOnNavigation(main)
  const [keysShown, setKeysShown] = useState(false)
  const showKeys = () => setKeysShown(true)
  useShortcuts({ '?': showKeys })
  useEffect(() => {
    if (me) language.set(me.language)
  }, [me])
  if (!me) return <ShellSkeleton />
  // At an address without a workspace, or with one that this person is not in, the navigation leads into their own.
  const current = me.workspaces.find((one) => one.id === ws) ?? homeOf(me)
  const entries = current ? entriesFor(current) : []
  const writes = current && !refusal(current, 'createPost')
  const room = writes ? TABS - 1 : TABS
  const beside = entries.length > room ? room - 1 : entries.length
  const word = (label: Entry['label']) => (label === 'approvals' ? features(label) : t(label))
  return (
    <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto] md:grid-cols-[14rem_minmax(0,1fr)] md:grid-rows-1">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-4 py-3 font-medium text-on-accent focus:not-sr-only focus:fixed focus:start-3 focus:top-3"
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}
      >
        {t('skip')}
      </a>
      <header className="sticky top-0 z-20 flex h-13 items-center gap-2 border-b bg-bg px-2 md:hidden">
        <WorkspaceMenu me={me} current={current} />
        <div className="grow" />
        <SandboxMark />
        <Bell compact />
        <ProfileMenu me={me} compact onKeys={showKeys} />
      </header>
      <aside className="sticky top-0 hidden h-dvh flex-col gap-3 border-e bg-bg p-2.5 md:flex">
        <WorkspaceMenu me={me} current={current} />
        <div className="ps-1.5 empty:hidden">
          <SandboxMark />
        </div>
        {current && writes && (
          <Link to="/w/$ws/compose" params={{ ws: current.id }} className={buttonClass('primary', 'md', 'w-full')}>
            <PenLine className="size-4" aria-hidden />
            {t('newPost')}
          </Link>
        )}
        <nav aria-label={t('nav')} className="grid gap-0.5">
          {current &&
            entries.map(({ to, label, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                params={{ ws: current.id }}
                className="flex min-h-8 items-center gap-2.5 rounded-md px-2.5 text-13 font-medium text-muted hover:bg-hover hover:text-fg aria-[current=page]:bg-hover aria-[current=page]:text-fg"
              >
                <Icon className="size-4" aria-hidden />
                {word(label)}
                {label === 'approvals' && <Waiting membership={current} />}
              </Link>
            ))}
        </nav>
        <div className="grow" />
        <Bell />
        <ProfileMenu me={me} onKeys={showKeys} />
      </aside>
      <main id="main" ref={main} tabIndex={-1} className="flex min-w-0 flex-col bg-surface outline-none">
        {me.email && !me.emailConfirmed && !isVisitor(me.email) && (
          <Suspense>
            <ConfirmBar me={me} email={me.email} />
          </Suspense>
        )}
        <Outlet />
      </main>
      {keysShown && (
        <Suspense>
          <KeysSheet onClose={() => setKeysShown(false)} />
        </Suspense>
      )}
      {current && (
        <nav
          aria-label={t('nav')}
          className="sticky bottom-0 z-20 grid auto-cols-fr grid-flow-col border-t bg-bg pb-[env(safe-area-inset-bottom)] md:hidden"
        >
          {entries.slice(0, 2).map((entry) => (
            <Tab key={entry.to} ws={current.id} {...entry} text={word(entry.label)} />
          ))}
          {writes && <Tab ws={current.id} to="/w/$ws/compose" icon={PenLine} text={t('write')} strong />}
          {entries.slice(2, beside).map((entry) => (
            <Tab key={entry.to} ws={current.id} {...entry} text={word(entry.label)} />
          ))}
          {beside < entries.length && (
            <Menu
              label={t('more')}
              side="top"
              align="end"
              trigger={(props) => (
                <button type="button" {...props} className={tab}>
                  <Face icon={Ellipsis} text={t('more')} />
                </button>
              )}
            >
              {entries.slice(beside).map(({ to, label, icon: Icon }) => (
                <MenuLink key={to} to={to.replace('$ws', current.id)}>
                  <Icon className="size-4" aria-hidden />
                  {word(label)}
                </MenuLink>
              ))}
            </Menu>
          )}
        </nav>
      )}
    </div>
  )
}

interface TabProps {
  ws: string
  to: Entry['to'] | '/w/$ws/compose'
  icon: LucideIcon
  text: string
  strong?: boolean | undefined
}

const tab =
  'grid min-h-13 min-w-0 content-center justify-items-center gap-0.5 text-2xs font-medium text-muted aria-[current=page]:text-accent-text'

function Tab({ ws, to, icon, text, strong }: TabProps) {
  return (
    <Link to={to} params={{ ws }} className={tab}>
      <Face icon={icon} text={text} strong={strong} />
    </Link>
  )
}

function Face({ icon: Icon, text, strong }: Pick<TabProps, 'icon' | 'text' | 'strong'>) {
  return (
    <>
      <span className={strong ? 'rounded-full bg-accent p-1 text-on-accent' : 'p-0.5'}>
        <Icon className={strong ? 'size-4' : 'size-5'} aria-hidden />
      </span>
      <span className="max-w-full truncate px-0.5">{text}</span>
    </>
  )
}

/** How much waits for a decision. */
function Waiting({ membership }: { membership: Membership }) {
  const t = useTranslations('shell')
  const { data } = useQuery({ ...waitingQuery(membership.id), enabled: !refusal(membership, 'listApprovals') })
  const count = data?.data.length ?? 0
  if (count === 0) return null
  return (
    <span className="ms-auto rounded-full bg-accent-soft px-1.5 text-2xs leading-4.5 font-semibold text-accent-text">
      <span aria-hidden dir="ltr">
        {data?.nextCursor ? `${count}+` : count}
      </span>
      <span className="sr-only">{t('waiting', { count })}</span>
    </span>
  )
}

/** After a change of screen the reader begins at the new content, not at the link that is gone. */
function useFocusOnNavigation(main: React.RefObject<HTMLElement | null>) {
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const last = useRef<string | undefined>(undefined)
  useEffect(() => {
    // Who types in the new content already goes on.
    const types =
      document.activeElement instanceof HTMLTextAreaElement && main.current?.contains(document.activeElement)
    if (last.current !== undefined && pathname !== undefined && last.current !== pathname && !types)
      main.current?.focus({ preventScroll: true })
    last.current = pathname ?? last.current
  }, [pathname, main])
}

export function PageSkeleton() {
  return (
    <div className="grow" aria-hidden>
      <div className="flex h-14 items-center border-b px-6">
        <div className="skeleton h-5 w-40" />
      </div>
      <div className="grid gap-3 p-6">
        <div className="skeleton h-20" />
        <div className="skeleton h-20" />
        <div className="skeleton h-20" />
      </div>
    </div>
  )
}

export function ShellSkeleton() {
  return (
    <div className="grid min-h-dvh md:grid-cols-[14rem_minmax(0,1fr)]" aria-hidden>
      <div className="hidden content-start gap-3 border-e p-3 md:grid">
        <div className="skeleton h-9" />
        <div className="skeleton h-9" />
        <div className="skeleton h-6" />
        <div className="skeleton h-6" />
        <div className="skeleton h-6" />
      </div>
      <div className="flex bg-surface">
        <PageSkeleton />
      </div>
    </div>
  )
}
