import { Link } from '@tanstack/react-router'
import { Ellipsis, type LucideIcon, PenLine } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { keepClear } from '../../ui/keep-clear.ts'
import { Menu, MenuLink } from '../../ui/menu.tsx'
import Count from './count.tsx'
import { type NavigationEntry, entriesFor, type Membership, useEntryName } from './entries.ts'
import { refusal } from './workspace.tsx'

/** How many tabs fit on a phone without truncating their labels. */
const TABS = 5

/** The navigation at the bottom of every screen, on a phone. */
export function Tabs({ current }: { current: Membership }) {
  const t = useTranslations('shell')
  const name = useEntryName()
  const entries = onPhone(current)
  const writes = !refusal(current, 'createPost')
  const room = writes ? TABS - 1 : TABS
  const beside = entries.length > room ? room - 1 : entries.length
  return (
    <nav
      ref={keepClear}
      aria-label={t('nav')}
      className="sticky bottom-0 z-20 grid auto-cols-fr grid-flow-col border-t bg-bg pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {entries.slice(0, 2).map((entry) => (
        <Tab key={entry.to} ws={current.id} {...entry} text={name(entry.label)}>
          <Count label={entry.label} membership={current} />
        </Tab>
      ))}
      {writes && <Tab ws={current.id} to="/w/$ws/compose" icon={PenLine} text={t('write')} strong />}
      {entries.slice(2, beside).map((entry) => (
        <Tab key={entry.to} ws={current.id} {...entry} text={name(entry.label)}>
          <Count label={entry.label} membership={current} />
        </Tab>
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
              {name(label)}
            </MenuLink>
          ))}
        </Menu>
      )}
    </nav>
  )
}

/** The screens with the inbox before the posts, because customers wait there. */
function onPhone(membership: Membership): NavigationEntry[] {
  const entries = entriesFor(membership)
  const posts = entries.findIndex(({ label }) => label === 'posts')
  const inbox = entries[posts + 1]
  if (inbox?.label !== 'inbox' || refusal(membership, 'countConversations')) return entries
  return entries.toSpliced(posts + 1, 1).toSpliced(posts, 0, inbox)
}

interface TabProps {
  ws: string
  to: NavigationEntry['to'] | '/w/$ws/compose'
  icon: LucideIcon
  text: string
  strong?: boolean | undefined
  /** The number of waiting items. */
  children?: ReactNode
}

const tab =
  'relative grid min-h-13 min-w-0 content-center justify-items-center gap-0.5 text-2xs font-medium text-muted aria-[current=page]:text-accent-text'

function Tab({ ws, to, icon, text, strong, children }: TabProps) {
  return (
    <Link to={to} params={{ ws }} className={tab}>
      <Face icon={icon} text={text} strong={strong} />
      <span className="absolute start-1/2 top-0.5 ms-2.5 text-accent-text empty:hidden">
        <Suspense>{children}</Suspense>
      </span>
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
