import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams, useRouterState } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type ReactNode, Suspense, useDeferredValue, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { homeOf } from '../../home.ts'
import { rareTexts } from '../../i18n.tsx'
import { language } from '../../language.ts'
import { meQuery } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { lazy } from '../../ui/part.tsx'
import { AccountMenu, LazyBell, LazySandboxMark } from './account-menu.tsx'
import { isVisitor } from './demo/visitor.ts'
import { ConfirmBar, confirms, DemoBar, Tabs } from './frame.ts'
import { useShellKeys } from './shell-keys.ts'
import { Sidebar } from './sidebar.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'

const KeysSheet = lazy(async () => {
  await rareTexts()
  return import('./keys-sheet.tsx')
})

const CommandMenu = lazy(async () => {
  await rareTexts()
  return import('./command-menu.tsx')
})

/** The frame of every signed-in screen: a sidebar, or on a phone a header and tabs. */
export function Shell() {
  const t = useTranslations('shell')
  const { data: me } = useQuery(meQuery)
  const { ws } = useParams({ strict: false })
  const main = useRef<HTMLElement>(null)
  useFocusOnNavigation(main)
  const [sheet, setSheet] = useState<'keys' | 'commands' | null>(null)
  const showKeys = () => setSheet('keys')
  const showCommands = () => setSheet('commands')
  const close = () => setSheet(null)
  // If the address has no workspace, or one that the person does not belong to, the navigation uses their own.
  const current = me && (me.workspaces.find((one) => one.id === ws) ?? homeOf(me))
  useShellKeys(current, showKeys, showCommands)
  useEffect(() => {
    if (me) language.set(me.language)
  }, [me])
  if (!me) return <ShellSkeleton />
  return (
    <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto] md:grid-cols-[14.5rem_minmax(0,1fr)] md:grid-rows-1">
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
      <header className="sticky top-0 z-20 flex h-13 items-center border-b bg-bg px-2 md:hidden">
        <WorkspaceMenu me={me} current={current} />
        <div className="grow" />
        {!isVisitor(me.email) && <LazySandboxMark />}
        {current && (
          <Button variant="ghost" size="icon" aria-label={t('search')} onClick={showCommands}>
            <Search className="size-5" aria-hidden />
          </Button>
        )}
        <LazyBell compact />
        <AccountMenu me={me} compact onKeys={showKeys} />
      </header>
      <Sidebar me={me} current={current} onKeys={showKeys} onSearch={showCommands} />
      <main id="main" ref={main} tabIndex={-1} className="flex min-w-0 flex-col bg-surface outline-none">
        <UnderBars
          bars={
            <>
              {me.email && confirms(me) && <ConfirmBar me={me} email={me.email} />}
              {current && isVisitor(me.email) && <DemoBar key={current.id} membership={current} />}
            </>
          }
        >
          <Outlet />
        </UnderBars>
      </main>
      <Suspense>
        {sheet === 'keys' && <KeysSheet membership={current} onClose={close} />}
        {sheet === 'commands' && current && <CommandMenu membership={current} onClose={close} onKeys={showKeys} />}
      </Suspense>
      {current && (
        <Suspense fallback={<div className="h-13 border-t md:hidden" />}>
          <Tabs current={current} />
        </Suspense>
      )}
    </div>
  )
}

/**
 * A screen below its bars. It waits for bars that exist from the start, so that none appears late and shifts what the
 * person is about to click. A later bar appears once it has loaded.
 */
export function UnderBars({ bars, children }: { bars: ReactNode; children: ReactNode }) {
  const loaded = useDeferredValue(bars)
  return (
    <Suspense fallback={<PageSkeleton />}>
      {loaded}
      {children}
    </Suspense>
  )
}

/** After navigation, focuses the new content, because the followed link may be gone. */
function useFocusOnNavigation(main: React.RefObject<HTMLElement | null>) {
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const last = useRef<string | undefined>(undefined)
  useEffect(() => {
    // A person who is already typing in the new content keeps the focus.
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
      <div className="flex h-12 items-center border-b px-6">
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
    <div className="grid min-h-dvh md:grid-cols-[14.5rem_minmax(0,1fr)]" aria-hidden>
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
