import { clsx } from 'clsx'
import { CalendarDays } from 'lucide-react'
import { Suspense, useId } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { dateIn, DAY, type WeekStart } from '../time.ts'
import { Button } from './button.tsx'
import { described, Frame, type FieldFrame } from './field.tsx'
import { usePhone } from './media.ts'
import { lazy } from './part.tsx'
import { usePopup } from './popup.tsx'

const MonthPicker = lazy(async () => ({ default: (await import('./month-picker.tsx')).MonthPicker }))

interface Props extends FieldFrame {
  /** YYYY-MM-DD; empty for none. */
  value: string
  onChange: (date: string) => void
  min?: string | undefined
  max?: string | undefined
  /** The zone that determines today, and the first day of the week. */
  place: { timezone: string; weekStart: WeekStart }
  /** The text shown without a date. If given, the date can be cleared. */
  none?: string
}

/** A date field with a month picker. On a phone it uses the system's picker. */
export function DateField({ label, hint, error, value, onChange, min, max, place, none }: Props) {
  const id = useId()
  const t = useTranslations('common')
  const format = useFormatter()
  const phone = usePhone()
  const { open, hide, triggerProps, popupProps } = usePopup()
  const told = { 'aria-invalid': error ? true : undefined, 'aria-describedby': described(id, hint, error) }
  const choose = (date: string) => {
    hide()
    onChange(date)
  }
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      {phone ? (
        <input
          {...told}
          id={id}
          type="date"
          className="input"
          min={min}
          max={max}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <>
          <button
            {...triggerProps}
            {...told}
            type="button"
            id={id}
            role="combobox"
            aria-expanded={open}
            aria-controls={triggerProps['aria-controls']}
            aria-haspopup="dialog"
            className="input flex min-w-40 items-center justify-between gap-2 text-start"
          >
            <span className={clsx('tabular-nums', !value && 'text-muted')}>
              {value ? format.dateTime(new Date(`${value}T12:00Z`), { ...DAY, timeZone: 'UTC' }) : none}
            </span>
            <CalendarDays className="size-4 shrink-0 text-muted" aria-hidden />
          </button>
          <div
            {...popupProps}
            role="dialog"
            aria-label={t('choices')}
            className="pop-in fixed m-0 w-72 overflow-y-auto rounded-lg border bg-surface p-2 text-fg shadow-pop max-sm:w-[calc(100vw-1rem)]"
          >
            {open && (
              <Suspense fallback={<div className="skeleton h-64" aria-hidden />}>
                <MonthPicker
                  date={value || null}
                  today={dateIn(new Date(), place.timezone)}
                  weekStart={place.weekStart}
                  min={min}
                  max={max}
                  onDate={choose}
                />
              </Suspense>
            )}
            {open && none && value && (
              <Button variant="ghost" size="sm" className="mt-1 w-full" onClick={() => choose('')}>
                {t('noDate')}
              </Button>
            )}
          </div>
        </>
      )}
    </Frame>
  )
}
