import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Info, SlidersHorizontal } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { accountsQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Choice } from '../../../ui/choice.tsx'
import { mediaHook } from '../../../ui/media.ts'
import { lazy } from '../../../ui/part.tsx'
import { usePopup } from '../../../ui/popup.tsx'
import { useMoment } from '../../shell/moment.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import type { FigureFilter } from './queries.ts'
import { addDays } from '../../../time.ts'
import { type Range, RANGES, type Search } from './read-search.ts'
import { missingDays } from './rules.ts'
import { useAgo } from '../../../now.ts'
import { nameIn, useFigureWords } from './words.ts'

const FilterSheet = lazy(() => import('./filter-sheet.tsx'))

/** Whether the window is too narrow for the filters in one row. */
const useNarrow = mediaHook('(width < 40rem)')

/** The number of active filters. */
const chosenIn = ({ range, from, net, account }: Search) =>
  [range ?? from, net, account].filter((one) => one !== undefined).length

interface Props {
  search: Search
  asked: FigureFilter
  overview: AnalyticsOverview | undefined
}

/** The shown days and accounts, what they are compared with, and how complete the data is. */
export function Filters({ search, asked, overview }: Props) {
  const t = useTranslations('analytics')
  const posts = useTranslations('posts')
  const say = useFigureWords()
  const { ws, membership } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/analytics/' })
  const { data: accounts = [] } = useQuery({
    ...accountsQuery(ws),
    enabled: !refusal(membership, 'listSocialAccounts'),
  })
  const change = (next: Search) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const platforms = PLATFORM_ORDER.filter((one) => accounts.some(({ platform }) => platform === one))
  const isNarrow = useNarrow()
  const [open, setOpen] = useState(false)
  const ownDates = search.from !== undefined
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {isNarrow ? (
        <Button onClick={() => setOpen(true)}>
          <SlidersHorizontal className="size-4" aria-hidden />
          {t('filters')}
          {chosenIn(search) > 0 && <Count of={chosenIn(search)} />}
        </Button>
      ) : (
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <Choice<Range | 'own'>
            label={t('period')}
            value={ownDates ? 'own' : (search.range ?? '28d')}
            onChange={(range) => {
              if (range === 'own') setOpen(true)
              else change({ range: range === '28d' ? undefined : range, from: undefined, to: undefined })
            }}
            options={[
              ...(Object.keys(RANGES) as Range[]).map((range) => [range, t(`ranges.${range}`)] as const),
              ['own', t('ownDates')],
            ]}
          />
          {(platforms.length > 1 || search.net) && (
            <Choice
              label={posts('network')}
              value={search.net}
              onChange={(net) => change({ net, account: undefined })}
              options={[
                [undefined, posts('allNetworks')],
                ...platforms.map((one) => [one, NETWORKS[one].name] as const),
              ]}
            />
          )}
          {(accounts.length > 1 || search.account) && (
            <Choice
              label={posts('account')}
              value={search.account}
              onChange={(account) => change({ account })}
              options={[
                [undefined, posts('allAccounts')],
                ...accounts
                  .filter(({ platform }) => search.net === undefined || platform === search.net)
                  .map(({ id, name, platform }) => [id, `${name} · ${NETWORKS[platform].short}`] as const),
              ]}
            />
          )}
        </div>
      )}
      {open && (
        <Suspense>
          <FilterSheet
            search={search}
            asked={asked}
            datesOnly={!isNarrow}
            platforms={platforms}
            accounts={accounts}
            onApply={change}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
      <p className="text-xs text-muted">
        <span className="font-medium text-fg">{say.days(asked.from, asked.to)}</span>{' '}
        {overview?.previousPeriod &&
          t('comparedWith', { days: say.days(overview.previousPeriod.from, overview.previousPeriod.to) })}
      </p>
      {overview && <Coverage overview={overview} />}
    </div>
  )
}

function Count({ of }: { of: number }) {
  const t = useTranslations('analytics')
  const format = useFormatter()
  return (
    <span className="rounded-full bg-accent-soft px-1.5 text-xs text-accent-text tabular-nums">
      <span aria-hidden>{format.number(of)}</span>
      <span className="sr-only">{t('filtersSet', { count: of })}</span>
    </span>
  )
}

/** When the data was read, and what is missing. */
function Coverage({ overview }: { overview: AnalyticsOverview }) {
  const t = useTranslations('analytics')
  const moment = useMoment()
  const say = useFigureWords()
  const ago = useAgo()
  const { open, triggerProps, popupProps } = usePopup({ align: 'end' })
  const { basis } = overview
  if (basis.readAt === null) return null
  const missing = missingDays(basis.gaps)
  const nameOf = nameIn(overview)
  return (
    <>
      <button
        type="button"
        {...triggerProps}
        className="ms-auto inline-flex min-h-7 items-center gap-1.5 rounded-md px-1 text-xs text-muted hover:text-fg max-sm:ms-0 max-sm:min-h-11"
      >
        <span>{t('readAgo', { ago: ago(basis.readAt) })}</span>
        {missing > 0 && (
          <>
            <span aria-hidden>•</span>
            <span className="font-medium text-warn">{t('missing', { count: missing })}</span>
          </>
        )}
        <Info className="size-3.5" aria-hidden />
      </button>
      <div
        {...popupProps}
        role="dialog"
        aria-label={t('coverage')}
        className="pop-in fixed m-0 w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border bg-surface p-3 text-13 text-fg shadow-pop"
      >
        {open && (
          <div className="grid gap-2">
            {basis.coverage !== null && <p>{t('known', { share: say.share(basis.coverage) })}</p>}
            <p className="text-xs text-muted">
              {t('about.readAt', { time: moment(basis.readAt, 'any') })}{' '}
              {basis.nextAt !== null && t('nextAt', { time: moment(basis.nextAt) })}
            </p>
            {basis.gaps.length > 0 && (
              <ul className="grid gap-1 text-xs text-muted">
                {basis.gaps.slice(0, 12).map((gap) => (
                  <li key={`${gap.accountId} ${gap.metric} ${gap.day}`}>
                    {t('gapOf', {
                      figure: t(`figures.${gap.metric}`),
                      days: say.days(gap.day, addDays(gap.day, gap.days)),
                      reason: t(`gaps.${gap.reason}`, { account: nameOf(gap.accountId) }),
                    })}
                  </li>
                ))}
                {basis.gaps.length > 12 && <li>{t('moreGaps', { count: basis.gaps.length - 12 })}</li>}
              </ul>
            )}
          </div>
        )}
      </div>
    </>
  )
}
