import { useQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import type { ReplyStats } from '../../../../../src/conversations/stats/api.ts'
import { usePlace } from '../../../shell/workspace.tsx'
import { FIGURE_DAYS, statsQuery } from '../queries.ts'

/** Who answered, with a colour for each. */
export const ANSWERERS = [
  ['bot', 'bg-accent'],
  ['approved', 'bg-hold/60'],
  ['people', 'bg-line-strong'],
] as const

export const answeredIn = ({ answeredBy }: Pick<ReplyStats, 'answeredBy'>) =>
  ANSWERERS.reduce((sum, [who]) => sum + answeredBy[who], 0)

/** The answered messages as a bar: bot alone, people with a draft, people alone. The text next to it says the same. */
export function Parts({ stats, className }: { stats: Pick<ReplyStats, 'answeredBy'>; className: string }) {
  const all = answeredIn(stats)
  return (
    <div
      aria-hidden
      className={`flex gap-0.5 overflow-hidden rounded-full ${all === 0 ? 'bg-hover' : ''} ${className}`}
    >
      {ANSWERERS.map(([who, look]) => {
        const count = stats.answeredBy[who]
        return count > 0 && <span key={who} className={look} style={{ flex: count }} />
      })}
    </div>
  )
}

/** Below the summary sentence: how many messages came in, and who answered which share. */
export function AnsweredBar() {
  const t = useTranslations('bot.figures.answered')
  const format = useFormatter()
  const { ws } = usePlace()
  const { data: stats } = useQuery(statsQuery(ws, FIGURE_DAYS))
  if (!stats || stats.received === 0) return null
  const all = answeredIn(stats)
  const { nobody } = stats.answeredBy
  const percent = (value: number) => format.number(value, { style: 'percent', maximumFractionDigits: 0 })
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 pt-2 text-xs text-muted tabular-nums">
      <Parts stats={stats} className="h-1.5 w-60 max-w-full max-sm:w-full" />
      <p>
        {t.rich('messages', {
          count: stats.received,
          days: FIGURE_DAYS,
          b: (words) => <strong className="font-semibold text-fg">{words}</strong>,
        })}
      </p>
      {all > 0 && <p>{t('of', { count: all })}</p>}
      {all > 0 && (
        <ul aria-label={t('title')} className="flex flex-wrap gap-x-4 gap-y-1">
          {ANSWERERS.map(([who, look]) => (
            <li key={who} className="inline-flex items-center gap-1.5">
              <span aria-hidden className={`size-2 rounded-sm ${look}`} />
              {t(`shares.${who}`, { share: percent(stats.answeredBy[who] / all) })}
            </li>
          ))}
        </ul>
      )}
      {nobody > 0 && <p>{t('waiting', { count: nobody })}</p>}
    </div>
  )
}
