import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useTranslations } from 'use-intl'
import { TextField } from '../../../ui/field.tsx'

/** A password field. It shows its own error for a missing or short password, in place of the browser's. */
export function PasswordField({ error, onChange, ...rest }: ComponentProps<typeof TextField>) {
  const t = useTranslations('auth')
  const [shown, setShown] = useState(false)
  const [fault, setFault] = useState<'passwordMissing' | 'passwordTooShort' | null>(null)
  const Icon = shown ? EyeOff : Eye
  return (
    <TextField
      {...rest}
      type={shown ? 'text' : 'password'}
      dir="ltr"
      error={fault ? t(fault, { min: rest.minLength ?? 1 }) : error}
      onInvalid={(event) => {
        event.preventDefault()
        setFault(event.currentTarget.validity.valueMissing ? 'passwordMissing' : 'passwordTooShort')
        // Of several wrong fields the first one takes the focus.
        if (event.currentTarget.form?.querySelector('input:invalid') === event.currentTarget)
          event.currentTarget.focus()
      }}
      onChange={(event) => {
        setFault(null)
        onChange?.(event)
      }}
      end={
        <button
          type="button"
          className="grid size-8 place-items-center rounded-md text-muted hover:text-fg max-sm:size-11"
          aria-pressed={shown}
          aria-label={t('showPassword')}
          onClick={() => setShown(!shown)}
        >
          <Icon className="size-4" aria-hidden />
        </button>
      }
    />
  )
}
