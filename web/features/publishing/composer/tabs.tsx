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

const look =
  'relative flex min-h-12 items-center gap-1.5 px-2.5 text-13 font-medium whitespace-nowrap text-muted hover:text-fg focus-visible:-outline-offset-4 data-[state=active]:text-fg data-[state=active]:after:absolute data-[state=active]:after:inset-x-2 data-[state=active]:after:-bottom-px data-[state=active]:after:h-0.5 data-[state=active]:after:rounded-t data-[state=active]:after:bg-accent'

/** One text for all, and a tab for each network that may have its own. */
export function NetworkTabs({ draft, platforms, checks, tab, onTab, all, children }: Props) {
  const t = useTranslations('composer')
  const errors = checks.filter(({ severity }) => severity === 'error')
  return (
    <Primitive.Root
      dir={document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'}
      value={tab}
      onValueChange={(value) => onTab(value as Tab)}
    >
      <Primitive.List aria-label={t('networks')} className="flex flex-wrap border-b px-1.5">
        {all && (
          <Primitive.Trigger value="all" className={look}>
            {t('allNetworks')}
          </Primitive.Trigger>
        )}
        {platforms.map((platform) => {
          const count = errors.filter((one) => one.platform === platform).length
          return (
            <Primitive.Trigger key={platform} value={platform} className={look}>
              <NetworkMark platform={platform} />
              {NETWORKS[platform].short}
              {isCustomised(draft, platform) && (
                <>
                  <span className="size-1.5 rounded-full bg-accent" aria-hidden />
                  <span className="sr-only">{t('customised')}</span>
                </>
              )}
              {count > 0 && (
                <>
                  <span
                    className="grid h-4 min-w-4 place-items-center rounded-full bg-bad-soft px-1 text-2xs font-semibold text-bad"
                    aria-hidden
                  >
                    {count}
                  </span>
                  <span className="sr-only">{t('problems', { count })}</span>
                </>
              )}
            </Primitive.Trigger>
          )
        })}
      </Primitive.List>
      {([...(all ? ['all'] : []), ...platforms] as Tab[]).map((value) => (
        <Primitive.Content key={value} value={value} tabIndex={-1} className="outline-none">
          {value === tab && children}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  )
}
