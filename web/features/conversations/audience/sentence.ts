import { useFormatter, useTranslations } from 'use-intl'
import type { SegmentCondition, SegmentFilter } from '../../../../src/conversations/audience/segments/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { useLanguageName } from '../language.ts'

/** Returns a filter as a sentence. */
export function useFilterSentence() {
  const t = useTranslations('audience.segments')
  const format = useFormatter()
  const languages = useLanguageName()
  const valueOf = ({ field, value }: SegmentCondition): string | number => {
    if (field === 'network') return NETWORKS[value as Platform].name
    if (field === 'language') return isLanguage(String(value)) ? languages(String(value)) : value
    if (field === 'lastSeen' || field === 'firstSeen')
      return format.dateTime(new Date(`${value}T00:00:00Z`), { dateStyle: 'medium', timeZone: 'UTC' })
    return value
  }
  const condition = (leaf: SegmentCondition) =>
    // The service guarantees that the field supports this comparison.
    t(`conditions.${leaf.field}.${leaf.op}` as 'conditions.name.is', { value: valueOf(leaf) as string })
  const phrase = (filter: SegmentFilter, isInner: boolean): string => {
    if ('field' in filter) return condition(filter)
    const [parts, type] = 'all' in filter ? [filter.all, 'conjunction' as const] : [filter.any, 'disjunction' as const]
    const list = format.list(
      parts.map((part) => phrase(part, parts.length > 1)),
      { type },
    )
    return isInner && parts.length > 1 ? t('group', { conditions: list }) : list
  }
  return (filter: SegmentFilter) => t('sentence', { conditions: phrase(filter, false) })
}

const isLanguage = (code: string) => /^[a-z]{2,3}(-[A-Za-z0-9]{2,4})?$/.test(code)
