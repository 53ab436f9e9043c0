import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ArrowUpDown, ChevronDown, ListFilter, Search } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { withKey } from '../../../shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuRadio } from '../../../ui/menu.tsx'
import { lazy } from '../../../ui/part.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { countsQuery } from './queries.ts'
import { isFiltered, type Narrowing, NO_FILTER, VIEWS, viewsFor } from './search.ts'

// These load when they are needed.
const Filters = lazy(async () => ({ default: (await import('./filters.tsx')).Filters }))
const ChosenFilters = lazy(async () => ({ default: (await import('./chosen-filters.tsx')).ChosenFilters }))

interface Props extends Narrowing {
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
      <Suspense>{isFiltered(search) && <ChosenFilters search={search} onChange={onChange} />}</Suspense>
    </div>
  )
}

function ViewMenu({ search, onChange }: Narrowing) {
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

function FilterMenu({ search, onChange }: Narrowing) {
  const t = useTranslations('inbox')
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
      <Suspense>
        <Filters search={search} onChange={onChange} />
      </Suspense>
    </Menu>
  )
}
