import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'

interface Props {
  label: string
  hint?: string
  values: string[]
  onChange: (values: string[]) => void
  most: number
  maxLength: number
  /** Whether the content is read-only. */
  fixed?: boolean
  error?: string | undefined
}

/** A list of short texts. Enter or a comma adds one; Backspace in the empty field removes the last. */
export function TagField({ label, hint, values, onChange, most, maxLength, fixed, error }: Props) {
  const t = useTranslations('common')
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const add = (text: string) => {
    const known = new Set(values.map((one) => one.toLowerCase()))
    const more: string[] = []
    for (const part of text.split(/[,،\n]/)) {
      const value = part.trim().slice(0, maxLength)
      if (!value || known.has(value.toLowerCase())) continue
      known.add(value.toLowerCase())
      more.push(value)
    }
    // Existing values stay, even if there are too many.
    const room = Math.max(0, most - values.length)
    setTyped(more.slice(room).join(', '))
    if (room > 0 && more.length > 0) onChange([...values, ...more.slice(0, room)])
  }
  const fault = error ?? (typed !== '' && values.length >= most ? t('noMoreValues', { count: most }) : undefined)
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && typed.trim()) {
      event.preventDefault()
      add(typed)
    } else if (event.key === 'Backspace' && typed === '' && values.length > 0) onChange(values.slice(0, -1))
  }
  return (
    <div className="grid content-start gap-1.5">
      {fixed ? (
        <p className="text-13 font-medium">{label}</p>
      ) : (
        <label htmlFor={id} className="text-13 font-medium">
          {label}
        </label>
      )}
      {values.length > 0 && (
        <ul className="flex flex-wrap gap-1.5" aria-label={label}>
          {values.map((value) => (
            <li
              key={value}
              className={clsx(
                'flex min-h-6 min-w-0 items-center gap-1 rounded-full bg-accent-soft ps-2.5 text-xs font-medium text-accent-text',
                fixed && 'px-2.5',
              )}
            >
              <bdi className="min-w-0 break-words">{value}</bdi>
              {!fixed && (
                <button
                  type="button"
                  aria-label={t('removeNamed', { name: value })}
                  className="grid size-6 place-items-center rounded-full hover:bg-hover max-sm:size-11 pointer-coarse:size-11"
                  onClick={() => {
                    onChange(values.filter((one) => one !== value))
                    field.current?.focus()
                  }}
                >
                  <X className="size-3.5" aria-hidden />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {fixed ? (
        values.length === 0 && <p className="text-13 text-muted">—</p>
      ) : (
        <input
          ref={field}
          id={id}
          className="input"
          dir="auto"
          enterKeyHint="enter"
          aria-describedby={clsx(hint && `${id}-hint`, fault && `${id}-error`) || undefined}
          aria-invalid={fault ? true : undefined}
          maxLength={maxLength}
          value={typed}
          onChange={(event) =>
            /[,،]/.test(event.target.value) ? add(event.target.value) : setTyped(event.target.value)
          }
          onKeyDown={keys}
          onBlur={() => add(typed)}
        />
      )}
      {hint && !fixed && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-error`} role="alert" className="text-xs text-bad">
          {fault}
        </p>
      )}
    </div>
  )
}
