import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** The phrases of the stand-in in one language. The lists have the same order in every language. `{t}` is the topic. */
export type Phrases = {
  /** The topic if a brief has none. */
  news: string
  first: string[]
  again: string[]
  more: string[]
  end: string[]
  cta: string[]
  tags: string[]
  /** These quote `{t}`, since the text of a post rarely fits into another sentence. */
  ideas: string[]
  /** The reason for an idea: it continues a post, or the subject of the workspace. */
  because: [written: string, itself: string]
  /** Opening words for each tone: lively, sober, bold, warm. */
  tones: [lively: string, sober: string, bold: string, warm: string]
  /** Describes a picture. `{t}` is its content, `{c}` its colour, and `thing` a word for unknown content. */
  seen: { thing: string; wide: string; tall: string; square: string; colours: string[] }
  /** Adds the words of a voice, as `{x}`. */
  words: string
}

const all: Record<string, Phrases> = { ar, de, en }

/** Returns the phrases of a language; English for unknown languages. */
export const phrasesOf = (code: string): Phrases => all[code.split('-')[0]?.toLowerCase() ?? ''] ?? en

/** Returns the translation of a sentence from these phrases, with the same `{t}`; undefined for other sentences. */
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

/** Returns the translation of a hashtag from these phrases; other hashtags stay unchanged. */
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
