import { useFormatter, useTranslations } from 'use-intl'
import type { AudienceNode } from '../../../../src/conversations/audience/api.ts'
import { NETWORKS } from '../../../labels.ts'

type Named = Pick<AudienceNode, 'name' | 'username' | 'platforms'>

/** The display name of a customer. Networks do not reveal every name. */
export function useNodeName() {
  const t = useTranslations('audience')
  return ({ name, username, platforms: [platform] }: Named) =>
    name || username || (platform ? t('someone', { network: NETWORKS[platform].short }) : t('unnamed'))
}

/** The score of a customer, as a number and a bar. */
export function Score({ value }: { value: number }) {
  const t = useTranslations('audience')
  const format = useFormatter()
  return (
    <span className="inline-flex w-24 shrink-0 items-center gap-2" title={t('score')}>
      <span className="sr-only">{t('score')}</span>
      <span className="h-1.5 grow overflow-hidden rounded-full bg-sunken" aria-hidden>
        <span className="block h-full rounded-full bg-accent" style={{ width: `${value}%` }} />
      </span>
      <bdi dir="ltr" className="w-8 text-end text-13 font-semibold tabular-nums">
        {format.number(Math.round(value))}
      </bdi>
    </span>
  )
}

/** The tags of a customer. */
export function Tags({ tags }: { tags: readonly string[] }) {
  const t = useTranslations('audience')
  if (tags.length === 0) return null
  return (
    <ul className="flex min-w-0 flex-wrap gap-1" aria-label={t('tags')}>
      {tags.map((tag) => (
        <li
          key={tag}
          className="max-w-full rounded-full bg-accent-soft px-2 py-0.5 text-xs font-medium break-words text-accent-text"
        >
          <bdi>{tag}</bdi>
        </li>
      ))}
    </ul>
  )
}
