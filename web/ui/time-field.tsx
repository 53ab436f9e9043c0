import { clsx } from 'clsx'
import { Clock } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { HALF_HOURS, readClock } from './clock.ts'
import { described, Frame, type FieldFrame } from './field.tsx'
import { usePhone } from './media.ts'
import { usePopup } from './popup.tsx'

interface Props extends FieldFrame {
  /** HH:MM, or typed text that is not a time. */
  value: string
  onChange: (value: string) => void
  autoFocus?: boolean
}

/** A clock time, typed or chosen from half hours. On a phone it uses the system's picker. */
export function TimeField({ label, hint, error, value, onChange, autoFocus }: Props) {
  const id = useId()
  const t = useTranslations('common')
  const format = useFormatter()
  const phone = usePhone()
  const { open, show, hide, triggerProps, popupProps, popup } = usePopup<HTMLInputElement>({ wide: true })
  const [typed, setTyped] = useState<string | null>(null)
  const [at, setAt] = useState<string | null>(null)
  const shown = (time: string) =>
    format.dateTime(new Date(`2000-01-01T${time}Z`), { timeStyle: 'short', timeZone: 'UTC' })
  const known = readClock(value) === value
  /** The highlighted half hour: chosen by keys, else the last one up to the current time. */
  const active = at ?? HALF_HOURS.findLast((time) => time <= value)
  const begin = () => {
    if (open) return
    setAt(null)
    show()
    const now = popup.current?.querySelector<HTMLElement>('[data-active]')
    if (popup.current && now) popup.current.scrollTop = now.offsetTop - popup.current.clientHeight / 2
  }
  const choose = (time: string) => {
    hide()
    setTyped(null)
    onChange(time)
  }
  const keys = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      if (!open) return begin()
      const next = HALF_HOURS[HALF_HOURS.indexOf(active ?? '') + step]
      if (!next) return
      setAt(next)
      popup.current?.querySelector(`[data-time="${next}"]`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && open && at) {
      event.preventDefault()
      choose(at)
    } else if (event.key === 'Tab') hide(false)
  }
  const told = { 'aria-invalid': error ? true : undefined, 'aria-describedby': described(id, hint, error) }
  const { onClick: _click, onPointerDown: _down, ...trigger } = triggerProps
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      {phone ? (
        <input
          {...told}
          id={id}
          type="time"
          className="input"
          value={known ? value : ''}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <>
          <div className="relative">
            <input
              {...trigger}
              {...told}
              id={id}
              role="combobox"
              aria-expanded={open}
              aria-controls={trigger['aria-controls']}
              aria-haspopup="listbox"
              aria-autocomplete="none"
              aria-activedescendant={open && at ? `${id}-${at}` : undefined}
              autoComplete="off"
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- for a field that was asked for just now
              autoFocus={autoFocus}
              className="input min-w-32 pe-9 tabular-nums"
              value={typed ?? (known ? shown(value) : value)}
              onChange={(event) => {
                const text = event.target.value
                setTyped(text)
                setAt(null)
                onChange(readClock(text) ?? text)
              }}
              onClick={begin}
              onKeyDown={keys}
              onBlur={() => setTyped(null)}
            />
            <Clock className="pointer-events-none absolute inset-y-0 end-2.5 my-auto size-4 text-muted" aria-hidden />
          </div>
          <div
            {...popupProps}
            role="listbox"
            aria-label={t('choices')}
            className="pop-in fixed m-0 max-h-64! overflow-y-auto overscroll-contain rounded-lg border bg-surface p-1 text-fg shadow-pop"
          >
            {open &&
              HALF_HOURS.map((time) => (
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are the field's
                <div
                  key={time}
                  id={`${id}-${time}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={time === value}
                  data-time={time}
                  data-active={time === active || undefined}
                  className={clsx(
                    'flex min-h-8 cursor-pointer items-center rounded-md px-2 text-13 tabular-nums hover:bg-hover max-sm:min-h-11 pointer-coarse:min-h-11',
                    time === active && 'bg-hover',
                    time === value && 'font-semibold text-accent-text',
                  )}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(time)}
                >
                  <bdi>{shown(time)}</bdi>
                </div>
              ))}
          </div>
        </>
      )}
    </Frame>
  )
}
