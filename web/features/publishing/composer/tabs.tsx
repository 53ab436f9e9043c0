import { type KeyboardEvent, type ReactNode, useId } from 'react'
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
  /** Whether the shared content can be edited here. */
  all: boolean
  children: ReactNode
}

const look =
  'relative flex min-h-12 items-center gap-1.5 px-2.5 text-13 font-medium whitespace-nowrap text-muted hover:text-fg focus-visible:-outline-offset-4 aria-selected:text-fg aria-selected:after:absolute aria-selected:after:inset-x-2 aria-selected:after:-bottom-px max-sm:aria-selected:after:bottom-0 aria-selected:after:h-0.5 aria-selected:after:rounded-t aria-selected:after:bg-accent'

/** A tab for the shared text, and one for each network that may have its own. */
export function NetworkTabs({ draft, platforms, checks, tab, onTab, all, children }: Props) {
  const t = useTranslations('composer')
  const errors = checks.filter(({ severity }) => severity === 'error')
  const id = useId()
  const tabs: Tab[] = [...(all ? (['all'] as const) : []), ...platforms]
  /** The arrow keys move between the tabs and select them. */
  const keys = (event: KeyboardEvent<HTMLElement>) => {
    const rtl = document.documentElement.dir === 'rtl'
    const now = tabs.indexOf(tab)
    const to = {
      [rtl ? 'ArrowLeft' : 'ArrowRight']: now + 1,
      [rtl ? 'ArrowRight' : 'ArrowLeft']: now - 1,
      Home: 0,
      End: -1,
    }
    const place = to[event.key]
    if (place === undefined) return
    event.preventDefault()
    const next = place % tabs.length
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next < 0 ? next + tabs.length : next]?.focus()
    onTab(tabs.at(next) ?? tab)
  }
  const errorsOn = (one: Tab) => errors.filter(({ platform }) => platform === one).length
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its tabs take the focus */}
      <div role="tablist" aria-label={t('networks')} onKeyDown={keys} className="strip flex flex-wrap border-b px-1.5">
        {tabs.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`${id}-${one}`}
            aria-selected={one === tab}
            aria-controls={one === tab ? id : undefined}
            tabIndex={one === tab ? 0 : -1}
            onClick={() => onTab(one)}
            className={look}
          >
            {one === 'all' ? (
              t('allNetworks')
            ) : (
              <Face platform={one} customised={isCustomised(draft, one)} count={errorsOn(one)} />
            )}
          </button>
        ))}
      </div>
      <div key={tab} role="tabpanel" id={id} aria-labelledby={`${id}-${tab}`} tabIndex={-1} className="outline-none">
        {children}
      </div>
    </div>
  )
}

interface FaceProps {
  platform: Platform
  customised: boolean
  /** The number of its problems. */
  count: number
}

function Face({ platform, customised, count }: FaceProps) {
  const t = useTranslations('composer')
  return (
    <>
      <NetworkMark platform={platform} />
      {NETWORKS[platform].short}
      {customised && (
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
    </>
  )
}
