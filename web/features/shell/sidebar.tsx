import { Link, useMatchRoute } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Plus, Search } from 'lucide-react'
import { Fragment, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../src/team/identity/api.ts'
import { shortcutsOn, withKey } from '../../shortcuts.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Keys, MOD } from '../../ui/kbd.tsx'
import { AccountMenu, LazyBell, LazySandboxMark } from './account-menu.tsx'
import { isVisitor } from './demo/visitor.ts'
import { entriesFor, type Membership, useEntryName } from './entries.ts'
import { Count } from './frame.ts'
import { refusal } from './workspace.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'

interface Props {
  me: Profile
  current: Membership | undefined
  onKeys: () => void
  onSearch: () => void
}

/** The navigation next to every screen, on wider windows. */
export function Sidebar({ me, current, onKeys, onSearch }: Props) {
  const t = useTranslations('shell')
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col border-e bg-bg px-2 pb-2 md:flex">
      <WorkspaceMenu me={me} current={current} />
      <div className="ps-2 pb-2 empty:hidden">
        {/* The demo shows it in its own bar. */}
        {!isVisitor(me.email) && <LazySandboxMark />}
      </div>
      {current && (
        <div className="flex gap-2 pt-1 pb-3">
          {!refusal(current, 'createPost') && (
            <Link
              to="/w/$ws/compose"
              params={{ ws: current.id }}
              aria-keyshortcuts="N"
              title={withKey(t('newPost'), 'N')}
              className={buttonClass('secondary', 'md', 'grow justify-start! gap-2.5! px-2!')}
            >
              <Plus className="size-4 text-muted" aria-hidden />
              {t('newPost')}
              {shortcutsOn() && (
                <span className="ms-auto" aria-hidden>
                  <Keys keys={['N']} />
                </span>
              )}
            </Link>
          )}
          <Button
            size="icon"
            aria-label={t('search')}
            aria-keyshortcuts="Meta+K Control+K"
            title={`${t('search')} (${MOD} K)`}
            onClick={onSearch}
          >
            <Search className="size-4 text-muted" aria-hidden />
          </Button>
        </div>
      )}
      <Navigation current={current} />
      <div className="flex items-center gap-1 border-t pt-2">
        <AccountMenu me={me} role={current?.role} onKeys={onKeys} />
        <LazyBell />
      </div>
    </aside>
  )
}

/** Daily screens at the top, settings at the bottom. */
function Navigation({ current }: Pick<Props, 'current'>) {
  const t = useTranslations('shell')
  const name = useEntryName()
  const matches = useMatchRoute()
  const entries = current ? entriesFor(current) : []
  const firstLow = entries.findIndex(({ low }) => low)
  return (
    <nav aria-label={t('nav')} className="flex min-h-0 grow flex-col gap-0.5 overflow-y-auto pb-2">
      {current &&
        entries.map(({ to, label, icon: Icon, also }, index) => (
          <Fragment key={to}>
            <Link
              to={to}
              params={{ ws: current.id }}
              aria-current={also?.some((one) => matches({ to: one, fuzzy: true })) ? 'page' : undefined}
              className={clsx(
                'flex min-h-(--nav) shrink-0 items-center gap-2.5 rounded-md px-2 text-13 font-medium text-muted -outline-offset-2! transition-colors hover:bg-hover hover:text-fg aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-strong',
                index === firstLow && 'mt-auto',
              )}
            >
              <Icon className="size-4" aria-hidden />
              {name(label)}
              <Suspense>
                <Count label={label} membership={current} />
              </Suspense>
            </Link>
            {/* The open screen may render its views here. */}
            <div data-below={label} className="contents" />
          </Fragment>
        ))}
    </nav>
  )
}
