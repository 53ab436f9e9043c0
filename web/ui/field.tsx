import { clsx } from 'clsx'
import { CircleAlert } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useId, useState } from 'react'
import { useTranslations } from 'use-intl'

export interface FieldFrame {
  label: string
  hint?: ReactNode
  error?: ReactNode
}

/** A label, its control, a hint and an error, linked for assistive technology. */
export function Frame({ id, label, hint, error, children }: FieldFrame & { id: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <label htmlFor={id} className="text-13 font-medium">
        {label}
      </label>
      {children}
      {hint && !error && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="flex items-start gap-1.5 text-xs text-bad">
          <CircleAlert className="mt-px size-3.5 shrink-0" aria-hidden />
          <span>{error}</span>
        </p>
      )}
    </div>
  )
}

/** The id of the text that describes a control in a `Frame`: its error, else its hint. */
export const described = (id: string, hint: unknown, error: unknown) =>
  error ? `${id}-error` : hint ? `${id}-hint` : undefined

/** The constraint that the browser reports as violated. */
type Refused = 'missing' | 'email' | 'url' | 'number' | 'least' | 'most' | 'step' | 'short' | 'other'

function refusedAs({ validity, type }: HTMLInputElement): Refused {
  if (validity.valueMissing) return 'missing'
  if (validity.typeMismatch) return type === 'url' ? 'url' : 'email'
  if (validity.badInput) return 'number'
  if (validity.rangeUnderflow) return 'least'
  if (validity.rangeOverflow) return 'most'
  if (validity.stepMismatch) return 'step'
  return validity.tooShort ? 'short' : 'other'
}

interface TextFieldProps extends FieldFrame, Omit<ComponentProps<'input'>, 'onInvalid'> {
  /** Shown inside the field, at the end of its text. */
  end?: ReactNode
  /** Error texts that replace the defaults. */
  faults?: Partial<Record<Refused, string>>
}

/** A single-line field. It shows its own error texts instead of the browser's validation bubbles. */
export function TextField({ label, hint, error, end, className, faults, onChange, ...rest }: TextFieldProps) {
  const t = useTranslations()
  const [refused, setRefused] = useState<Refused | null>(null)
  const own = useId()
  const id = rest.id ?? own
  const { min, max, step, minLength } = rest
  const usual = (kind: Refused) =>
    kind === 'missing'
      ? t('faults.required')
      : t(`common.fault.${kind}`, {
          least: Number(kind === 'short' ? minLength : min),
          most: Number(max),
          step: Number(step ?? 1),
        })
  const shown = refused ? (faults?.[refused] ?? usual(refused)) : error
  // A value can become valid without typing, when another field changes the limits.
  useEffect(() => {
    const field = document.getElementById(id)
    if (refused && field instanceof HTMLInputElement && field.validity.valid) setRefused(null)
  }, [id, refused, rest])
  return (
    <Frame id={id} label={label} hint={hint} error={shown}>
      {/* The end slot follows the direction of the field's text. */}
      <div className="relative" dir={end ? rest.dir : undefined}>
        <input
          {...rest}
          id={id}
          className={clsx('input', end && 'pe-11', className)}
          aria-invalid={shown ? true : undefined}
          aria-describedby={described(id, hint, shown)}
          onInvalid={(event) => {
            event.preventDefault()
            const field = event.currentTarget
            setRefused(refusedAs(field))
            // Only the first invalid field takes the focus.
            if (field.form?.querySelector('input:invalid') === field) field.focus()
          }}
          onChange={(event) => {
            setRefused(null)
            onChange?.(event)
          }}
        />
        {end && <div className="absolute inset-y-0 end-0.5 flex items-center">{end}</div>}
      </div>
    </Frame>
  )
}

/** An error that concerns a whole form. */
export function FormError({ children }: { children: ReactNode }) {
  return (
    <div role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2.5 text-13 text-bad">
      <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div>{children}</div>
    </div>
  )
}
