import type { ComponentProps } from 'react'
import { useTranslations } from 'use-intl'
import { session } from '../../../session.ts'
import { TextField } from '../../../ui/field.tsx'

const LONGEST = 254

/** The last typed address, so that switching the sign-in method keeps it. Only in memory, never in a URL. */
let typed = ''
session.listen(() => {
  typed = ''
})

/** The email field of the pages before sign-in. */
export function EmailField(props: Omit<ComponentProps<typeof TextField>, 'name' | 'type' | 'onChange' | 'dir'>) {
  const t = useTranslations('auth')
  return (
    <TextField
      {...props}
      name="email"
      type="email"
      dir="ltr"
      required
      defaultValue={typed}
      faults={{ missing: t('emailMissing'), other: t('emailTooLong', { most: LONGEST }) }}
      onChange={({ target }) => {
        typed = target.value.trim()
        target.setCustomValidity(typed.length > LONGEST ? 'too long' : '')
      }}
    />
  )
}
