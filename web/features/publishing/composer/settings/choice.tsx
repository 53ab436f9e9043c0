import { useId } from 'react'

interface Props {
  id?: string
  label: string
  hint?: string | undefined
  checked: boolean
  disabled?: boolean
  onChange: (on: boolean) => void
}

/** A checkbox with an explanation. */
export function Choice({ id, label, hint, checked, disabled, onChange }: Props) {
  const own = useId()
  return (
    <label className="flex min-h-8 items-start gap-2.5 py-1 text-13 has-disabled:text-muted max-sm:min-h-11">
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 accent-accent"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? own : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0">
        <span className="block">{label}</span>
        {hint && (
          <span id={own} className="block text-xs text-muted">
            {hint}
          </span>
        )}
      </span>
    </label>
  )
}
