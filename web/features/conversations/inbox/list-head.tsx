import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ArrowUpDown, ChevronDown, ListFilter, Search, X } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { NETWORKS } from '../../../labels.ts'
import { accountsQuery, labelsQuery } from '../../../queries.ts'
import { withKey } from '../../../shortcuts.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { LabelDot } from '../../../ui/label-chip.tsx'
import { Menu, MenuGroup, MenuItem, MenuLine, MenuRadio } from '../../../ui/menu.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { countsQuery } from './queries.ts'
import { everyMemberQuery } from '../../team/members/queries.ts'
import { usePeople } from './people.tsx'
import { type InboxSearch, isFiltered, KINDS, NO_FILTER, SENTIMENTS, URGENCIES, VIEWS, viewsFor } from './search.ts'
import { UrgencySign } from './urgency.tsx'

interface Props {
  search: InboxSearch
  onChange: (change: Partial<InboxSearch>) => void
  /** Whether the search field is open. It stays open while it has text. */
  searches: boolean
  onSearches: (open: boolean) => void
}

/** The selected view and its filters. */
export function ListHead({ search, onChange, searches, onSearches }: Props) {
  const t = useTranslations('inbox')
  const open = searches || search.q !== undefined
  // A client gets the newest first, since urgency is not for them.
  const isClient = usePlace().membership.role === 'CLIENT'
  return (
    <div className="border-b">
      <div className="flex min-h-12 items-center gap-0.5 ps-2 pe-2 lg:ps-2.5">
        <ViewMenu search={search} onChange={onChange} />
        <span className="grow" />
        <Button
          variant="ghost"
          size="icon"
          aria-label={t('search')}
          aria-expanded={open}
          aria-keyshortcuts="/"
          title={withKey(t('search'), '/')}
          onClick={() => onSearches(!open)}
        >
          <Search className="size-4" aria-hidden />
        </Button>
        <FilterMenu search={search} onChange={onChange} />
        {!isClient && (
          <Menu
            label={t('sort')}
            align="end"
            trigger={(props) => (
              <Button variant="ghost" size="icon" aria-label={t('sort')} title={t('sort')} {...props}>
                <ArrowUpDown className="size-4" aria-hidden />
              </Button>
            )}
          >
            <MenuRadio checked={search.sort === undefined} onSelect={() => onChange({ sort: undefined })}>
              {t('sorts.priority')}
            </MenuRadio>
            <MenuRadio checked={search.sort === 'newest'} onSelect={() => onChange({ sort: 'newest' })}>
              {t('sorts.newest')}
            </MenuRadio>
          </Menu>
        )}
      </div>
      {open && (
        <div className="px-3 pb-2 *:max-w-none!" data-inbox-search>
          <SearchField
            label={t('searchHint')}
            value={search.q ?? ''}
            onChange={(q) => onChange({ q: q || undefined })}
          />
        </div>
      )}
      {isFiltered(search) && <Chosen search={search} onChange={onChange} />}
    </div>
  )
}

type Narrowed = Pick<Props, 'search' | 'onChange'>

function ViewMenu({ search, onChange }: Narrowed) {
  const t = useTranslations('inbox')
  const { ws, membership } = usePlace()
  const counts = useQuery({ ...countsQuery(ws), enabled: !refusal(membership, 'countConversations') }).data
  const view = search.filter ?? VIEWS[0]
  const count = counts?.[view] ?? 0
  return (
    <Menu
      label={t('view')}
      trigger={(props) => (
        <h2 className="min-w-0">
          <Button variant="ghost" {...props} className="px-1.5! text-15 font-semibold text-fg!">
            <span className="sr-only">{t('view')}: </span>
            {t(`views.${view}`)}
            {count > 0 && <bdi className="font-normal text-muted tabular-nums">{count}</bdi>}
            <ChevronDown className="size-4 text-faint" aria-hidden />
          </Button>
        </h2>
      )}
    >
      {viewsFor(membership.role).map((one) => (
        <MenuRadio
          key={one}
          checked={one === view}
          onSelect={() => onChange({ filter: one === VIEWS[0] ? undefined : one, ...NO_FILTER })}
        >
          <span className="flex items-center justify-between gap-4">
            {t(`views.${one}`)}
            <bdi className="text-xs text-muted tabular-nums">{counts?.[one] || ''}</bdi>
          </span>
        </MenuRadio>
      ))}
    </Menu>
  )
}

