import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** The phrases of the stand-in in a language. The lists have the same order in each language. `{t}` is the topic. */
export type Phrases = {
  /** The topic if nobody names one. */
  news: string
  first: string[]
  again: string[]
  more: string[]
  end: string[]
  cta: string[]
  tags: string[]
  /** They quote `{t}`: the text of a post rarely fits into another sentence. */
  ideas: string[]
  /** Why an idea: it goes on from one of the posts, or from what the workspace is about. */
  because: [written: string, itself: string]
  /** Words at the beginning, by the tone: lively, sober, bold, warm. */
  tones: [lively: string, sober: string, bold: string, warm: string]
  /** Describes a picture. `{t}` is what it shows, `{c}` its colour, `thing` a word for unknown things. */
  seen: { thing: string; wide: string; tall: string; square: string; colours: string[] }
  /** Brings in the words of a voice, as `{x}`. */
  words: string
}

const all: Record<string, Phrases> = { ar, de, en }

/** In a language that it does not speak the stand-in answers in English. */
export const phrasesOf = (code: string): Phrases => all[code.split('-')[0]?.toLowerCase() ?? ''] ?? en

/** A sentence of any language here as it is said in another, with what stood for `{t}`; undefined: nobody here says it. */
export function sayIn(sentence: string, to: Phrases): string | undefined {
  for (const from of Object.values(all)) {
    for (const list of LISTS) {
      for (const [at, frame] of from[list].entries()) {
        const found = matchOf(frame, sentence)
        if (found !== undefined) return to[list][at]?.replace('{t}', found)
      }
    }
  }
  return undefined
}

/** A hashtag as it is in another language, where one is known here; else as it is. */
export function tagIn(tag: string, to: Phrases): string {
  for (const { tags } of Object.values(all)) {
    const at = tags.findIndex((each) => each.toLowerCase() === tag.toLowerCase())
    if (at >= 0) return to.tags[at] ?? tag
  }
  return tag
}

const LISTS = ['first', 'again', 'more', 'end', 'cta', 'tones', 'ideas'] as const

function matchOf(frame: string, sentence: string): string | undefined {
  if (!frame.includes('{t}')) return frame === sentence ? '' : undefined
  const [before = '', after = ''] = frame.split('{t}')
  if (sentence.length < frame.length - 2 || !sentence.startsWith(before) || !sentence.endsWith(after)) return undefined
  return sentence.slice(before.length, sentence.length - after.length)
}
