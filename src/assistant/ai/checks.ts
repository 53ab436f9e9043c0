import { countText, factsOf } from '../../networks/rules.ts'
import type { ShownPicture } from '../../core/platform/model/model.ts'
import { LONGEST_ALT_TEXT } from '../../publishing/media/api.ts'
import { compose, hashtagsIn, noContent } from '../../publishing/posts/compose/rules.ts'
import type { Finding, Option } from './api.ts'
import type { Brief } from './ai-brief.ts'
import { isCorrection, isLonger, isShorter, LENGTHS, likeness, SAME, weightOf } from './rules.ts'
import { DIRECTION, isForeign, type References, referencesIn } from './references.ts'
import { isInAnother } from './text-language.ts'
import { termsIn, UNSEEN, wordsOf } from './words/rules.ts'

/** An answer of the model that is checked against its brief. */
export type Candidate = Pick<Option, 'text' | 'hashtags' | 'cta'>

/** Returns everything that people read of an answer. */
const allOf = ({ text, hashtags = [], cta = '' }: Candidate) => [text, cta, ...hashtags].join('\n')

// ---- emoji

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Unicode counts ©, ® and ™ as pictographs, but people see them as symbols. */
const SIGN = /^[©®™‼⁉ℹ↔-↪〰〽]$/u
const isEmoji = (sign: string) =>
  /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(sign) && !SIGN.test(sign)

export const emojiIn = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment).filter(isEmoji)

// ---- leaks

