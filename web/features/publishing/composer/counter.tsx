import { clsx } from 'clsx'
import { Hash } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { countText, factsOf } from '../../../../src/networks/rules.ts'
import { type AccountTagging, compose, hashtagsIn, kindOf } from '../../../../src/publishing/posts/compose/rules.ts'
import { NETWORKS } from '../../../labels.ts'
import { NetworkMark } from '../../../ui/network.tsx'
import type { Draft, Tab } from './draft.ts'

const NEAR = 100

interface Props {
  draft: Draft
  tab: Tab
  platforms: Platform[]
  tagging: AccountTagging
}

/**
 * How much of each network's text limit is used, by that network's way of counting. Its own tab shows used and limit,
 * the shared tab the remainder. Screen readers hear it only near the limit and when typing pauses.
 */
export function Counter({ draft, tab, platforms, tagging }: Props) {
  const t = useTranslations('composer')
  const format = useFormatter()
  const rows = platforms.flatMap((platform) => {
    const limits = factsOf(platform, kindOf(draft, platform))
    if (limits.textLimit === 0) return []
    const { text } = compose(draft, platform, tagging)
    const used = countText(text, limits.countedIn)
    const tags = hashtagsIn(text).length
    return { platform, used, tags, limit: limits.textLimit, left: limits.textLimit - used }
  })
  const leaves = ({ left }: { left: number }) => (left < 0 ? t('over', { count: -left }) : t('left', { count: left }))
  const words = rows
    .filter((row) => row.left < NEAR)
    .map((row) => `${NETWORKS[row.platform].name}: ${leaves(row)}`)
    .join('. ')
  const [said, setSaid] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSaid(words), 1000)
    return () => clearTimeout(timer)
  }, [words])
  return (
    <>
      {rows.map((row) => (
        <span
          key={row.platform}
          title={t('usedOf', { used: row.used, limit: row.limit })}
          className={clsx(
            'flex items-center gap-1.5 px-1.5 text-xs font-medium tabular-nums',
            row.left < 0 ? 'text-bad' : 'text-muted',
          )}
        >
          {tab === 'all' ? (
            <>
              <NetworkMark platform={row.platform} small />
              <span className="sr-only">{NETWORKS[row.platform].name}</span>
              <bdi>{leaves(row)}</bdi>
            </>
          ) : (
            <>
              {row.tags > 0 && (
                <span className="me-1.5 flex items-center gap-0.5" title={t('hashtagCount', { count: row.tags })}>
                  <Hash className="size-3" aria-hidden />
                  {row.tags}
                </span>
              )}
              <Ring share={row.used / row.limit} />
              <bdi dir="ltr">
                {format.number(row.used)} / {format.number(row.limit)}
              </bdi>
            </>
          )}
        </span>
      ))}
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  )
}

/** A progress ring. */
const Ring = ({ share }: { share: number }) => (
  <svg viewBox="0 0 16 16" className="size-4 -rotate-90" aria-hidden>
    <circle cx="8" cy="8" r="6" fill="none" strokeWidth="2.5" className="stroke-line" />
    <circle
      cx="8"
      cy="8"
      r="6"
      fill="none"
      strokeWidth="2.5"
      stroke="currentColor"
      pathLength="1"
      strokeDasharray={`${Math.min(share, 1)} 1`}
    />
  </svg>
)
