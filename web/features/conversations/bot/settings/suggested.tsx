import { useQuery } from '@tanstack/react-query'
import { Target } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import type { ReplyStats } from '../../../../../src/conversations/stats/api.ts'
import { Button } from '../../../../ui/button.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { useDegree } from '../degree.ts'
import { FIGURE_DAYS, statsQuery } from '../queries.ts'

interface Props {
  threshold: number
  fixed: boolean
  onUse: (threshold: number) => void
}

/** With fewer replies, a share means little. */
const ENOUGH = 20

type Bins = ReplyStats['calibration']['bins']

/** The share of replies at or above a threshold, assuming an even spread within each bin. */
export function shareFrom(bins: Bins, threshold: number): number | null {
  const all = bins.reduce((sum, { replies }) => sum + replies, 0)
  if (all === 0) return null
  const above = bins.reduce((sum, { from, to, replies }) => {
    const part = Math.min(1, Math.max(0, (to - threshold) / (to - from)))
    return sum + replies * part
  }, 0)
  return above / all
}

/** The effect of a threshold on recent replies, and the threshold that people's reviews suggest. */
export function Suggested({ threshold, fixed, onUse }: Props) {
  const t = useTranslations('bot.sure')
  const format = useFormatter()
  const degree = useDegree()
  const { ws } = usePlace()
  const { data } = useQuery(statsQuery(ws, FIGURE_DAYS))
  if (!data) return null
  const { bins, labelled, suggestedThreshold: suggested } = data.calibration
  const share = shareFrom(bins, threshold)
  const replies = bins.reduce((sum, bin) => sum + bin.replies, 0)
  const percent = (value: number) => format.number(value, { style: 'percent', maximumFractionDigits: 0 })
  if (share === null) return null
  return (
    <>
      {replies >= ENOUGH && (
        <p className="text-13 text-muted">
          {t.rich('would', {
            sent: percent(share),
            held: percent(1 - share),
            count: replies,
            b: (words) => <strong className="font-semibold text-fg tabular-nums">{words}</strong>,
          })}
        </p>
      )}
      {suggested ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-ok-soft py-2 ps-3 pe-2 text-xs">
          <Target className="size-4 shrink-0 text-ok" aria-hidden />
          <p className="min-w-0 grow basis-48 text-muted">
            <strong className="font-semibold text-ok">{t('suggested', { degree: degree(suggested.threshold) })}</strong>{' '}
            {t('suggestedBody', {
              sent: percent(suggested.automatic),
              changed: percent(suggested.changed),
              count: labelled,
            })}
          </p>
          {!fixed && suggested.threshold !== threshold && (
            <Button size="sm" onClick={() => onUse(suggested.threshold)}>
              {t('use', { degree: degree(suggested.threshold) })}
            </Button>
          )}
        </div>
      ) : (
        <p className="text-xs text-muted">{t('tooFew', { count: labelled })}</p>
      )}
    </>
  )
}

/**
 * The replies of the last weeks by confidence, above the slider. Bars at or above the threshold, which would be sent,
 * are accented.
 */
export function Histogram({ threshold }: { threshold: number }) {
  const { ws } = usePlace()
  const bins = useQuery(statsQuery(ws, FIGURE_DAYS)).data?.calibration.bins ?? []
  const most = Math.max(...bins.map(({ replies }) => replies), 0)
  if (most === 0) return null
  return (
    <div aria-hidden className="flex h-13 items-end gap-0.5 px-2.5">
      {bins.map(({ from, replies }) => (
        <span
          key={from}
          className={from + 1e-9 >= threshold ? 'grow rounded-t-sm bg-accent/45' : 'grow rounded-t-sm bg-hold/25'}
          style={{ blockSize: `${Math.max(2, (replies / most) * 100)}%` }}
        />
      ))}
    </div>
  )
}
