import type { ComponentProps } from 'react'
import { useTranslations } from 'use-intl'
import { session } from '../../../session.ts'
import { TextField } from '../../../ui/field.tsx'

const LONGEST = 254

/** The last typed address, so that a person who changes the way in does not type it again. In memory alone, never in a URL. */
let typed = ''
session.listen(() => {
  typed = ''
})

/** The e-mail address on the pages before the sign-in. */
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
