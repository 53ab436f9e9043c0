import type { Kind, Option } from '../../../src/assistant/ai/api.ts'
import {
  captionIn,
  ctaIn,
  type Draft,
  hashtagsOf,
  type Tab,
  withHashtags,
  withText,
} from '../publishing/composer/draft.ts'

const bare = (tag: string) => tag.replace(/^#/, '').toLowerCase()

/** The draft with an option in a tab; what the option says nothing about stays. */
export function withOption(draft: Draft, tab: Tab, kind: Kind, { text, hashtags = [], cta = '' }: Option): Draft {
  if (kind === 'hashtags') {
    const there = hashtagsOf(draft, tab)
    const known = new Set(there.map(bare))
    return withHashtags(draft, tab, [...there, ...hashtags.filter((tag) => !known.has(bare(tag)))].slice(0, 200))
  }
  if (kind === 'cta') return withText(draft, tab, 'cta', cta || text)
  let written = withText(draft, tab, 'caption', text)
  if (hashtags.length > 0) written = withHashtags(written, tab, hashtags)
  return cta ? withText(written, tab, 'cta', cta) : written
}

/** An option that was taken into a tab: the draft before it and with it. */
export interface Use {
  key: string
  tab: Tab
  before: Draft
  after: Draft
}

/** A tab's own values, field by field; undefined: those of all tabs. */
const OWN = {
  caption: (draft: Draft, tab: Tab) => (tab === 'all' ? draft.caption : draft.captionOverrides[tab]?.caption)?.trim(),
  cta: (draft: Draft, tab: Tab) => (tab === 'all' ? draft.cta : draft.captionOverrides[tab]?.cta)?.trim(),
  hashtags: (draft: Draft, tab: Tab) =>
    (tab === 'all' ? draft.hashtags : draft.hashtagOverrides[tab])?.map(bare).join(' '),
}
type Field = keyof typeof OWN
const FIELDS: Field[] = ['caption', 'cta', 'hashtags']

const written = ({ tab, before, after }: Use) =>
  FIELDS.filter((field) => OWN[field](before, tab) !== OWN[field](after, tab))

/** The fields that a use wrote and nobody changed since. These can be undone. */
const stillThere = (now: Draft, use: Use) =>
  written(use).filter((field) => OWN[field](now, use.tab) === OWN[field](use.after, use.tab))

/** The part of a use that is still in the draft; `none` if all of it was changed since. */
export function standing(now: Draft, use: Use): 'all' | 'part' | 'none' {
  const [there, all] = [stillThere(now, use).length, written(use).length]
  return there === all ? 'all' : there > 0 ? 'part' : 'none'
}

/** A field of a tab as another draft has it. */
function withFieldOf(now: Draft, before: Draft, tab: Tab, field: Field): Draft {
  if (tab === 'all') return { ...now, [field]: before[field] }
  if (field === 'hashtags') {
    const { [tab]: _now, ...hashtagOverrides } = now.hashtagOverrides
    const own = before.hashtagOverrides[tab]
    return { ...now, hashtagOverrides: own === undefined ? hashtagOverrides : { ...hashtagOverrides, [tab]: own } }
  }
  const { [tab]: override, ...captionOverrides } = now.captionOverrides
  const { [field]: _now, ...others } = override ?? {}
  const own = before.captionOverrides[tab]?.[field]
  const back = own === undefined ? others : { ...others, [field]: own }
  return {
    ...now,
    captionOverrides: Object.keys(back).length === 0 ? captionOverrides : { ...captionOverrides, [tab]: back },
  }
}

/** Takes back what a use wrote, where nobody wrote over it; all else stays as it became. */
export const withoutUse = (now: Draft, use: Use): Draft =>
  stillThere(now, use).reduce((draft, field) => withFieldOf(draft, use.before, use.tab, field), now)

/** The texts of a tab as one, for a comparison. */
export const wholeText = (draft: Draft, tab: Tab) =>
  [captionIn(draft, tab), ctaIn(draft, tab), hashtagsOf(draft, tab).join(' ')].filter(Boolean).join('\n\n')
