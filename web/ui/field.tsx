import { clsx } from 'clsx'
import { CircleAlert } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { useTranslations } from 'use-intl'

export interface Shared {
  label: string
  hint?: ReactNode
  error?: ReactNode
  end?: ReactNode
}

/** A label, its control, a hint and the fault, tied together for everybody. */
export function Frame({ id, label, hint, error, children }: Shared & { id: string; children: ReactNode }) {
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

/** The texts that screen readers read with a control of a frame. */
export const described = (id: string, hint: unknown, error: unknown) =>
  error ? `${id}-error` : hint ? `${id}-hint` : undefined

interface TextFieldProps extends Shared, Omit<ComponentProps<'input'>, 'onInvalid'> {
  /** The text for a value that the browser refuses. */
  faultOf?: (field: HTMLInputElement) => string
}

/** A field of one line. It shows its own error for a value that the browser refuses, in place of the browser's. */
export function TextField({ label, hint, error, end, className, faultOf, onChange, ...rest }: TextFieldProps) {
  const t = useTranslations('faults')
  const [fault, setFault] = useState<string | null>(null)
  const own = useId()
  const id = rest.id ?? own
  const shown = fault ?? error
  return (
    <Frame id={id} label={label} hint={hint} error={shown}>
      {/* What stands at the end of a field is where its text ends. */}
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
            setFault(faultOf?.(field) ?? (field.validity.valueMissing ? t('required') : field.validationMessage))
            // Of several wrong fields the first one takes the focus.
            if (field.form?.querySelector('input:invalid') === field) field.focus()
          }}
          onChange={(event) => {
            setFault(null)
            onChange?.(event)
          }}
        />
        {end && <div className="absolute inset-y-0 end-0.5 flex items-center">{end}</div>}
      </div>
    </Frame>
  )
}

/** An error of a whole form. */
export function FormError({ children }: { children: ReactNode }) {
  return (
    <div role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2.5 text-13 text-bad">
      <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div>{children}</div>
    </div>
  )
}
