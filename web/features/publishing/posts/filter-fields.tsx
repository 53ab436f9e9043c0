import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { accountsQuery } from '../../../queries.ts'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { type Filter, FILTERS } from './filters.ts'

interface Props {
  filter: Filter
  onChange: (change: Filter) => void
}

const select = 'input w-auto min-w-0 max-w-44 pe-7 text-13 max-sm:max-w-none max-sm:flex-1 max-sm:basis-32'

/** Network and account, as far as there is a choice. */
export function TargetFilters({ filter, onChange }: Props) {
  const t = useTranslations('posts')
  const { ws, membership } = usePlace()
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refusal(membership, 'listSocialAccounts') })
  return (
    <>
      <select
        className={select}
        aria-label={t('network')}
        value={filter.net ?? ''}
        onChange={(event) => onChange({ net: PLATFORM_ORDER.find((one) => one === event.target.value) })}
      >
        <option value="">{t('allNetworks')}</option>
        {PLATFORM_ORDER.map((one) => (
          <option key={one} value={one}>
            {NETWORKS[one].name}
          </option>
        ))}
      </select>
      {((accounts.data?.length ?? 0) > 1 || filter.account) && (
        <select
          className={select}
          aria-label={t('account')}
          value={filter.account ?? ''}
          onChange={(event) => onChange({ account: event.target.value || undefined })}
        >
          <option value="">{t('allAccounts')}</option>
          {accounts.data?.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name} · {NETWORKS[one.platform].short}
            </option>
          ))}
        </select>
      )}
    </>
  )
}

export function StatusFilter({ filter, onChange }: Props) {
  const t = useTranslations('posts')
  return (
    <select
      className={select}
      aria-label={t('status')}
      value={filter.status ?? ''}
      onChange={(event) => onChange({ status: event.target.value || undefined })}
    >
      {Object.entries(FILTERS).map(([key, status]) => (
        <option key={key} value={status ?? ''}>
          {status ? t(`filter.${key as keyof typeof FILTERS}`) : t('allStatuses')}
        </option>
      ))}
    </select>
  )
}
