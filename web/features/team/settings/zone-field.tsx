import { useMemo } from 'react'
import { useLocale } from 'use-intl'
import { isEnglish, zonePlace } from '../../../time.ts'
import { type SelectOption, SelectField } from '../../../ui/select.tsx'

interface Props {
  label: string
  hint?: string
  error?: string
  value: string
  onChange: (zone: string) => void
}

/** The world's regions by the first part of a zone, as codes of UN M49 or ISO 3166. Zones of oceans have none. */
const REGIONS: Partial<Record<string, string>> = {
  Africa: '002',
  America: '019',
  Antarctica: 'AQ',
  Asia: '142',
  Australia: 'AU',
  Europe: '150',
  Pacific: '009',
}

/**
 * All time zones that the browser knows, by region. Always includes the current one. The names of zones are English. In
 * another language the current one has its place before it; naming all of them would hold up the screen.
 */
export function ZoneField({ value, onChange, ...rest }: Props) {
  const locale = useLocale()
  const options = useMemo(() => {
    const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', value])
    const english = isEnglish(locale)
    const regions = new Intl.DisplayNames(locale, { type: 'region' })
    const place = english ? null : zonePlace(value, new Date(), locale)
    return [...zones].toSorted().map((zone): SelectOption<string> => {
      const start = zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : 'UTC'
      const region = english ? undefined : REGIONS[start]
      const id = zone.replaceAll('_', ' ')
      return [
        zone,
        place === null || zone !== value ? id : `${place} \u2068(${id})\u2069`,
        { group: (region && regions.of(region)) ?? start },
      ]
    })
  }, [value, locale])
  return <SelectField {...rest} search value={value} options={options} onChange={onChange} />
}
