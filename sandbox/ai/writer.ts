import { beginningOf, type ReadBrief, hasAny, KEPT, keywordsOf, linksAndMentions, subjectOf } from './brief.ts'
import type { Phrases } from './phrases/en.ts'
import { phrasesOf, sayIn, tagIn } from './phrases/phrases.ts'

type Item = Record<string, unknown>

/**
 * Writes the items for a brief. It follows only the brief's fields, never orders within their texts, and writes the
 * same for the same `chance`.
 */
export function write(brief: ReadBrief, chance: number): Item[] {
  const draw = drawer(`${chance} ${JSON.stringify({ ...brief, count: 0 })}`)
  const say = phrasesOf((brief.task === 'translate' ? (brief.targetLanguage ?? brief.language) : brief.language).code)
  const numbers = Array.from({ length: brief.count }, (_, at) => at)
  switch (brief.task) {
    case 'caption':
    case 'rewrite':
      return captions(brief, say, draw)
    case 'correct':
      return [{ text: corrected(brief.caption ?? '') }]
    case 'hashtags':
      return hashtagsFor(brief, say, draw, brief.count).map((tag) => ({ tag }))
    case 'cta': {
      const subject = subjectOf(matterOf(brief), 40, avoidOf(brief)) || say.news
      const all = draw.shuffled(unforbidden(say.cta, brief))
      return numbers.map((at) => {
        const call = all[at % all.length] ?? ''
        return { text: at % 2 === 0 && isSameScript(subject, brief.language.code) ? `${call}: ${subject}` : call }
      })
    }
    case 'translate':
      return [
        {
          text: translation(brief.caption ?? '', say, avoidOf(brief)),
          hashtags: brief.tags.map((tag) => tagIn(tag.replace(/^#/, ''), say)),
          cta: brief.cta?.text === undefined ? null : translation(brief.cta.text, say, avoidOf(brief)),
        },
      ]
    case 'voice':
      return [voice(brief.posts.map(({ text }) => text))]
    case 'topics': {
      const subject = beginningOf(matterOf(brief) || (brief.posts[0]?.text ?? ''), 44, avoidOf(brief)) || say.news
      const ideas = draw.shuffled(say.ideas)
      return numbers.map((at) => {
        const written = beginningOf(brief.posts[at]?.text ?? '', 44, avoidOf(brief))
        const title = fill(ideas[at % ideas.length], written || subject)
        const reason = say.because[written ? 0 : 1]
        return {
          title,
          reason,
          topic: `${title}. ${reason}`,
          tone: ['friendly', 'curious', 'warm', 'professional', 'playful'][at % 5],
        }
      })
    }
    case 'alt_text':
      return [{ text: described(brief, say) }]
    case 'classify':
      return [classified(brief)]
  }
}

const fill = (frame: string | undefined, about: string) => (frame ?? '').replace('{t}', () => about)
const avoidOf = ({ voice }: ReadBrief) => voice?.vocabulary.avoid ?? []
const unforbidden = (all: readonly string[], brief: ReadBrief) => all.filter((each) => !hasAny(each, avoidOf(brief)))

/** Returns the topic, from whichever field of the brief has it. */
const matterOf = ({ topic, caption, goal, niche, media }: ReadBrief) =>
  topic ?? caption ?? goal ?? niche ?? media.map(({ altText, fileName }) => altText || fileName).join('. ')

/** File names that cameras give. */
const BY_CAMERA = /^(?:img|dsc|pxl|image|picture|photo|screenshot)$/i

/** Describes a picture in one sentence: its file name, colour and shape. Empty without a picture. */
function described(brief: ReadBrief, say: Phrases): string {
  const { picture, media, language } = brief
  if (!picture) return ''
  const words = (media[0]?.fileName.replace(/\.\w+$/, '').match(/\p{L}{3,}/gu) ?? []).filter(
    (word) => !BY_CAMERA.test(word),
  )
  const name = subjectOf(words.join(' '), 60, avoidOf(brief))
  const thing = name && isSameScript(name, language.code) ? name : say.seen.thing
  const sentence = fill(say.seen[picture.shape], thing).replace('{c}', say.seen.colours[picture.colour] ?? '')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`
}

function captions(brief: ReadBrief, say: Phrases, draw: Drawer): Item[] {
  const avoid = avoidOf(brief)
  const matter = matterOf(brief)
  const { code } = brief.language
  const length = lengthOf(brief)
  const first = draw.shuffled(unforbidden(say.first, brief))
  const more = draw.shuffled(unforbidden(say.more, brief))
  const end = draw.shuffled(unforbidden(say.end, brief))
  const calls = draw.shuffled(unforbidden(say.cta, brief))
  const parts = brief.task === 'rewrite' ? linksAndMentions(brief.caption ?? '') : linksAndMentions(brief.topic ?? '')
  const wish = brief.task === 'rewrite' ? wishOf(brief) : undefined
  const isShortened = wish === 'shorter' && isSameScript(brief.caption ?? '', code)
  const keywords = keywordsOf(matter, avoid).filter((word) => isSameScript(word, code))

  return Array.from({ length: brief.count }, (_, at) => {
    const frame = first[at % first.length] ?? '{t}'
    const own = isSameScript(subjectOf(matter, 60, avoid), code)
    // Among words of another script, a long name would dominate the text.
    const room = own ? (length === 'short' ? 40 : 60) : Math.max(10, Math.floor(frame.length * 0.5))
    const named = own ? subjectOf(matter, room, avoid) : subjectOf(keywordsOf(matter, avoid).join(' '), room, avoid)
    const about = quoted(named, code) || say.news
    const opening = `${toneOf(brief, say)} ${fill(frame, about)}`
    const added = wordsOfVoice(brief, say, at)
    const rest = at < 2 ? more.slice(at * 7, at * 7 + 7) : draw.shuffled(more).slice(0, 7)
    const pair = [more[(2 * at) % more.length] ?? '', more[(2 * at + 1) % more.length] ?? '']
    const last = end[at % end.length] ?? ''
    const again = fill(
      say.again[at % say.again.length],
      keywords.slice(0, 6).join(COMMAS[tongueOf(code)] ?? ', ') || about,
    )
    const made = {
      short: [[opening, added ?? (own ? undefined : last)]],
      medium: [[opening, added, ...pair], [last]],
      'long-form': [[opening, ...rest.slice(0, 2)], [added, ...rest.slice(2, 5)], [again, ...rest.slice(5)], [last]],
    }[length].map((paragraph) => paragraph.filter((sentence) => sentence !== undefined))
    const paragraphs = isShortened ? [[shortened(brief, parts, at)]] : made
    if (wish === 'longer') paragraphs.push(filling(brief.caption ?? '', made.flat(), more))
    if (parts.length > 0 && !isShortened)
      (length === 'short' ? paragraphs[0] : paragraphs.at(-1))?.push(` ${parts.join(' ')}`)
    const cta = brief.cta === null ? null : (brief.cta.text ?? calls[at % calls.length] ?? '')
    const { min, max } = brief.hashtags ?? { min: 0, max: 0 }
    const hashtags = hashtagsFor(brief, say, draw, min + draw.below(max - min + 1))
    const textRoom = (brief.network?.characters ?? Infinity) - [cta ?? '', ...hashtags].join(' #').length - 10
    const text = withEmoji(fitted(paragraphs, textRoom - 8), brief.emoji, draw)
    return { text, hashtags, cta }
  })
}

/** The parts of a text that a shortened version keeps, each with its start and end. */
const LEFT = [[0, 0.85], [0.5, 1], [0, 0.45], [0.75, 1], [0, 0.25]] as const // prettier-ignore

function shortened({ caption = '', emoji, voice }: ReadBrief, parts: readonly string[], at: number): string {
  const room = Math.floor(caption.length * 0.85) - (emoji === 'heavy' ? 10 : 3)
  const kept = parts.length === 0 ? '' : ` ${parts.join(' ')}`
  const after = kept.length <= room / (at === 0 ? 2 : 4) ? kept : ''
  const words = caption
    .replaceAll(KEPT, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !hasAny(word, voice?.vocabulary.avoid ?? []))
  // This is one long word, or a language without spaces.
  const [units, between] = words.length > 3 ? [words, ' '] : [Array.from(words.join('')), '']
  const [from, to] = LEFT[at % LEFT.length] ?? LEFT[0]
  let text = ''
  for (const unit of units.slice(Math.floor(units.length * from), Math.ceil(units.length * to))) {
    if (text.length + between.length + unit.length > room - after.length) break
    text += (text && between) + unit
  }
  // Remove short words at the end, which need a word after them.
  const whole = text.replace(/[\p{P}\s]+$/u, '').replace(/(?: [\p{Script=Latin}\p{Script=Cyrillic}]{1,3})+$/u, '')
  return `${whole}.${after}`
}

/** Returns sentences that, with those already written, make a text a third longer than the given one. */
function filling(text: string, written: readonly string[], more: readonly string[]): string[] {
  const fresh = [...more.filter((sentence) => !written.includes(sentence)), ...more]
  const all: string[] = []
  const long = () => [...written, ...all].join(' ').length
  for (let at = 0; long() < text.length * 1.35 && at < 400; at += 1) all.push(fresh[at % fresh.length] ?? '')
  return all
}

/** Known misspellings. */
const MISTAKES: Record<string, string> = {
  teh: 'the', recieve: 'receive', definately: 'definitely', seperate: 'separate', occured: 'occurred', untill: 'until', wich: 'which',
  becuase: 'because', tommorow: 'tomorrow', tomorow: 'tomorrow', cofee: 'coffee', coffe: 'coffee', wierd: 'weird', freind: 'friend',
  beleive: 'believe', thier: 'their', freash: 'fresh', bred: 'bread', redy: 'ready', alot: 'a lot', dont: 'don’t', cant: 'can’t',
  لاكن: 'لكن', هاذا: 'هذا', هاذه: 'هذه', ذالك: 'ذلك', انشاء: 'إن شاء', شكرن: 'شكرًا', الان: 'الآن',
} // prettier-ignore

/** Corrects known misspellings and changes nothing else. */
const corrected = (text: string) =>
  text
    .split(KEPT)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(/[\p{L}\p{M}]+/gu, rightOf)))
    .join('')

function rightOf(word: string): string {
  const right = MISTAKES[word.toLowerCase()]
  if (right === undefined) return word
  return word.charAt(0) === word.charAt(0).toLowerCase() ? right : right.charAt(0).toUpperCase() + right.slice(1)
}

const tongueOf = (code: string) => code.split('-')[0] ?? ''
const COMMAS: Record<string, string> = { ar: '، ' }
const QUOTES: Record<string, string> = { ar: '«»', de: '„“' }

/** Quotes a topic that is longer than a name, since it does not fit into a sentence as a name does. */
function quoted(about: string, code: string): string {
  const [before, after] = QUOTES[tongueOf(code)] ?? '“”'
  return about.split(' ').length > 3 ? `${before}${about}${after}` : about
}

/** Returns whether the text should become shorter or longer, from a field or from the instruction. */
function wishOf({ change, instruction = '' }: ReadBrief): ReadBrief['change'] {
  if (change) return change
  if (/short|kürz|kurz|أقصر|قصير/i.test(instruction)) return 'shorter'
  return /long|länger|lang|أطول|طويل/i.test(instruction) ? 'longer' : undefined
}

/** Returns the requested length, or else the length of the text that is rewritten. */
function lengthOf(brief: ReadBrief): 'short' | 'medium' | 'long-form' {
  const { task, length, caption = '' } = brief
  if (task === 'rewrite' && length === undefined) {
    const wish = wishOf(brief)
    if (wish) return wish === 'shorter' ? 'short' : 'long-form'
    return caption.length <= 140 ? 'short' : caption.length <= 600 ? 'medium' : 'long-form'
  }
  return length ?? 'medium'
}

const MOODS: [RegExp, number][] = [
  [/playful|fun|witty|humou?r|lively|excit|energ|cheer|quirky|مرح|lustig/i, 0],
  [/bold|urgent|direct|confident|strong|provoc|جريء|mutig/i, 2],
  [/warm|friend|kind|heart|caring|empath|personal|ودود|herzlich/i, 3],
  [/professional|formal|sober|inform|expert|serious|calm|رسمي|sachlich/i, 1],
]

function toneOf({ tone, voice }: ReadBrief, say: Phrases): string {
  const wished = tone ?? voice?.toneAttributes.join(' ') ?? ''
  if (wished === '') return say.tones[3]
  const [, at] = MOODS.find(([mood]) => mood.test(wished)) ?? [undefined, numberOf(wished) % 4]
  return say.tones[at] ?? say.tones[1]
}

function wordsOfVoice({ voice, language }: ReadBrief, say: Phrases, at: number): string | undefined {
  if (!voice) return undefined
  const { terms, phrases, avoid } = voice.vocabulary
  const known = [terms, phrases].map((list) => list.filter((each) => !hasAny(each, avoid)))
  const two = known.map((list) => list[at % Math.max(1, list.length)]).filter((each) => each !== undefined)
  const used = two.filter((each) => isSameScript(each, language.code))
  const all = used.length > 0 ? used : two.slice(0, 1)
  return all.length === 0
    ? undefined
    : say.words.replace('{x}', () => all.map((each) => each.replace(/[.!。]+$/u, '')).join(', '))
}

/** Joins sentences to paragraphs, and drops the last ones until the text fits. */
function fitted(paragraphs: string[][], characters: number): string {
  const left = paragraphs.map((paragraph) => [...paragraph])
  const text = () =>
    left
      .filter((paragraph) => paragraph.length > 0)
      .map((paragraph) => paragraph.join(' ').replaceAll(/ {2,}/g, ' ').trim())
      .join('\n\n')
  while (text().length > characters && left.flat().length > 1) left.findLast((paragraph) => paragraph.length > 0)?.pop()
  return text().slice(0, Math.max(1, characters))
}

const EMOJI = ['✨', '🌿', '💛', '🎉', '🙌', '☀️', '🌍', '🔥', '😊', '👀', '🌟', '🎈']

function withEmoji(text: string, wish: ReadBrief['emoji'], draw: Drawer): string {
  const [one = '', two = '', three = '', four = ''] = draw.shuffled(EMOJI)
  if (wish === 'minimal') return `${text} ${one}`
  return wish === 'heavy' ? `${one} ${text} ${two}${three}${four}` : text
}

/** Returns distinct hashtags, without #. */
function hashtagsFor(brief: ReadBrief, say: Phrases, draw: Drawer, count: number): string[] {
  const matter = [matterOf(brief), brief.niche ?? ''].join('. ')
  const own = keywordsOf(matter, avoidOf(brief))
    .map((word) => tagOf(word))
    .slice(0, 8)
  const common = draw.shuffled(say.tags)
  const joined = own.flatMap((word) => common.map((tag) => `${word}${tag}`))
  const all = new Map<string, string>()
  for (const tag of [
    ...own.slice(0, 4),
    ...common.slice(0, 3),
    ...own.slice(4),
    ...common.slice(3),
    ...joined,
    ...pairs(common),
  ]) {
    if (
      /\p{L}/u.test(tag) &&
      !hasAny(
        tag,
        avoidOf(brief).map((word) => word.replaceAll(/\s/g, '')),
      )
    )
      all.set(tag.toLowerCase(), tag)
  }
  return [...all.values()].slice(0, count)
}

const pairs = (tags: string[]) =>
  tags.flatMap((one) => tags.filter((other) => other !== one).map((other) => `${one}${other}`))

function tagOf(word: string): string {
  const letters = word.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
  return letters.charAt(0).toUpperCase() + letters.slice(1)
}

/** Translates a text line by line. Parts in `KEPT` stay in place. */
function translation(caption: string, to: Phrases, avoid: readonly string[]): string {
  let turn = 0
  const piece = (text: string): string => {
    const [, before = '', core = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/u.exec(text) ?? []
    if (!/\p{L}/u.test(core)) return text
    const sentences = core.match(/[^.!?؟。！？]+(?:[.!?؟。！？]+|$)/gu) ?? [core]
    return (
      before +
      sentences
        .map((sentence) => said(sentence.trim()))
        .filter(Boolean)
        .join(' ') +
      after
    )
  }
  const said = (sentence: string): string => {
    if (!/\p{L}/u.test(sentence)) return sentence
    const known = sayIn(sentence, to)
    if (known !== undefined && !hasAny(known, avoid)) return known
    turn += 1
    const numbers = sentence.match(/\d[\d.,:%]*/gu)
    const list =
      sentence.split(/\s+/).length <= 3 && !/[。！？]/u.test(sentence) && sentence.length < 25 ? to.tags : to.more
    const fit = list.filter((each) => !hasAny(each, avoid))
    const chosen = fit[(numberOf(sentence) + turn) % Math.max(1, fit.length)] ?? to.news
    return numbers
      ? `${chosen.replace(/[.。]$/u, '')} (${numbers.map((number) => number.replace(/[.,:]$/, '')).join(', ')})`
      : chosen
  }
  return caption
    .split('\n')
    .map((line) =>
      line
        .split(KEPT)
        .map((part, at) => (at % 2 === 1 ? part : piece(part)))
        .join(''),
    )
    .join('\n')
}

function voice(posts: string[]): Item {
  const all = posts.join('\n')
  const counts = new Map<string, number>()
  for (const word of all.replaceAll(KEPT, ' ').match(/[\p{L}\p{M}'’-]{5,}/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1)
  const often = [...counts]
    .filter(([word]) => word.length <= 60)
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([word]) => word)
  const lively = /!|！/.test(all)
  const asks = /[?؟？]/.test(all)
  return {
    toneAttributes: [
      lively ? 'lively' : 'calm',
      asks ? 'curious' : 'clear',
      all.length / Math.max(1, posts.length) > 300 ? 'narrative' : 'brief',
    ],
    terms: often.slice(0, 6),
    phrases: posts
      .map((post) => subjectOf(post, 60, []))
      .filter(Boolean)
      .slice(0, 3),
    avoid: lively ? [] : ['amazing'],
    writingStyle: `${lively ? 'Short, lively sentences' : 'Even sentences'}${asks ? ' that ask the reader something' : ''}. ${/\p{Extended_Pictographic}/u.test(all) ? 'A few emoji.' : 'No emoji.'}`,
  }
}

/** The topic is the first hashtag, else a known one that the text names, else its first keywords. */
function classified(brief: ReadBrief): Item {
  const text = matterOf(brief)
  const hashtag = /#([\p{L}\p{N}_]+)/u.exec(text)?.[1]?.toLowerCase()
  const named = brief.known.find((topic) => text.toLowerCase().includes(topic.toLowerCase()))
  return {
    topic: hashtag ?? named ?? (keywordsOf(text, []).slice(0, 2).join(' ') || 'news'),
    tone: /[!！]/.test(text) ? 'lively' : /[?؟？]/.test(text) ? 'curious' : 'friendly',
  }
}

const isSameScript = (text: string, code: string) =>
  !/\p{L}/u.test(text) || (tongueOf(code) === 'ar' ? /\p{Script=Arabic}/u : /\p{Script=Latin}/u).test(text)

type Drawer = ReturnType<typeof drawer>

/** Returns random choices that are the same for the same text. */
function drawer(words: string) {
  let at = numberOf(words)
  const next = () => {
    at = (at + 0x6d2b79f5) >>> 0
    let bits = Math.imul(at ^ (at >>> 15), at | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    below: (limit: number) => Math.floor(next() * Math.max(1, limit)),
    shuffled<T>(all: readonly T[]): T[] {
      return all
        .map((each) => ({ each, place: next() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ each }) => each)
    },
  }
}

/** FNV-1a. */
export function numberOf(text: string): number {
  let hash = 0x811c9dc5
  for (const sign of text) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash
}
