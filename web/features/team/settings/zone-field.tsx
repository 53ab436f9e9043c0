import { useMemo } from 'react'
import { type SelectOption, SelectField } from '../../../ui/select.tsx'

interface Props {
  label: string
  hint?: string
  error?: string
  value: string
  onChange: (zone: string) => void
}

/** All time zones that the browser knows, by region. Always includes the current one. */
export function ZoneField({ value, onChange, ...rest }: Props) {
  const options = useMemo(() => {
    const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', value])
    return [...zones].toSorted().map((zone): SelectOption<string> => {
      const group = zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : 'UTC'
      return [zone, zone.replaceAll('_', ' '), { group }]
    })
  }, [value])
  return <SelectField {...rest} search value={value} options={options} onChange={onChange} />
}
