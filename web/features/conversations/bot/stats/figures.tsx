import { useQuery } from '@tanstack/react-query'
import { ChartNoAxesColumn } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { ReplyStats } from '../../../../../src/conversations/stats/api.ts'
import { Empty } from '../../../../ui/empty.tsx'
import { Loaded } from '../../../../ui/states.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { useSpan } from '../../inbox/times.ts'
import { statsQuery } from '../queries.ts'
import { Answered } from './answered.tsx'
import { ByDay } from './by-day.tsx'
import { Reliability } from './reliability.tsx'

const SPANS = [7, 30, 90] as const

/** How customers are answered, by the bot and by people, and how reliable the bot's confidence is. */
export default function Figures() {
  const t = useTranslations('bot.figures')
  const { ws } = usePlace()
  const [days, setDays] = useState<(typeof SPANS)[number]>(30)
  const query = useQuery(statsQuery(ws, days))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div role="group" aria-label={t('span')} className="segments justify-self-start">
        {SPANS.map((one) => (
          <button
            key={one}
            type="button"
            className="segment max-sm:min-h-11"
            aria-pressed={days === one}
            onClick={() => setDays(one)}
          >
            {t('days', { count: one })}
          </button>
        ))}
      </div>
      <Loaded query={query} skeleton={<div className="skeleton h-64" aria-hidden />}>
        {(stats) =>
          stats.received === 0 ? (
            <Empty icon={ChartNoAxesColumn} title={t('none')} role="status">
              {t('noneBody')}
            </Empty>
          ) : (
            <>
              <Answered stats={stats} />
              <Numbers stats={stats} />
              <ByDay days={stats.days} />
              <Reliability calibration={stats.calibration} />
            </>
          )
        }
      </Loaded>
    </div>
  )
}

/** The figures of the whole period, each with an explanation. */
function Numbers({ stats }: { stats: ReplyStats }) {
  const t = useTranslations('bot.figures')
  const format = useFormatter()
  const span = useSpan()
  const percent = (value: number | null) =>
    value === null ? '—' : format.number(value, { style: 'percent', maximumFractionDigits: 0 })
  const time = (seconds: number | null) => (seconds === null ? '—' : span(seconds * 1000))
  const { firstResponseSeconds: first, satisfaction } = stats
  const all = [
    ['received', format.number(stats.received)],
    ['automatedShare', percent(stats.automatedShare)],
    ['held', format.number(stats.held)],
    ['escalated', format.number(stats.escalated)],
    ['median', time(first.median)],
    ['p90', time(first.p90)],
    ['resolutionRate', percent(stats.resolutionRate)],
    [satisfaction.basis, percent(satisfaction.value)],
    ['approvedUnchanged', format.number(stats.approvedUnchanged)],
    ['edited', format.number(stats.edited)],
    ['flagged', format.number(stats.flagged)],
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-2 @2xl:grid-cols-4">
      {all.map(([name, value]) => (
        <div key={name} className="card flex flex-col-reverse justify-end gap-0.5 px-3 py-2">
          <dd className="text-xs text-muted">{t(`means.${name}`)}</dd>
          <dd className="text-xl font-semibold tracking-tight tabular-nums">{value}</dd>
          <dt className="text-13 font-medium">{t(`names.${name}`)}</dt>
        </div>
      ))}
    </dl>
  )
}
