import { useMemo } from 'react'
import { SelectField } from '../../../ui/field.tsx'

interface Props {
  label: string
  hint?: string
  error?: string
  value: string
  onChange: (zone: string) => void
}

/** All zones that the browser knows, by region; the one in use is always among them. */
export function ZoneField({ value, onChange, ...rest }: Props) {
  const regions = useMemo(() => {
    const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', value])
    const groups = new Map<string, string[]>()
    for (const zone of [...zones].toSorted()) {
      const region = zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : 'UTC'
      groups.set(region, [...(groups.get(region) ?? []), zone])
    }
    return [...groups]
  }, [value])
  return (
    <SelectField {...rest} value={value} onChange={(event) => onChange(event.target.value)}>
      {regions.map(([region, zones]) => (
        <optgroup key={region} label={region}>
          {zones.map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </optgroup>
      ))}
    </SelectField>
  )
}
