import { useQueries, useQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import type { BestTimes as Found } from '../../../../src/insights/predictions/api.ts'
import { nextOfSlot } from '../../../../src/insights/predictions/rules.ts'
import { accountsQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { bestTimesQuery } from './queries.ts'
import { useSlotWords } from './words.ts'

interface Props {
  /** Limits the accounts; all by default. */
  accountIds?: readonly string[] | undefined
  /** Also shows how reliable each time is, and how many posts support it. */
  detailed?: boolean
  /** Chooses the start of the next slot, as a wall time of the workspace. */
  onChoose?: (wall: string) => void
}

/** The maximum number of accounts to show. */
const MOST = 5

/** The times at which posts of each account perform better, with a verdict. */
export default function BestTimes({ accountIds, detailed = false, onChoose }: Props) {
  const t = useTranslations('predictions')
  const { ws } = usePlace()
  const { hidden, reason } = useMay('getBestTimes')
  const { data: accounts = [] } = useQuery(accountsQuery(ws))
  const wanted = accounts.filter(({ id }) => accountIds?.includes(id) ?? true)
  const shown = wanted.slice(0, MOST)
  const found = useQueries({
    queries: shown.map(({ id }) => ({ ...bestTimesQuery(ws, id), enabled: !hidden && reason === null })),
  })
  if (hidden || shown.length === 0) return null
  const Heading = detailed ? 'h2' : 'h3'
  return (
    <section aria-labelledby="best-times" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Heading id="best-times" className={detailed ? 'text-13 font-semibold' : 'text-xs font-medium text-muted'}>
        {t('bestTimes')}
      </Heading>
      {reason !== null && <p className="text-13 text-muted">{reason}</p>}
      {reason === null && (
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 text-13">
          {shown.map(({ id, name, platform }, index) => {
            const query = found[index]
            return (
              <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                {shown.length > 1 && (
                  <span className="inline-flex max-w-full min-w-0 items-center gap-2">
                    <NetworkMark platform={platform} small label />
                    <bdi className="clip">{name}</bdi>
                  </span>
                )}
                {query?.data ? (
                  <Verdict found={query.data} detailed={detailed} onChoose={onChoose} />
                ) : query?.error ? (
                  <Button size="sm" onClick={() => void query.refetch()}>
                    {t('again')}
                  </Button>
                ) : (
                  <span className="skeleton h-5 w-40" aria-hidden />
                )}
              </li>
            )
          })}
        </ul>
      )}
      {detailed && wanted.length > MOST && (
        <p className="text-xs text-muted">{t('moreAccounts', { count: wanted.length - MOST })}</p>
      )}
    </section>
  )
}

/** The recommended times, or why there are none. */
function Verdict({ found, detailed, onChoose }: { found: Found } & Pick<Props, 'detailed' | 'onChoose'>) {
  const t = useTranslations('predictions')
  const format = useFormatter()
  const slotWords = useSlotWords()
  const { verdict, slots, timezone } = found
  if (verdict === 'too_little_data')
    return <span className="text-muted">{t('needed', { have: found.have, need: found.need })}</span>
  if (verdict === 'no_difference') return <span className="text-muted">{t('noDifference', { count: found.have })}</span>
  const times = (ratio: number) => format.number(ratio, { maximumFractionDigits: 2 })
  return slots.map(({ slot, n, ratio, low, high }) => {
    const words = (
      <>
        {slotWords(slot)}{' '}
        <bdi dir="ltr" className="tabular-nums">
          ×{times(ratio)}
        </bdi>
      </>
    )
    const why = t('bestWhy', { count: n })
    return onChoose ? (
      <Button key={slot} size="sm" title={why} onClick={() => onChoose(nextOfSlot(slot, new Date(), timezone))}>
        {words}
      </Button>
    ) : (
      <span key={slot} title={why} className="rounded-md bg-sunken px-2 py-1 text-xs">
        {words}
        {detailed && (
          <span className="text-muted"> {t('bestRange', { low: times(low), high: times(high), count: n })}</span>
        )}
      </span>
    )
  })
}
