import { useFormatter, useTranslations } from 'use-intl'
import type { ReplyStats } from '../../../../../src/conversations/stats/api.ts'

/** Received messages and their outcomes by day, as bars and as an accessible table. */
export function ByDay({ days }: { days: ReplyStats['days'] }) {
  const t = useTranslations('bot.figures')
  const format = useFormatter()
  const most = Math.max(1, ...days.map(({ received }) => received))
  const dayOf = (day: string) =>
    format.dateTime(new Date(`${day}T12:00Z`), { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return (
    <section aria-labelledby="by-day" className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <h3 id="by-day" className="text-13 font-semibold">
        {t('byDay')}
      </h3>
      <p aria-hidden className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        <Key look="bg-accent">{t('names.botSent')}</Key>
        <Key look="bg-hold/60">{t('names.held')}</Key>
        <Key look="bg-line-strong">{t('rest')}</Key>
      </p>
      <div aria-hidden className="flex h-32 items-end gap-px">
        {days.map(({ day, received, botSent, held }) => {
          const part = (count: number) => `${(Math.min(count, received) / most) * 100}%`
          const rest = Math.max(0, received - botSent - held)
          return (
            <div key={day} className="flex h-full min-w-0 grow flex-col justify-end" title={dayOf(day)}>
              <span className="rounded-t-sm bg-line-strong" style={{ blockSize: part(rest) }} />
              <span className="bg-hold/60" style={{ blockSize: part(held) }} />
              <span className="bg-accent" style={{ blockSize: part(botSent) }} />
            </div>
          )
        })}
      </div>
      <details className="text-xs">
        <summary className="w-fit rounded-md py-1 font-medium text-muted hover:text-fg max-sm:py-3">
          {t('asTable')}
        </summary>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keys */}
        <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={t('byDay')}>
          <table className="w-full text-start tabular-nums">
            <thead>
              <tr>
                {(['day', 'received', 'botSent', 'held', 'escalated'] as const).map((name) => (
                  <th key={name} scope="col" className="px-2 py-1 text-start font-medium text-muted">
                    {t(`names.${name}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map(({ day, received, botSent, held, escalated }) => (
                <tr key={day} className="border-t">
                  <th scope="row" className="px-2 py-1 text-start font-normal whitespace-nowrap">
                    {dayOf(day)}
                  </th>
                  {Object.entries({ received, botSent, held, escalated }).map(([name, count]) => (
                    <td key={name} className="px-2 py-1">
                      {format.number(count)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  )
}

const Key = ({ look, children }: { look: string; children: string }) => (
  <span className="inline-flex items-center gap-1.5">
    <span className={`size-2 rounded-sm ${look}`} />
    {children}
  </span>
)
