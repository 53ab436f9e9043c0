import type { ReactNode } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { Platform } from '../../../src/networks/api.ts'
import { MOST_CAPTION } from '../../../src/assistant/ai/rules.ts'
import { NETWORKS } from '../../labels.ts'
import type { Question } from './ai/ask.ts'
import { captionIn, type Draft, type Tab } from '../publishing/composer/draft.ts'
import { Check, noWishes, type VoiceProps, type Wishes } from './wishes.tsx'

// Shared parts of the assistant's forms.

/** A request, and the tab that its answer is for. */
export interface ForTab {
  question: Question
  tab: Tab
}

export const RATIOS = ['1:1', '4:5', '2:3', '3:2', '9:16', '16:9'] as const
export const STYLES = ['photo', 'illustration', 'watercolour', 'flat', '3d'] as const

/** The input of each form; null means the default proposal. */
export interface Typed {
  write: { topic: string; variants: boolean; wishes: Wishes }
  change: { variants: boolean; tone: string; instruction: string }
  hashtags: { niche: string | null; count: number }
  cta: { goal: string; style: string }
  translate: { language: string | null; all: boolean }
  image: { prompt: string; ratio: (typeof RATIOS)[number] | null; style: string }
}

export const nothingTyped: Typed = {
  write: { topic: '', variants: false, wishes: noWishes },
  change: { variants: false, tone: '', instruction: '' },
  hashtags: { niche: null, count: 10 },
  cta: { goal: '', style: '' },
  translate: { language: null, all: false },
  image: { prompt: '', ratio: null, style: '' },
}

export type AssistantMode = keyof Typed

export interface FormProps<M extends AssistantMode> extends VoiceProps {
  typed: Typed[M]
  onType: (more: Partial<Typed[M]>) => void
  draft: Draft
  tab: Tab
  /** The networks that the post targets. */
  platforms: Platform[]
  postId: string | null
  working: boolean
  onAsk: (asked: ForTab[]) => void
}

/** The open tab and the networks of the post. */
type To = Pick<FormProps<AssistantMode>, 'tab' | 'platforms'>

/** The voice, network and post that a request is about. */
export const contextOf = (voice: VoiceProps['voice'], tab: Tab, postId: string | null) => ({
  ...(voice !== undefined && { brandVoiceId: voice }),
  ...(tab !== 'all' && { platform: tab }),
  ...(postId && { postId }),
})

/** Offers one variant per network, if the post targets several and the open tab is `all`. */
export function Variants({ tab, platforms, on, onChange }: To & { on: boolean; onChange: (on: boolean) => void }) {
  const t = useTranslations('assistant')
  const list = new Intl.ListFormat(useLocale())
  if (tab !== 'all' || platforms.length < 2) return null
  return (
    <Check checked={on} onChange={onChange}>
      {t('variants', { networks: list.format(platforms.map((platform) => NETWORKS[platform].short)) })}
      <span className="block text-xs text-muted">{t('variantsHint')}</span>
    </Check>
  )
}

/** The tabs to request answers for. */
export const tabsOf = ({ tab, platforms }: To, variants: boolean): Tab[] =>
  variants && tab === 'all' && platforms.length > 1 ? platforms : [tab]

/** Why the texts of these tabs are too long for the model. A network may accept more than it does. */
export function useTooLong(draft: Draft, tabs: Tab[]): string | null {
  const t = useTranslations('assistant')
  const longest = Math.max(0, ...tabs.map((tab) => captionIn(draft, tab).trim().length))
  return longest > MOST_CAPTION ? t('tooLong', { count: longest, limit: MOST_CAPTION }) : null
}

/** The maximum length of a topic for a text or a picture, in characters. */
const MOST_TOPIC = 2000

/** Why a topic is too long for the model. */
export function useLong(topic: string): string | null {
  const t = useTranslations('assistant')
  const count = topic.trim().length
  return count > MOST_TOPIC ? t('tooLong', { count, limit: MOST_TOPIC }) : null
}

/** An obstacle, or a fact worth knowing. */
export const Note = ({ children }: { children: string | null }) =>
  children && (
    <p role="status" className="rounded-lg bg-warn-soft px-3 py-2.5 text-xs text-warn">
      {children}
    </p>
  )

/** Two fields next to each other where there is room. */
export const Pair = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">{children}</div>
)
