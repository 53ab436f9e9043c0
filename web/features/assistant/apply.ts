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

/** The draft with an option applied to a tab. Fields that the option lacks stay unchanged. */
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

/** An option applied to a tab, with the draft before and after. */
export interface OptionUse {
  key: string
  tab: Tab
  before: Draft
  after: Draft
}

/** A tab's own values by field; undefined where it inherits those of `all`. */
const OWN = {
  caption: (draft: Draft, tab: Tab) => (tab === 'all' ? draft.caption : draft.captionOverrides[tab]?.caption)?.trim(),
  cta: (draft: Draft, tab: Tab) => (tab === 'all' ? draft.cta : draft.captionOverrides[tab]?.cta)?.trim(),
  hashtags: (draft: Draft, tab: Tab) =>
    (tab === 'all' ? draft.hashtags : draft.hashtagOverrides[tab])?.map(bare).join(' '),
}
type Field = keyof typeof OWN
const FIELDS: Field[] = ['caption', 'cta', 'hashtags']

const written = ({ tab, before, after }: OptionUse) =>
  FIELDS.filter((field) => OWN[field](before, tab) !== OWN[field](after, tab))

/** The fields that a use wrote and that have not changed since. Only these can be undone. */
const stillThere = (now: Draft, use: OptionUse) =>
  written(use).filter((field) => OWN[field](now, use.tab) === OWN[field](use.after, use.tab))

/** How much of a use is still in the draft; `none` if all of it has changed since. */
export function standing(now: Draft, use: OptionUse): 'all' | 'part' | 'none' {
  const [there, all] = [stillThere(now, use).length, written(use).length]
  return there === all ? 'all' : there > 0 ? 'part' : 'none'
}

/** The draft with one field of a tab as in `before`. */
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

/** Undoes a use in the fields that have not changed since. Everything else stays. */
export const withoutUse = (now: Draft, use: OptionUse): Draft =>
  stillThere(now, use).reduce((draft, field) => withFieldOf(draft, use.before, use.tab, field), now)

/** All texts of a tab joined, for comparison. */
export const wholeText = (draft: Draft, tab: Tab) =>
  [captionIn(draft, tab), ctaIn(draft, tab), hashtagsOf(draft, tab).join(' ')].filter(Boolean).join('\n\n')
