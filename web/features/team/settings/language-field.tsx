import type { Language } from '../../../../src/team/identity/api.ts'
import { LANGUAGES } from '../../../languages.ts'
import { SelectField } from '../../../ui/select.tsx'

interface Props {
  label: string
  hint?: string
  error?: string
  value: string
  onChange: (language: Language) => void
}

export function LanguageField({ value, onChange, ...rest }: Props) {
  return (
    <SelectField
      {...rest}
      value={value}
      options={Object.entries(LANGUAGES).map(([tag, name]) => [tag, name, { lang: tag }])}
      onChange={(tag) => onChange(tag as Language)}
    />
  )
}
