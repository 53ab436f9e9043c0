import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type Phrases } from './en.ts'

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