/** Names of the brief's fields that hardly occur elsewhere. */
const FIELDS =
  /["'`](?:task|toneAttributes|writingStyle|samplePosts|vocabulary|targetLanguage|hashtags|network|voice|repair|emoji|language|instruction|characters)["'`]\s*:|\b(?:toneAttributes|writingStyle|samplePosts|targetLanguage|voice\.avoid|network\.characters)\b/u
/** This many of the same words in a row are no coincidence. */
const RUN = 6

const runsOf = (text: string): string[] => {
  const words = wordsOf(text)
  return words.slice(0, Math.max(0, words.length - RUN + 1)).map((_, at) => words.slice(at, at + RUN).join(' '))
}

/** Whether a text reveals instructions of the model that nobody typed into the brief. */
export type IsLeak = (text: string) => boolean

/** The word sequences of each task's instructions. */
const told = new Map<string, ReadonlySet<string>>()

function toldBy(system: string): ReadonlySet<string> {
  const all = told.get(system) ?? new Set(runsOf(system))
  told.set(system, all)
  return all
}

/** What a typed text has in common with the instructions: word sequences, and names of fields. */
interface SharedWithPrompt {
  runs: readonly string[]
  isNamed: boolean
}

export function sharedWithPrompt(system: string, typed: string): SharedWithPrompt {
  const all = toldBy(system)
  return { runs: runsOf(typed).filter((run) => all.has(run)), isNamed: FIELDS.test(typed) }
}

export const leakOf = (system: string, typed: string): IsLeak => leakBeside(system, [sharedWithPrompt(system, typed)])

/** Like `leakOf`, for several typed texts, each with what it has in common with the instructions. */
export function leakBeside(system: string, typed: readonly SharedWithPrompt[]): IsLeak {
  const known = new Set(typed.flatMap(({ runs }) => runs))
  const secret = new Set([...toldBy(system)].filter((run) => !known.has(run)))
  const isNamed = typed.some((shared) => shared.isNamed)
  return (text) => (!isNamed && FIELDS.test(text)) || runsOf(text).some((run) => secret.has(run))
}

// ---- answers

/** A brief, with the data for checking its answers, computed once for all of them. */
export interface Wanted {
  brief: Brief
  /** The instructions of the model. */
  system: string
  /** The picture that is sent with the brief. */
  picture?: ShownPicture | undefined
  isLeak: IsLeak
  /** What people typed. Answers may repeat parts of it. */
  typed: References & { hashtags: ReadonlySet<string> }
}

/** `typed` is everything that people typed. */
export const wantedOf = (brief: Brief, system: string, typed: string): Wanted => ({
  brief,
  system,
  isLeak: leakOf(system, typed),
  typed: { ...referencesIn(typed), hashtags: new Set(hashtagsIn(typed).map((tag) => tag.toLowerCase())) },
})

const within = (count: number, { min, max }: { min: number; max: number }) => count >= min && count <= max

/** The number of emoji that each setting allows. */
const EMOJI = { none: { min: 0, max: 0 }, minimal: { min: 0, max: 3 }, heavy: { min: 3, max: 100 } } as const

function lengthFits(text: string, { length, change, caption = '', network }: Brief): boolean {
  if (change === 'shorter' && !isShorter(text, caption)) return false
  if (change === 'longer' && !isLonger(text, caption)) return false
  if (length === undefined) return true
  const { min, max, lines } = LENGTHS[length]
  const room = network ? Math.min(max, network.characters) : max
  const filled = text.split('\n').filter((line) => line.trim() !== '').length
  return within(weightOf(text), { min: Math.min(min, room / 2), max: room }) && (lines === null || filled <= lines)
}

/** Whether a network accepts an answer as a post, with the composer's own calculation. */
function fitsNetwork({ text, hashtags = [], cta = '' }: Candidate, { network }: Brief): boolean {
  if (network === null) return true
  const composed = compose({ ...noContent, caption: text, hashtags, cta }, network.platform).text
  const { countedIn, textLimit, hashtagLimit, mentionLimit } = factsOf(network.platform, 'post')
  return (
    countText(composed, countedIn) <= textLimit &&
    hashtagsIn(composed).length <= (hashtagLimit ?? Infinity) &&
    referencesIn(composed).mentions.length <= (mentionLimit ?? Infinity)
  )
}

/** Returns the faults that any answer can have, worst first. */
function generalFindings(candidate: Candidate, { brief, isLeak, typed }: Wanted, language: string): Finding[] {
  const all = allOf(candidate)
  const found: Finding[] = []
  if (candidate.text.trim() === '') found.push('empty')
  if (isLeak(all)) found.push('leaked_instruction')
  if (termsIn(all, brief.voice?.vocabulary.avoid ?? []).length > 0) found.push('forbidden_word')
  if (isForeign(all, typed)) found.push('foreign_link')
  if (isInAnother(`${candidate.text}\n${candidate.cta ?? ''}`, language)) found.push('wrong_language')
  return found
}

/** Returns the faults of a caption option, compared with the accepted ones. A pure function; worst first. */
export function captionFindings(candidate: Candidate, wanted: Wanted, others: readonly Candidate[]): Finding[] {
  const { brief } = wanted
  const found = generalFindings(candidate, wanted, brief.language.code)
  if (brief.emoji !== null && !within(emojiIn(allOf(candidate)).length, EMOJI[brief.emoji])) found.push('emoji_policy')
  if (!lengthFits(candidate.text, brief)) found.push('wrong_length')
  const inText = hashtagsIn(candidate.text).filter((tag) => !wanted.typed.hashtags.has(tag.toLowerCase()))
  if (!within((candidate.hashtags?.length ?? 0) + inText.length, brief.hashtags ?? { min: 0, max: 0 }))
    found.push('wrong_hashtags')
  if (brief.cta !== null && !candidate.cta) found.push('missing_cta')
  if (!fitsNetwork(candidate, brief)) found.push('network_limit')
  if (others.some((other) => likeness(other, candidate) >= SAME)) found.push('same_as_another')
  return found
}

const LONGEST_CTA = 200

/** Returns the faults of a call to action, likewise. */
export function ctaFindings(candidate: Candidate, wanted: Wanted, others: readonly Candidate[]): Finding[] {
  const { brief } = wanted
  const found = generalFindings(candidate, wanted, brief.language.code)
  if (weightOf(candidate.text) > LONGEST_CTA) found.push('wrong_length')
  if (brief.emoji === 'none' && emojiIn(candidate.text).length > 0) found.push('emoji_policy')
  if (!fitsNetwork({ text: brief.caption ?? '', cta: candidate.text }, brief)) found.push('network_limit')
  if (others.some((other) => likeness(other, candidate) >= SAME)) found.push('same_as_another')
  return found
}

const same = (a: readonly string[], b: readonly string[]) => a.toSorted().join('\n') === b.toSorted().join('\n')

/** Whether a translation loses links, mentions, hashtags, or emoji and their places. Hashtags may be translated. */
function losesParts(text: string, caption: string): boolean {
  const [kept, given] = [referencesIn(text), referencesIn(caption)]
  if (!same(kept.links, given.links) || !same(kept.mentions, given.mentions)) return true
  if (hashtagsIn(text).length !== hashtagsIn(caption).length) return true
  const lines = (whole: string) => whole.split('\n').filter((line) => line.trim() !== '')
  const [mine, theirs] = [lines(text), lines(caption)]
  if (mine.length !== theirs.length) return emojiIn(caption).length > 0 || theirs.length > 2
  return mine.some((line, at) => emojiPlaces(line) !== emojiPlaces(theirs[at] ?? ''))
}

/** Returns the emoji of a line in order, and whether the line begins or ends with one. */
function emojiPlaces(line: string): string {
  const signs = Array.from(graphemes.segment(line.trim().replaceAll(DIRECTION, '')), ({ segment }) => segment)
  const ends = signs.filter((sign) => !/^[\p{P}\s]+$/u.test(sign))
  return JSON.stringify([signs.filter(isEmoji), isEmoji(ends[0] ?? ''), isEmoji(ends.at(-1) ?? '')])
}

/** Returns the faults of a translation. */
export function translationFindings(candidate: Candidate, wanted: Wanted): Finding[] {
  const { brief } = wanted
  const found = generalFindings(candidate, wanted, (brief.targetLanguage ?? brief.language).code)
  if (losesParts(candidate.text, brief.caption ?? '')) found.push('lost_part')
  if (brief.hashtags !== null && !within(candidate.hashtags?.length ?? 0, brief.hashtags)) found.push('wrong_hashtags')
  if (brief.cta !== null && !candidate.cta) found.push('missing_cta')
  if (!fitsNetwork(candidate, brief)) found.push('network_limit')
  return found
}

/** Returns the faults of a correction that changes too much. Its language and length are those of the caption. */
export function correctionFindings({ text }: Candidate, { brief: { caption = '' } }: Wanted): Finding[] {
  const found: Finding[] = []
  if (text.trim() === '') found.push('empty')
  if (!isCorrection(text, caption)) found.push('changed_too_much')
  if (losesParts(text, caption)) found.push('lost_part')
  return found
}

/** Returns the faults of an alternative text. */
export function altTextFindings(candidate: Candidate, wanted: Wanted): Finding[] {
  const found = generalFindings(candidate, wanted, wanted.brief.language.code)
  if (candidate.text.length > LONGEST_ALT_TEXT) found.push('wrong_length')
  if (emojiIn(candidate.text).length > 0) found.push('emoji_policy')
  return found
}

/** Normalizes a hashtag as networks read it, or returns undefined if it is not one. */
export function hashtagOf(tag: string): string | undefined {
  const name = tag
    .trim()
    .replace(/^#+/, '')
    .replaceAll(/[\s-]+/gu, '')
    // Persian separates parts of a word by a character that would end a hashtag.
    .replaceAll(/(?<=[\p{L}\p{M}])\u200C+(?=\p{L})/gu, '_')
    .replaceAll(UNSEEN, '')
  return /^[\p{L}\p{M}\p{N}_]{1,100}$/u.test(name) && /\p{L}/u.test(name) ? `#${name}` : undefined
}

/** Returns the faults of one hashtag. */
export function hashtagFindings(tag: string, wanted: Wanted, others: readonly string[]): Finding[] {
  const found: Finding[] = []
  const text = tag.slice(1)
  if (wanted.isLeak(text) || FIELDS.test(text)) found.push('leaked_instruction')
  if (termsIn(tag, wanted.brief.voice?.vocabulary.avoid ?? []).length > 0) found.push('forbidden_word')
  if (others.some((other) => other.toLowerCase() === tag.toLowerCase())) found.push('same_as_another')
  return found
}

/** Returns the faults of a proposed topic. */
export const topicFindings = (candidate: Candidate, wanted: Wanted) =>
  generalFindings(candidate, wanted, wanted.brief.language.code)
