import type { VoiceText } from '../../../../src/assistant/brand-voices/api.ts'

type Suggested = Omit<VoiceText, 'samplePosts'>
type Lists = Record<'toneAttributes' | 'terms' | 'phrases' | 'avoid', string[]>

/** The maximum number of entries of each kind, and the maximum length of the style in characters. */
const MOST: Record<keyof Lists, number> = { toneAttributes: 12, terms: 100, phrases: 50, avoid: 100 }
const MOST_STYLE = 2000

const LISTS = Object.keys(MOST) as (keyof Lists)[]
const listsOf = ({ toneAttributes, vocabulary: { terms, phrases, avoid } }: Suggested): Lists => ({
  toneAttributes,
  terms,
  phrases,
  avoid,
})

function withLists<V extends Suggested>(voice: V, listOf: (name: keyof Lists) => string[]): V {
  const [toneAttributes, terms, phrases, avoid] = LISTS.map(listOf) as [string[], string[], string[], string[]]
  return { ...voice, toneAttributes, vocabulary: { terms, phrases, avoid } }
}

/** What a suggestion added to the form, so that it can be undone. */
export interface Added {
  lists: Lists
  style: { before: string; after: string }
}

/** What a suggestion adds. Existing values stay and come first. */
export function additionsTo(voice: Suggested, suggested: Suggested): Added {
  const [there, more] = [listsOf(voice), listsOf(suggested)]
  const lists = Object.fromEntries(
    LISTS.map((name) => {
      const known = new Set(there[name].map((one) => one.toLowerCase()))
      const fresh = more[name].filter((one) => {
        const isNew = !known.has(one.toLowerCase())
        known.add(one.toLowerCase())
        return isNew
      })
      return [name, fresh.slice(0, Math.max(0, MOST[name] - there[name].length))]
    }),
  ) as Lists
  const before = voice.writingStyle
  const style = suggested.writingStyle.trim()
  const joined = before.includes(style) ? before : [before.trim(), style].filter(Boolean).join('\n')
  return { lists, style: { before, after: joined.length > MOST_STYLE ? before : joined } }
}

export const withAdded = <V extends Suggested>(voice: V, { lists, style }: Added): V => ({
  ...withLists(voice, (name) => [...listsOf(voice)[name], ...lists[name]]),
  writingStyle: style.after,
})

/** Removes what was added, except where it has changed since. */
export const withoutAdded = <V extends Suggested>(voice: V, { lists, style }: Added): V => ({
  ...withLists(voice, (name) => listsOf(voice)[name].filter((one) => !lists[name].includes(one))),
  writingStyle: voice.writingStyle === style.after ? style.before : voice.writingStyle,
})
