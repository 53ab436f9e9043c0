import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { useTranslations } from 'use-intl'
import { configQuery } from '../../../queries.ts'
import { PasswordField } from './password-field.tsx'

/** A field for a new password, which states the required length up front. */
export function NewPasswordField(props: ComponentProps<typeof PasswordField>) {
  const t = useTranslations('auth')
  const { data: config } = useQuery(configQuery)
  const min = config?.passwordMinLength ?? 10
  return (
    <PasswordField
      {...props}
      autoComplete="new-password"
      required
      minLength={min}
      maxLength={128}
      hint={t('passwordHint', { min })}
    />
  )
}
