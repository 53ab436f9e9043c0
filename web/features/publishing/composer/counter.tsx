import { clsx } from 'clsx'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { countText, factsOf } from '../../../../src/networks/rules.ts'
import { type AccountTagging, compose, kindOf } from '../../../../src/publishing/posts/compose/rules.ts'
import { NETWORKS } from '../../../labels.ts'
import { NetworkMark } from '../../../ui/network.tsx'
import type { Draft } from './draft.ts'

const NEAR = 100

/** How much room each network leaves, counted as it counts. Read out only near the end, and not at each key. */
export function Counter({
  draft,
  platforms,
  tagging,
}: {
  draft: Draft
  platforms: Platform[]
  tagging: AccountTagging
}) {
  const t = useTranslations('composer')
  const rows = platforms.flatMap((platform) => {
    const limits = factsOf(platform, kindOf(draft, platform))
    if (limits.textLimit === 0) return []
    const used = countText(compose(draft, platform, tagging).text, limits.countedIn)
    return { platform, used, limit: limits.textLimit, left: limits.textLimit - used }
  })
  const words = rows
    .filter((row) => row.left < NEAR)
    .map(
      (row) =>
        `${NETWORKS[row.platform].name}: ${row.left < 0 ? t('over', { count: -row.left }) : t('left', { count: row.left })}`,
    )
    .join('. ')
  const [said, setSaid] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSaid(words), 1000)
    return () => clearTimeout(timer)
  }, [words])
  return (
    <>
      {rows.map(({ platform, used, limit, left }) => (
        <span
          key={platform}
          title={t('usedOf', { used, limit })}
          className={clsx(
            'flex items-center gap-1.5 px-1.5 text-xs tabular-nums',
            left < 0 ? 'font-semibold text-bad' : 'text-muted',
          )}
        >
          <NetworkMark platform={platform} small />
          <span className="sr-only">{NETWORKS[platform].name}</span>
          <bdi>{left < 0 ? t('over', { count: -left }) : t('left', { count: left })}</bdi>
        </span>
      ))}
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  )
}
