import { useQuery } from '@tanstack/react-query'
import { Info } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { MetricEntry } from '../../../../src/insights/analytics/api.ts'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { usePopup } from '../../../ui/popup.tsx'
import { useMoment } from '../../shell/moment.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { catalogueQuery } from './queries.ts'

interface Props {
  /** The name of the figure on this screen. */
  name: string
  basis: MetricEntry['basis']
  /** The catalogue metrics that the figure is computed from. */
  metrics: readonly string[]
  /** An additional note, such as how a rate is computed. */
  note?: string | undefined
  readAt: string | null
  className?: string
}

/** Explains a figure: what it is, where it comes from, and when it was read. */
export function About({ name, basis, metrics, note, readAt, className }: Props) {
  const t = useTranslations('analytics.about')
  const words = useTranslations('metricWords')
  const { ws } = usePlace()
  const moment = useMoment()
  const { open, triggerProps, popupProps } = usePopup({ align: 'end' })
  const catalogue = useQuery({ ...catalogueQuery(ws), enabled: open })
  const entries = (catalogue.data ?? []).filter((entry) => entry.basis === basis && metrics.includes(entry.metric))
  return (
    <>
      <button
        type="button"
        {...triggerProps}
        aria-label={t('open', { name })}
        className={`grid size-6 shrink-0 place-items-center rounded-md text-muted max-sm:size-11 hover:bg-hover hover:text-fg ${className ?? ''}`}
      >
        <Info className="size-3.5" aria-hidden />
      </button>
      <div
        {...popupProps}
        role="dialog"
        aria-label={t('open', { name })}
        className="pop-in fixed m-0 w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border bg-surface p-3 text-start text-13 font-normal whitespace-normal text-fg shadow-pop"
      >
        {open && (
          <div className="grid gap-2">
            {note && <p>{note}</p>}
            {entries.map((entry) => {
              const key = `${basis}.${entry.metric}` as 'activity.impressions'
              const from = PLATFORM_ORDER.map((platform) => ({
                platform,
                names: [
                  ...new Set(entry.sources.flatMap((source) => (source.platform === platform ? source.name : []))),
                ],
              }))
              return (
                <section key={entry.metric} className="grid gap-1">
                  <p>{words.has(key) ? words(key) : entry.sentence}</p>
                  <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-xs text-muted">
                    {from.map(({ platform, names }) => (
                      <div key={platform} className="contents">
                        <dt>{NETWORKS[platform].short}</dt>
                        <dd>
                          {names.length > 0 ? (
                            <code dir="ltr" className="break-all">
                              {names.join(', ')}
                            </code>
                          ) : (
                            t('notTold')
                          )}
                        </dd>
                      </div>
                    ))}
                  </dl>
                </section>
              )
            })}
            <p className="text-xs text-muted">
              {readAt === null ? t('notRead') : t('readAt', { time: moment(readAt, 'any') })}
            </p>
          </div>
        )}
      </div>
    </>
  )
}
