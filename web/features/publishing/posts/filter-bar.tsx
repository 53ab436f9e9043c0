import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ChevronDown, X } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { SavedView } from '../../../../src/publishing/views/api.ts'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { accountsQuery, labelsQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Choice } from '../../../ui/choice.tsx'
import { lazy } from '../../../ui/part.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { LabelMenu } from '../../team/labels/label-menu.tsx'
import { FILTERS, isFiltered, NO_FILTER } from './filters.ts'
import type { Filter } from './read-filter.ts'

// Loads after the filters.
const ViewsMenu = lazy(() => import('../views/views-menu.tsx'))

interface Props {
  screen: SavedView['screen']
  filter: Filter
  onChange: (change: Filter) => void
  /** Whether to show the status filter. A list has tabs for it instead. */
  statuses?: boolean
}

/** The filters of the list and the calendar in one row. Networks and accounts appear only if there is a choice. */
export function FilterBar({ screen, filter, onChange, statuses }: Props) {
  const t = useTranslations('posts')
  const { ws, membership } = usePlace()
  const { data: accounts = [] } = useQuery({
    ...accountsQuery(ws),
    enabled: !refusal(membership, 'listSocialAccounts'),
  })
  return (
    <>
      <SearchField label={t('search')} value={filter.q ?? ''} onChange={(q) => onChange({ q: q || undefined })} />
      <div className="strip flex min-w-0 flex-wrap items-center gap-2 max-sm:-mx-4 max-sm:basis-[calc(100%+2rem)] max-sm:px-4">
        {statuses && (
          <Choice
            label={t('status')}
            value={filter.status}
            onChange={(status) => onChange({ status })}
            options={Object.entries(FILTERS).map(
              ([key, status]) =>
                [status, status ? t(`filter.${key as keyof typeof FILTERS}`) : t('allStatuses')] as const,
            )}
          />
        )}
        <Choice
          label={t('network')}
          value={filter.net}
          onChange={(net) => onChange({ net })}
          options={[[undefined, t('allNetworks')], ...PLATFORM_ORDER.map((one) => [one, NETWORKS[one].name] as const)]}
        />
        {(accounts.length > 1 || filter.account) && (
          <Choice
            label={t('account')}
            value={filter.account}
            onChange={(account) => onChange({ account })}
            options={[
              [undefined, t('allAccounts')],
              ...accounts.map(({ id, name, platform }) => [id, `${name} · ${NETWORKS[platform].short}`] as const),
            ]}
          />
        )}
        <LabelFilter value={filter.label} onChange={(label) => onChange({ label })} />
        {isFiltered(filter) && (
          <Button variant="ghost" onClick={() => onChange(NO_FILTER)}>
            <X className="size-3.5" aria-hidden />
            {t('clear')}
          </Button>
        )}
        <Suspense>
          <ViewsMenu screen={screen} filter={filter} onChange={onChange} />
        </Suspense>
      </div>
    </>
  )
}

interface LabelFilterProps {
  value: string | undefined
  onChange: (value: string | undefined) => void
}

function LabelFilter({ value, onChange }: LabelFilterProps) {
  const t = useTranslations('posts')
  const { ws } = usePlace()
  const { data: labels = [] } = useQuery(labelsQuery(ws))
  const ids = value?.split(',') ?? []
  const names = labels.flatMap(({ id, name }) => (ids.includes(id) ? [name] : []))
  if (labels.length === 0 && ids.length === 0) return null
  return (
    <LabelMenu
      label={t('label')}
      chosen={new Set(ids)}
      onToggle={({ id }, on) => {
        const next = on ? [...ids, id] : ids.filter((one) => one !== id)
        onChange(next.length > 0 ? next.join(',') : undefined)
      }}
      trigger={(props) => (
        <Button
          {...props}
          className={clsx('max-w-48 font-normal', ids.length > 0 && 'border-accent! bg-accent-soft! text-accent-text!')}
        >
          <span className={clsx(names.length > 0 && 'sr-only')}>
            {t('label')}
            {names.length > 0 && ': '}
          </span>
          {names.length > 0 && <bdi className="max-w-36 clip">{names.join(', ')}</bdi>}
          <ChevronDown className="size-3.5 shrink-0 opacity-70" aria-hidden />
        </Button>
      )}
    />
  )
}
