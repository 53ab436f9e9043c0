import { Link } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import type { AnalyticsOverview, FirstReading } from '../../../../src/insights/analytics/api.ts'
import { Meter } from '../../../ui/meter.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { useMoment } from '../../shell/moment.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { useNow } from '../../../now.ts'
import { progressOf } from './rules.ts'

type Account = AnalyticsOverview['byAccount'][number]

/** The progress of each account's first reading. */
export function FirstReadings({ accounts }: { accounts: readonly Account[] }) {
  const t = useTranslations('analytics')
  const format = useFormatter()
  const now = useNow(5_000)
  const stage = useStage()
  return (
    <ul className="grid w-full grid-cols-[minmax(0,1fr)] gap-3 text-start text-13">
      {accounts.map(({ accountId, name, platform, firstReading }) => {
        if (!firstReading) return null
        const progress = progressOf(firstReading, now)
        const share = format.number(progress, { style: 'percent' })
        return (
          <li key={accountId} className="grid grid-cols-[minmax(0,1fr)] gap-1">
            <span className="flex flex-wrap items-center gap-x-2">
              <NetworkMark platform={platform} small label />
              <bdi className="clip font-medium">{name}</bdi>
              <span className="text-xs text-muted">{stage(firstReading)}</span>
            </span>
            <Meter label={t('readingOf', { account: name })} value={progress} max={1} text={share} />
          </li>
        )
      })}
    </ul>
  )
}

function useStage() {
  const t = useTranslations('analytics.stages')
  const format = useFormatter()
  return ({ hasDays, hasPosts, postsSince }: FirstReading) => {
    if (postsSince !== null && !hasPosts)
      return t('back', { day: format.dateTime(new Date(postsSince), { day: 'numeric', month: 'short' }) })
    return t(hasDays ? 'days' : hasPosts ? 'posts' : 'waiting')
  }
}

/** Accounts without new figures, because their last reading failed or they are disconnected. */
export function Standstill({ accounts }: { accounts: readonly Account[] }) {
  const t = useTranslations('analytics')
  const moment = useMoment()
  const { ws } = usePlace()
  const still = accounts.filter(({ state }) => state !== 'read')
  if (still.length === 0) return null
  return (
    <ul
      aria-label={t('standstill')}
      className="grid grid-cols-[minmax(0,1fr)] gap-1 rounded-lg bg-warn-soft px-3 py-2.5 text-13 text-warn"
    >
      {still.map(({ accountId, name, state, readAt, nextAt }) => (
        <li key={accountId} className="flex items-start gap-2">
          <Info className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span>
            {state === 'failing' ? t('failing', { account: name }) : t('notConnected', { account: name })}{' '}
            {readAt !== null && t('figuresFrom', { time: moment(readAt, 'any') })}{' '}
            {state === 'failing' && nextAt !== null && t('nextTry', { time: moment(nextAt) })}{' '}
            {state === 'not_connected' && (
              <Link to="/w/$ws/accounts" params={{ ws }} className="-my-1 inline-block py-1 font-medium underline">
                {t('toAccounts')}
              </Link>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
