import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type LinkProps, useNavigate } from '@tanstack/react-router'
import {
  FileInput,
  FileText,
  Keyboard,
  LayoutGrid,
  type LucideIcon,
  PenLine,
  Settings,
  Share2,
  UserPlus,
  UserRound,
} from 'lucide-react'
import { useDeferredValue } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../client.ts'
import { NETWORKS } from '../../labels.ts'
import { accountsQuery, live, meQuery } from '../../queries.ts'
import { everyMemberQuery } from '../team/members/queries.ts'
import { sectionsFor } from '../team/settings/sections.ts'
import { entriesFor, type Membership, useEntryName } from './entries.ts'
import { refusal } from './workspace.tsx'

export type CommandGroup = 'goTo' | 'create' | 'posts' | 'accounts' | 'members' | 'settings'

/** One choice in the command menu. */
export interface Command {
  id: string
  group: CommandGroup
  icon: LucideIcon
  text: string
  detail?: string | null
  keys?: readonly string[]
  run: () => void
}

/** The maximum number of results per kind, so that they can be read at a glance. */
const MOST = 5

/** Posts that contain a text. */
const foundQuery = (ws: string, text: string) => ({
  ...live,
  queryKey: [ws, 'posts', 'found', text],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await call('listPosts', { workspace: ws, query: { text, limit: MOST }, signal })).data,
  placeholderData: keepPreviousData,
})

const plain = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLocaleLowerCase()

/** Whether a text contains every typed word. */
function holds(text: string, typed: string): boolean {
  const within = plain(text)
  return plain(typed)
    .split(/\s+/)
    .every((word) => within.includes(word))
}

interface FoundCommands {
  commands: Command[]
  /** Whether posts are still searched for, so that more commands may follow. */
  isPending: boolean
  /** Why posts, accounts or members could not be searched. */
  error: unknown
}

/** The commands of a person in a workspace: every screen before they type, then the matches. */
export function useCommands(membership: Membership, typed: string, onKeys: () => void): FoundCommands {
  const t = useTranslations('commands')
  const shell = useTranslations('shell')
  const settings = useTranslations('settings')
  const name = useEntryName()
  const navigate = useNavigate()
  const ws = membership.id
  const text = useDeferredValue(typed.trim())
  const may = (operation: Parameters<typeof refusal>[1]) => !refusal(membership, operation)
  const accounts = useQuery({ ...accountsQuery(ws), enabled: may('listSocialAccounts') })
  const members = useQuery({ ...everyMemberQuery(ws), enabled: may('listMembers') })
  const isInSeveral = (useQuery(meQuery).data?.workspaces.length ?? 0) > 1
  const posts = useQuery({ ...foundQuery(ws, text), enabled: text !== '' })
  const go = (to: NonNullable<LinkProps['to']>, params: Record<string, string> = { ws }) => {
    return () => void navigate({ to, params } as never)
  }

  const screens: Command[] = entriesFor(membership).map(({ to, label, icon, letter }) => ({
    id: to,
    group: 'goTo',
    icon,
    text: name(label),
    ...(letter && { keys: ['G', letter.toUpperCase()] }),
    run: go(to),
  }))
  const own: (Command | false)[] = [
    isInSeveral && {
      id: 'overview',
      group: 'goTo',
      icon: LayoutGrid,
      text: shell('overview'),
      run: go('/overview', {}),
    },
    { id: 'me', group: 'goTo', icon: UserRound, text: shell('profile'), run: go('/me', {}) },
    { id: 'keys', group: 'goTo', icon: Keyboard, text: shell('keys'), keys: ['?'], run: onKeys },
  ]
  const create: (Command | false)[] = [
    may('createPost') && {
      id: 'new',
      group: 'create',
      icon: PenLine,
      text: shell('newPost'),
      keys: ['N'],
      run: go('/w/$ws/compose'),
    },
    may('createPost') && {
      id: 'import',
      group: 'create',
      icon: FileInput,
      text: t('importPosts'),
      run: go('/w/$ws/posts/import'),
    },
    may('startConnection') && {
      id: 'connect',
      group: 'create',
      icon: Share2,
      text: t('connect'),
      run: go('/w/$ws/accounts'),
    },
    may('inviteMember') && {
      id: 'invite',
      group: 'create',
      icon: UserPlus,
      text: t('invite'),
      run: go('/w/$ws/settings/members'),
    },
  ]
  const always = [...screens, ...create.filter((one) => one !== false)]
  if (text === '') return { commands: always, isPending: false, error: null }

  const fits = (one: Command) => holds(`${one.text} ${one.detail ?? ''}`, text)
  const sections = sectionsFor(membership).map(({ to, label }): Command => ({
    id: `in ${to}`,
    group: 'settings',
    icon: Settings,
    text: settings(label),
    run: go(to),
  }))
  const connected = (accounts.data ?? []).map((one): Command => ({
    id: one.id,
    group: 'accounts',
    icon: Share2,
    text: one.name,
    detail: NETWORKS[one.platform].short,
    run: go('/w/$ws/accounts'),
  }))
  const people = (members.data ?? []).map((one): Command => ({
    id: one.id ?? one.name,
    group: 'members',
    icon: UserRound,
    text: one.name || (one.email ?? ''),
    detail: one.email,
    run: go('/w/$ws/settings/members'),
  }))
  const found = (posts.data ?? []).map((one): Command => ({
    id: one.id,
    group: 'posts',
    icon: FileText,
    text: one.caption || t('untitled'),
    run: go('/w/$ws/posts/$id', { ws, id: one.id }),
  }))
  const commands = [
    ...[...always, ...own.filter((one) => one !== false)].filter(fits),
    ...found,
    ...connected.filter(fits).slice(0, MOST),
    ...people.filter(fits).slice(0, MOST),
    ...sections.filter(fits),
  ]
  // The posts of the text before stay until those of this one arrive.
  const isPending = posts.isPending || posts.isPlaceholderData || accounts.isLoading || members.isLoading
  const failed = [posts, accounts, members].find(({ isLoadingError }) => isLoadingError)
  return { commands, isPending, error: failed?.error ?? null }
}
