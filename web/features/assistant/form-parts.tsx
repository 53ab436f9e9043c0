import type { ReactNode } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { Platform } from '../../../src/networks/api.ts'
import { MOST_CAPTION } from '../../../src/assistant/ai/rules.ts'
import { NETWORKS } from '../../labels.ts'
import type { Question } from './ai/ask.ts'
import { captionIn, type Draft, type Tab } from '../publishing/composer/draft.ts'
import { Check, noWishes, type VoiceProps, type Wishes } from './wishes.tsx'

// Shared parts of the assistant's forms.

/** One question, and the tab that its answer is for. */
export interface ForTab {
  question: Question
  tab: Tab
}

export const RATIOS = ['1:1', '4:5', '2:3', '3:2', '9:16', '16:9'] as const
export const STYLES = ['photo', 'illustration', 'watercolour', 'flat', '3d'] as const

/** The input of the forms; null: the proposal of the place. */
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

export type Mode = keyof Typed

export interface FormProps<M extends Mode> extends VoiceProps {
  typed: Typed[M]
  onType: (more: Partial<Typed[M]>) => void
  draft: Draft
  tab: Tab
  /** The networks that the post goes to. */
  platforms: Platform[]
  postId: string | null
  working: boolean
  onAsk: (asked: ForTab[]) => void
}

/** The networks of the post. */
type To = Pick<FormProps<Mode>, 'tab' | 'platforms'>

/** The voice, the post and the network of the open tab, for a question. */
export const contextOf = (voice: VoiceProps['voice'], tab: Tab, postId: string | null) => ({
  ...(voice !== undefined && { brandVoiceId: voice }),
  ...(tab !== 'all' && { platform: tab }),
  ...(postId && { postId }),
})

/** One variant for each network at once, where a post goes to several and none of them is open. */
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

/** The tabs that are asked for. */
export const tabsOf = ({ tab, platforms }: To, variants: boolean): Tab[] =>
  variants && tab === 'all' && platforms.length > 1 ? platforms : [tab]

/** Why the texts of these tabs cannot be given to the model: a network may take more than it does. */
export function useTooLong(draft: Draft, tabs: Tab[]): string | null {
  const t = useTranslations('assistant')
  const longest = Math.max(0, ...tabs.map((tab) => captionIn(draft, tab).trim().length))
  return longest > MOST_CAPTION ? t('tooLong', { count: longest, limit: MOST_CAPTION }) : null
}

/** The most characters of a topic for a text or a picture. */
const MOST_TOPIC = 2000

/** Why what it is about cannot be given to the model. */
export function useLong(topic: string): string | null {
  const t = useTranslations('assistant')
  const count = topic.trim().length
  return count > MOST_TOPIC ? t('tooLong', { count, limit: MOST_TOPIC }) : null
}

/** An obstacle, or a fact to know. */
export const Note = ({ children }: { children: string | null }) =>
  children && (
    <p role="status" className="rounded-lg bg-warn-soft px-3 py-2.5 text-xs text-warn">
      {children}
    </p>
  )

/** Fields side by side where there is room. */
export const Pair = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">{children}</div>
)
