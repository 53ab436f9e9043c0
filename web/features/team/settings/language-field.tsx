import type { Language } from '../../../../src/team/identity/api.ts'
import { LANGUAGES } from '../../../languages.ts'
import { SelectField } from '../../../ui/field.tsx'

interface Props {
  label: string
  hint?: string
  error?: string
  value: string
  onChange: (language: Language) => void
}

export function LanguageField({ value, onChange, ...rest }: Props) {
  return (
    <SelectField {...rest} value={value} onChange={(event) => onChange(event.target.value as Language)}>
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
