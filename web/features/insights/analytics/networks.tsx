import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { NetworkMark } from '../../../ui/network.tsx'
import { About } from './about.tsx'
import { type Column, Ranked } from './ranked.tsx'
import { Change, Value } from './value.tsx'
import { useFigureWords } from './words.ts'

type Row = AnalyticsOverview['byAccount'][number]
type Key = 'impressions' | 'engagement' | 'rate' | 'reach' | 'followers'
const KEYS: readonly Key[] = ['impressions', 'engagement', 'rate', 'reach', 'followers']

/** The figures of each account, sorted by one of them. Networks count in different ways. */
export default function Networks({ overview }: { overview: AnalyticsOverview }) {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  const [order, setOrder] = useState<Key>('impressions')
  const rows = overview.byAccount.toSorted((a, b) => (b.totals[order].value ?? -1) - (a.totals[order].value ?? -1))
  const columns = KEYS.map((key): Column<Row, Key> => ({
    key,
    name: t(`figures.${key}`),
    isOrder: true,
    about: (
      <About
        name={t(`figures.${key}`)}
        basis="activity"
        metrics={key === 'rate' ? ['engagement', 'impressions'] : [key]}
        note={key === 'rate' ? t('rateNote.impressions') : key === 'reach' ? t('reachNote') : undefined}
        readAt={overview.basis.readAt}
      />
    ),
    value: ({ totals, change }) => {
      const by = change?.[key] ?? null
      return (
        <span className="inline-flex flex-wrap items-baseline justify-end gap-x-2">
          <Value of={totals[key].value} say={key === 'rate' ? say.share : say.whole} />
          {key === 'reach' && totals.reach.value !== null && (
            <span className="text-xs font-normal text-muted">{t(`reachOver.${totals.reach.over}`)}</span>
          )}
          {by !== null && (
            <Change by={by} words={key === 'rate' ? t('points', { value: say.points(by) }) : say.share(Math.abs(by))} />
          )}
        </span>
      )
    },
  }))
  return (
    <section aria-label={t('tabs.networks')} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-xs text-muted">{t('networksNote')}</p>
      <Ranked
        label={t('tabs.networks')}
        first={t('account')}
        rows={rows}
        keyOf={({ accountId }) => accountId}
        head={({ name, platform }) => (
          <span className="flex min-h-9 min-w-0 items-center gap-2.5">
            <NetworkMark platform={platform} />
            <span className="grid min-w-0">
              <bdi className="clip font-medium">{name}</bdi>
              <span className="text-xs text-muted">{NETWORKS[platform].name}</span>
            </span>
          </span>
        )}
        columns={columns}
        order={order}
        onOrder={setOrder}
      />
    </section>
  )
}
