import { clsx } from 'clsx'
import { CircleAlert } from 'lucide-react'
import { Tabs as Primitive } from 'radix-ui'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { NetworkMark } from '../../../ui/network.tsx'
import { type Draft, isCustomised, type Tab } from './draft.ts'

interface Props {
  draft: Draft
  platforms: Platform[]
  checks: Check[]
  tab: Tab
  onTab: (tab: Tab) => void
  /** Whether what all networks share can be written here. */
  all: boolean
  children: ReactNode
}

/** One text for all, and a tab for each network that may have its own. */
export function NetworkTabs({ draft, platforms, checks, tab, onTab, all, children }: Props) {
  const t = useTranslations('composer')
  const look =
    'relative -mb-px flex min-h-9 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-13 font-medium whitespace-nowrap text-muted hover:text-fg data-[state=active]:border-accent data-[state=active]:text-fg max-sm:min-h-11'
  return (
    <Primitive.Root
      dir={document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'}
      value={tab}
      onValueChange={(value) => onTab(value as Tab)}
    >
      <Primitive.List aria-label={t('networks')} className="flex flex-wrap gap-x-1 border-b px-2">
        {all && (
          <Primitive.Trigger value="all" className={look}>
            {t('allNetworks')}
          </Primitive.Trigger>
        )}
        {platforms.map((platform) => {
          const wrong = checks.some((one) => one.platform === platform && one.severity === 'error')
          return (
            <Primitive.Trigger key={platform} value={platform} className={look}>
              <NetworkMark platform={platform} small />
              {NETWORKS[platform].short}
              {isCustomised(draft, platform) && (
                <span className="rounded-full bg-accent-soft px-1.5 text-2xs font-medium text-accent-text">
                  {t('customised')}
                </span>
              )}
              {wrong && (
                <>
                  <CircleAlert className="size-3.5 text-bad" aria-hidden />
                  <span className="sr-only">{t('hasProblem')}</span>
                </>
              )}
            </Primitive.Trigger>
          )
        })}
      </Primitive.List>
      {([...(all ? ['all'] : []), ...platforms] as Tab[]).map((value) => (
        <Primitive.Content key={value} value={value} tabIndex={-1} className={clsx('outline-none')}>
          {value === tab && children}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  )
}
