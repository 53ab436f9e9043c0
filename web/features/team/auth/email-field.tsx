import type { ComponentProps } from 'react'
import { session } from '../../../session.ts'
import { TextField } from '../../../ui/field.tsx'

/** The last typed address, so that a person who changes the way in does not type it again. In memory alone, never in a URL. */
let typed = ''
session.listen(() => {
  typed = ''
})

/** The e-mail address on the pages before the sign-in. */
export const EmailField = (props: Omit<ComponentProps<typeof TextField>, 'name' | 'type' | 'onChange' | 'dir'>) => (
  <TextField
    {...props}
    name="email"
    type="email"
    dir="ltr"
    required
    maxLength={254}
    defaultValue={typed}
    onChange={(event) => {
      typed = event.target.value.trim()
    }}
  />
)