function FilterMenu({ search, onChange }: Narrowed) {
  const t = useTranslations('inbox')
  const { ws, membership } = usePlace()
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refusal(membership, 'listSocialAccounts') }).data ?? []
  const labels = useQuery(labelsQuery(ws)).data ?? []
  const { only, urgency, sentiment, account, label, closed, unread } = search
  return (
    <Menu
      label={t('filter')}
      align="end"
      trigger={(props) => (
        <Button
          variant="ghost"
          size="icon"
          aria-label={t('filter')}
          title={t('filter')}
          {...props}
          className={clsx(isFiltered({ ...search, q: undefined }) && 'bg-accent-soft text-accent-text!')}
        >
          <ListFilter className="size-4" aria-hidden />
        </Button>
      )}
    >
      <MenuRadio stay checked={unread ?? false} onSelect={() => onChange({ unread: unread ? undefined : true })}>
        {t('onlyUnread')}
      </MenuRadio>
      <MenuRadio stay checked={closed ?? false} onSelect={() => onChange({ closed: closed ? undefined : true })}>
        {t('statuses.CLOSED')}
      </MenuRadio>
      <MenuGroup label={t('kind')}>
        {KINDS.map((one) => (
          <MenuRadio
            key={one}
            stay
            checked={only === one}
            onSelect={() => onChange({ only: only === one ? undefined : one })}
          >
            {t(`kindsMany.${one}`)}
          </MenuRadio>
        ))}
      </MenuGroup>
      {membership.role !== 'CLIENT' && (
        <MenuGroup label={t('urgency')}>
          {URGENCIES.map((one) => (
            <MenuRadio
              key={one}
              stay
              checked={urgency === one}
              onSelect={() => onChange({ urgency: urgency === one ? undefined : one })}
            >
              <span className="flex items-center gap-2">
                <UrgencySign urgency={one} />
                {t(`urgencies.${one}`)}
              </span>
            </MenuRadio>
          ))}
        </MenuGroup>
      )}
      {membership.role !== 'CLIENT' && (
        <>
          <MenuGroup label={t('sentiment')}>
            {SENTIMENTS.map((one) => (
              <MenuRadio
                key={one}
                stay
                checked={sentiment === one}
                onSelect={() => onChange({ sentiment: sentiment === one ? undefined : one })}
              >
                {t(`sentiments.${one}`)}
              </MenuRadio>
            ))}
          </MenuGroup>
          <AssignedTo search={search} onChange={onChange} />
        </>
      )}
      {accounts.length > 1 && (
        <MenuGroup label={t('account')}>
          {accounts.map(({ id, name, platform }) => (
            <MenuRadio
              key={id}
              stay
              checked={account === id}
              onSelect={() => onChange({ account: account === id ? undefined : id })}
            >
              <bdi>{name}</bdi> · {NETWORKS[platform].short}
            </MenuRadio>
          ))}
        </MenuGroup>
      )}
      {labels.length > 0 && (
        <MenuGroup label={t('label')}>
          {labels.map(({ id, name, color }) => (
            <MenuRadio
              key={id}
              stay
              checked={label === id}
              onSelect={() => onChange({ label: label === id ? undefined : id })}
            >
              <span className="flex items-center gap-2">
                <LabelDot color={color} />
                <bdi>{name}</bdi>
              </span>
            </MenuRadio>
          ))}
        </MenuGroup>
      )}
      {isFiltered(search) && (
        <>
          <MenuLine />
          <MenuItem onSelect={() => onChange(NO_FILTER)}>{t('empty.clear')}</MenuItem>
        </>
      )}
    </Menu>
  )
}

/** The people to whom threads can be assigned. They are loaded when the menu opens. */
function AssignedTo({ search: { assignee }, onChange }: Narrowed) {
  const t = useTranslations('inbox')
  const people = usePeople()
  return (
    <MenuGroup label={t('assignee')}>
      {people.map(({ id, name, mine }) => (
        <MenuRadio
          key={id}
          stay
          checked={assignee === id}
          onSelect={() => onChange({ assignee: assignee === id ? undefined : id })}
        >
          <span className="flex items-center gap-2">
            <Avatar name={name} className="size-5" />
            <bdi>{mine ? t('you') : name}</bdi>
          </span>
        </MenuRadio>
      ))}
    </MenuGroup>
  )
}

/** The active filters, each with a button to remove it. */
function Chosen({ search, onChange }: Narrowed) {
  const t = useTranslations('inbox')
  const { ws, membership } = usePlace()
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refusal(membership, 'listSocialAccounts') }).data
  const labels = useQuery(labelsQuery(ws)).data
  const { only, urgency, sentiment, assignee, account, label, closed, post, unread } = search
  const members = useQuery({ ...everyMemberQuery(ws), enabled: assignee !== undefined }).data
  const chips: [keyof InboxSearch, string | undefined][] = [
    ['unread', unread && t('onlyUnread')],
    ['only', only && t(`kindsMany.${only}`)],
    ['closed', closed && t('statuses.CLOSED')],
    ['urgency', urgency && t(`urgencies.${urgency}`)],
    ['sentiment', sentiment && t(`sentiments.${sentiment}`)],
    ['assignee', assignee && members?.find(({ id }) => id === assignee)?.name],
    ['account', account && accounts?.find(({ id }) => id === account)?.name],
    ['post', post && t('onePost')],
    ['label', label && labels?.find(({ id }) => id === label)?.name],
  ]
  const shown = chips.filter(([, name]) => name !== undefined)
  if (shown.length === 0) return null
  return (
    <div className="flex flex-wrap gap-1.5 px-3 pb-2">
      {shown.map(([key, name]) => (
        <button
          key={key}
          type="button"
          onClick={() => onChange({ [key]: undefined })}
          className="inline-flex min-h-6 max-w-full items-center gap-1 rounded-full bg-accent-soft ps-2.5 pe-1.5 text-xs font-medium text-accent-text max-sm:min-h-11 max-sm:ps-4 max-sm:pe-3"
        >
          <bdi className="clip">{name}</bdi>
          <X className="size-3.5 shrink-0" aria-hidden />
          <span className="sr-only">{t('remove')}</span>
        </button>
      ))}
    </div>
  )
}
