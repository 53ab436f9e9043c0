import {
  CalendarDays,
  ChartNoAxesColumn,
  CircleCheckBig,
  Image,
  Inbox,
  Lightbulb,
  List,
  type LucideIcon,
  Settings,
  Share2,
  Sun,
  UsersRound,
} from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../src/team/identity/api.ts'
import { sectionsFor } from '../team/settings/sections.ts'
import { refusal } from './workspace.tsx'

export type Membership = Profile['workspaces'][number]

/** A screen in the navigation. */
export interface NavigationEntry {
  to:
    | '/w/$ws/today'
    | '/w/$ws/approvals'
    | '/w/$ws/inbox'
    | '/w/$ws/calendar'
    | '/w/$ws/posts'
    | '/w/$ws/accounts'
    | '/w/$ws/media'
    | '/w/$ws/ideas'
    | '/w/$ws/analytics'
    | '/w/$ws/audience'
    | ReturnType<typeof sectionsFor>[number]['to']
  label:
    | 'today'
    | 'approvals'
    | 'inbox'
    | 'calendar'
    | 'posts'
    | 'ideas'
    | 'analytics'
    | 'audience'
    | 'media'
    | 'accounts'
    | 'settings'
  icon: LucideIcon
  /** Other addresses that belong to the entry. */
  also?: readonly ('/w/$ws/competitors' | '/w/$ws/ab-tests')[]
  /** The key of the shortcut, after G. */
  letter?: string
  /** Set up once and rarely opened, so at the bottom of the sidebar. */
  low?: boolean
}

const TODAY: NavigationEntry = { to: '/w/$ws/today', label: 'today', icon: Sun, letter: 't' }
const CALENDAR: NavigationEntry = { to: '/w/$ws/calendar', label: 'calendar', icon: CalendarDays, letter: 'c' }
const POSTS: NavigationEntry = { to: '/w/$ws/posts', label: 'posts', icon: List, letter: 'p' }
const INBOX: NavigationEntry = { to: '/w/$ws/inbox', label: 'inbox', icon: Inbox, letter: 'i' }
const APPROVALS: NavigationEntry = { to: '/w/$ws/approvals', label: 'approvals', icon: CircleCheckBig, letter: 'a' }
const ANALYTICS: NavigationEntry = {
  to: '/w/$ws/analytics',
  label: 'analytics',
  icon: ChartNoAxesColumn,
  also: ['/w/$ws/competitors', '/w/$ws/ab-tests'],
  letter: 'y',
}
const WORK: NavigationEntry[] = [
  { to: '/w/$ws/audience', label: 'audience', icon: UsersRound, letter: 'u' },
  { to: '/w/$ws/ideas', label: 'ideas', icon: Lightbulb, letter: 'd' },
  ANALYTICS,
  { to: '/w/$ws/media', label: 'media', icon: Image, letter: 'm' },
  { to: '/w/$ws/accounts', label: 'accounts', icon: Share2, low: true },
]

/** The screens that a role may open. A client's approvals come first. */
export function entriesFor(membership: Membership): NavigationEntry[] {
  const entries =
    membership.role === 'CLIENT' ? [APPROVALS, CALENDAR, POSTS, INBOX] : [TODAY, CALENDAR, POSTS, INBOX, APPROVALS]
  if (!refusal(membership, 'listSocialAccounts')) entries.push(...WORK)
  else entries.push(ANALYTICS)
  const [first] = sectionsFor(membership)
  if (first) entries.push({ to: first.to, label: 'settings', icon: Settings, letter: 's', low: true })
  return entries
}

/** Returns the name of an entry. */
export function useEntryName() {
  const t = useTranslations('shell')
  const features = useTranslations('states.features')
  return (label: NavigationEntry['label']) =>
    label === 'approvals' || label === 'analytics' || label === 'audience' ? features(label) : t(label)
}
