import { Link } from '@tanstack/react-router'
import { Ellipsis, type LucideIcon, PenLine } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { keepClear } from '../../ui/keep-clear.ts'
import { Menu, MenuLink } from '../../ui/menu.tsx'
import { type Entry, entriesFor, type Membership, useEntryName } from './entries.ts'
import { refusal } from './workspace.tsx'

/** How many tabs fit on a phone without truncating their labels. */
const TABS = 5

/** The navigation at the bottom of every screen, on a phone. */
export function Tabs({ current }: { current: Membership }) {
  const t = useTranslations('shell')
  const name = useEntryName()
  const entries = entriesFor(current)
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
        <Tab key={entry.to} ws={current.id} {...entry} text={name(entry.label)} />
      ))}
      {writes && <Tab ws={current.id} to="/w/$ws/compose" icon={PenLine} text={t('write')} strong />}
      {entries.slice(2, beside).map((entry) => (
        <Tab key={entry.to} ws={current.id} {...entry} text={name(entry.label)} />
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
