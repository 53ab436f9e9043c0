import { useFormatter, useTranslations } from 'use-intl'
import type { ReplyStats } from '../../../../../src/conversations/stats/api.ts'
import { useDegree } from '../degree.ts'

/** Whether the confidence is calibrated: of the replies at 0.8, people should leave about 80 % unchanged. */
export function Reliability({ calibration }: { calibration: ReplyStats['calibration'] }) {
  const t = useTranslations('bot.figures')
  const format = useFormatter()
  const degree = useDegree()
  const { bins, labelled, ece } = calibration
  const percent = (value: number) => format.number(value, { style: 'percent', maximumFractionDigits: 0 })
  return (
    <section aria-labelledby="reliability" className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <h3 id="reliability" className="text-13 font-semibold">
        {t('reliability')}
      </h3>
      <p className="max-w-2xl text-13 text-muted">{t('reliabilityBody')}</p>
      {labelled === 0 ? (
        <p className="text-13 text-muted">{t('noLabels')}</p>
      ) : (
        <>
          <ul className="grid max-w-2xl grid-cols-[minmax(0,1fr)] gap-1 text-xs tabular-nums">
            {bins
              .filter((bin) => bin.labelled > 0)
              .map(({ from, to, labelled: count, unchanged, calibrated }) => {
                const share = calibrated ?? unchanged / count
                const expected = (from + to) / 2
                return (
                  <li key={from} className="grid grid-cols-[5.5rem_minmax(0,1fr)_8.5rem] items-center gap-2">
                    <bdi dir="ltr" className="text-muted">{`${degree(from)}–${degree(to)}`}</bdi>
                    <span aria-hidden className="relative h-3 rounded-sm bg-hover">
                      <span
                        className="absolute inset-y-0 start-0 rounded-sm bg-accent/60"
                        style={{ inlineSize: `${share * 100}%` }}
                      />
                      <span
                        className="absolute -inset-y-0.5 w-0.5 bg-fg"
                        style={{ insetInlineStart: `calc(${expected * 100}% - 1px)` }}
                      />
                    </span>
                    <span>
                      <b>{percent(share)}</b> <span className="text-muted">{t('unchanged', { unchanged, count })}</span>
                    </span>
                  </li>
                )
              })}
          </ul>
          <p className="text-xs text-muted">{t('mark')}</p>
          {ece !== null && <p className="text-13">{t('ece', { error: percent(ece), count: labelled })}</p>}
        </>
      )}
    </section>
  )
}
