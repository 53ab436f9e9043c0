import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { useTranslations } from 'use-intl'
import { configQuery } from '../../../queries.ts'
import { PasswordField } from './password-field.tsx'

/** A password that is chosen: how long it must be is said before it is typed. */
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
