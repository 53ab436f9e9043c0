import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { SelectField } from '../../../ui/select.tsx'

interface Props {
  label: string
  choices: readonly (readonly [value: string, label: string])[]
  value: string
  onChange: (value: string) => void
  maxLength: number
}

/** A choice among some options, or free text. */
export function ChoiceField({ label, choices, value, onChange, maxLength }: Props) {
  const t = useTranslations('ai')
  const id = useId()
  const [asked, setAsked] = useState(false)
  const own = asked || choices.every(([one]) => one !== value)
  return (
    <div className="grid content-start gap-1.5">
      <SelectField
        id={id}
        label={label}
        value={own ? '*' : value}
        options={[...choices, ['*', t('own')]]}
        onChange={(one) => {
          setAsked(one === '*')
          onChange(one === '*' ? '' : one)
        }}
      />
      {own && (
        <input
          className="input"
          dir="auto"
          aria-label={`${label}: ${t('own')}`}
          maxLength={maxLength}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </div>
  )
}
