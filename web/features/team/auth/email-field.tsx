import { type ComponentProps, useState } from 'react'
import { useTranslations } from 'use-intl'
import { session } from '../../../session.ts'
import { TextField } from '../../../ui/field.tsx'

const LONGEST = 254

/** The last typed address, so that a person who changes the way in does not type it again. In memory alone, never in a URL. */
let typed = ''
session.listen(() => {
  typed = ''
})

/** The e-mail address on the pages before the sign-in. It says its faults itself, in place of the browser. */
export function EmailField({
  error,
  ...rest
}: Omit<ComponentProps<typeof TextField>, 'name' | 'type' | 'onChange' | 'onInvalid' | 'dir'>) {
  const t = useTranslations('auth')
  const [fault, setFault] = useState<'emailMissing' | 'emailTooLong' | 'emailWrong' | null>(null)
  return (
    <TextField
      {...rest}
      name="email"
      type="email"
      dir="ltr"
      required
      defaultValue={typed}
      error={fault ? t(fault, { most: LONGEST }) : error}
      onInvalid={(event) => {
        event.preventDefault()
        const { value, validity } = event.currentTarget
        setFault(value.length > LONGEST ? 'emailTooLong' : validity.valueMissing ? 'emailMissing' : 'emailWrong')
        event.currentTarget.focus()
      }}
      onChange={({ target }) => {
        typed = target.value.trim()
        target.setCustomValidity(typed.length > LONGEST ? 'too long' : '')
        setFault(null)
      }}
    />
  )
}
