import type { VoiceText } from '../../../../src/assistant/brand-voices/api.ts'

type Suggested = Omit<VoiceText, 'samplePosts'>
type Lists = Record<'toneAttributes' | 'terms' | 'phrases' | 'avoid', string[]>

/** The most entries of each kind in a voice, and the most characters of its style. */
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

/** The additions of a suggestion to a form, for undoing them. */
export interface Added {
  lists: Lists
  style: { before: string; after: string }
}

/** The additions of a suggestion. Typed values stay, and come first. */
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

/** Takes away what was added and is still as it was added. */
export const withoutAdded = <V extends Suggested>(voice: V, { lists, style }: Added): V => ({
  ...withLists(voice, (name) => listsOf(voice)[name].filter((one) => !lists[name].includes(one))),
  writingStyle: voice.writingStyle === style.after ? style.before : voice.writingStyle,
})
