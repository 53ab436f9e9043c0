import { useFormatter, useTranslations } from 'use-intl'
import type { ReplyStats } from '../../../../../src/conversations/stats/api.ts'
import { ANSWERERS, answeredIn, Parts } from './answered-bar.tsx'

/** Who answered, as a bar, as text and as a table. */
export function Answered({ stats }: { stats: ReplyStats }) {
  const t = useTranslations('bot.figures.answered')
  const words = useTranslations('bot.figures')
  const format = useFormatter()
  const all = answeredIn(stats)
  const { bot, approved, people, nobody } = stats.answeredBy
  const percent = (value: number) => format.number(value, { style: 'percent', maximumFractionDigits: 0 })
  return (
    <section aria-labelledby="answered" className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <h3 id="answered" className="text-13 font-semibold">
        {t('title')}
      </h3>
      <Parts stats={stats} className="h-3" />
      <p className="text-13">
        {all > 0 && t('said', { count: all, bot, approved, people })} {nobody > 0 && t('open', { count: nobody })}
      </p>
      {all > 0 && (
        <details className="text-xs">
          <summary className="w-fit rounded-md py-1 font-medium text-muted hover:text-fg max-sm:py-3">
            {words('asTable')}
          </summary>
          <table className="w-full max-w-md tabular-nums">
            <thead>
              <tr>
                {(['who', 'count', 'share'] as const).map((name) => (
                  <th key={name} scope="col" className="px-2 py-1 text-start font-medium text-muted">
                    {t(`columns.${name}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {ANSWERERS.map(([who, look]) => (
                <tr key={who} className="border-t">
                  <th scope="row" className="px-2 py-1 text-start font-normal">
                    <span aria-hidden className={`me-1.5 inline-block size-2 rounded-sm ${look}`} />
                    {t(`names.${who}`)}
                  </th>
                  <td className="px-2 py-1">{format.number(stats.answeredBy[who])}</td>
                  <td className="px-2 py-1">{percent(stats.answeredBy[who] / all)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </section>
  )
}
