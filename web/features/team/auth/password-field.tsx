import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useTranslations } from 'use-intl'
import { TextField } from '../../../ui/field.tsx'

/** A password field with a button to show the text. */
export function PasswordField(props: ComponentProps<typeof TextField>) {
  const t = useTranslations('auth')
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      dir="ltr"
      faults={{ missing: t('passwordMissing') }}
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
