import { useFormatter } from 'use-intl'

/**
 * The weekday names above a month: one visible letter, the full name for screen readers. `week` holds the dates of any
 * week.
 */
export function WeekdayHead({ week }: { week: readonly string[] }) {
  const format = useFormatter()
  const name = (date: string, weekday: 'narrow' | 'long') =>
    format.dateTime(new Date(`${date}T12:00Z`), { weekday, timeZone: 'UTC' })
  return (
    <thead>
      <tr>
        {week.map((date) => (
          <th key={date} scope="col" className="py-1 text-center text-xs font-medium text-muted">
            <span aria-hidden>{name(date, 'narrow')}</span>
            <span className="sr-only">{name(date, 'long')}</span>
          </th>
        ))}
      </tr>
    </thead>
  )
}
