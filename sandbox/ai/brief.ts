import * as z from 'zod'
import type { Seen } from './look.ts'

const Language = z.object({ code: z.string(), name: z.string() })
const Texts = z.array(z.string()).catch([])

/** The prompt of a user of the stand-in: one JSON object. Missing values, and values of the wrong type, are ignored. */
const ReadBrief = z.object({
  task: z
    .enum(['caption', 'rewrite', 'correct', 'hashtags', 'cta', 'translate', 'voice', 'topics', 'classify', 'alt_text'])
    .catch('caption'),
  count: z.int().min(1).max(50).catch(1),
  topic: z.string().optional().catch(undefined),
  caption: z.string().optional().catch(undefined),
  instruction: z.string().optional().catch(undefined),
  change: z.enum(['shorter', 'longer']).optional().catch(undefined),
  niche: z.string().optional().catch(undefined),
  goal: z.string().optional().catch(undefined),
  tone: z.string().optional().catch(undefined),
  length: z.enum(['short', 'medium', 'long-form']).optional().catch(undefined),
  language: Language.catch({ code: 'en', name: 'English' }),
  targetLanguage: Language.optional().catch(undefined),
  hashtags: z.object({ min: z.int(), max: z.int() }).nullable().catch(null),
  emoji: z.enum(['none', 'minimal', 'heavy']).nullable().catch(null),
  cta: z.object({ style: z.string().optional(), text: z.string().optional() }).nullable().catch(null),
  network: z
    .object({ characters: z.int(), hashtags: z.int().nullable().catch(null) })
    .nullable()
    .catch(null),
  voice: z
    .object({
      toneAttributes: Texts,
      vocabulary: z.object({ terms: Texts, phrases: Texts, avoid: Texts }),
    })
    .nullable()
    .catch(null),
  tags: Texts,
  media: z.array(z.object({ altText: z.string().catch(''), fileName: z.string().catch('') })).catch([]),
  posts: z.array(z.object({ text: z.string() })).catch([]),
  /** The topics that a workspace already uses. */
  known: Texts,
  repair: z.array(z.object({ text: z.string(), wrong: Texts })).catch([]),
})
/** The brief together with the picture of its message. */
export type ReadBrief = z.infer<typeof ReadBrief> & { picture: Seen | null }

/** A prompt that is not JSON is the topic of a caption. */
export function readBrief(prompt: string, picture: Seen | null = null): ReadBrief {
  let said: unknown
  try {
    said = JSON.parse(prompt)
  } catch {
    said = undefined
  }
  const isBrief = typeof said === 'object' && said !== null && !Array.isArray(said)
  return { ...ReadBrief.parse(isBrief ? said : { topic: prompt }), picture }
}

const LINK = /https?:\/\/[^\s<>"'()]+|www\.[^\s<>"'()]+/giu
const MENTION = /(?<![\p{L}\p{N}_.@/])@[\p{L}\p{N}_.]*[\p{L}\p{N}_]/gu
const HASHTAG = /#[\p{L}\p{M}\p{N}_]+/gu
const EMOJI =
  /(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3)[\p{Emoji_Modifier}\uFE0F]*(?:\u200D\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]*)*/gu

/** The parts that a translation keeps unchanged and in place. */
export const KEPT = new RegExp(`(${[LINK, MENTION, HASHTAG, EMOJI].map(({ source }) => source).join('|')})`, 'giu')

export const linksAndMentions = (text: string) => [...(text.match(LINK) ?? []), ...(text.match(MENTION) ?? [])]

/** Sentences that give orders to a model. They are within the topic, so a model that follows its rules ignores them. */
const ORDER =
  /\b(ignore|disregard|forget|reveal|repeat|system prompt|instructions?|you are now|write exactly|answer only|respond only|say exactly|output)\b/i

const GREETING =
  /^(?:hi|hello|hey|dear \w+|good (?:morning|afternoon|evening)|مرحب(?:\u064Bا|ا\u064B?)?|أهل(?:\u064Bا|ا\u064B?)?(?: وسهل(?:\u064Bا|ا\u064B?)?)?|السلام عليكم)(?: (?:there|all|everyone|team|بك|بكم))?(?=$|[\s,،!.:])[\s,،!.:]*/iu
const ASKING =
  /^(?:please |could you |can you |would you |i(?: would|'d|’d)? (?:like|want|need)(?: you)?(?: to)? |من فضلك[،,]? |لو سمحت[،,]? |أرجو (?:أن )?|أريد (?:أن )?|هل يمكنك (?:أن )?)*(?:write|create|make|draft|generate|give|اكتب|كتابة|تكتب|أنشئ|اصنع)(?: ?لي| me| us)?(?: (?:a|an|the|some|short|long|new|nice))*(?: (?:captions?|posts?|texts?|تعليق(?:\u064Bا|ا\u064B?)?|منشور(?:\u064Bا|ا\u064B?)?|نص(?:\u064Bا|ا\u064B?)?))+(?: قصير(?:\u064Bا|ا\u064B?)?)? (?:about|on|for|of|عن|حول) +/iu

/** Removes the greeting and the request before the topic of a text. */
function matterAlone(text: string): string {
  const asked = text.trimStart().replace(GREETING, '')
  return asked.replace(ASKING, '') || text
}

const words = (text: string) =>
  text.match(/[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’&+%.:-]*[\p{L}\p{M}\p{N}%]|[\p{L}\p{N}]/gu) ?? []

/** Returns the clauses of a text that are about its topic, without punctuation, links and orders. */
const clauses = (text: string) =>
  matterAlone(text)
    .replaceAll(KEPT, ' ')
    .split(/[\n.!?;:。！？…؟]+(?=\s|$)|[\n。！？]/u)
    .map((clause) =>
      clause
        .replaceAll(/["“”«»{}[\]<>|\\]/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((clause) => clause !== '' && !ORDER.test(clause))

/** Returns the topic in whole words, up to a number of characters; '' if there is none. */
export function subjectOf(text: string, characters: number, avoid: readonly string[]): string {
  const [first = ''] = clauses(text)
  const kept = first.split(' ').filter((word) => !hasAny(word, avoid))
  let subject = ''
  for (const word of kept) {
    if (`${subject} ${word}`.length > characters) break
    subject = `${subject} ${word}`.trim()
  }
  // Remove short words at the end, which need a word after them.
  if (subject !== kept.join(' ')) subject = subject.replace(/(?: [\p{Script=Latin}\p{Script=Cyrillic}]{1,4})+$/u, '')
  // This is one long word, or a language without spaces.
  return (subject || (kept[0] ?? '').slice(0, characters)).replace(/[,،、\s]+$/u, '')
}

/** Returns the beginning of a text for quoting: its first clause, with an ellipsis if it is cut. */
export function beginningOf(text: string, characters: number, avoid: readonly string[]): string {
  const subject = subjectOf(text, characters, avoid)
  const whole = subjectOf(text, Infinity, avoid)
  return subject === whole ? subject : `${subject}…`
}

/** Function words, which are no topics. */
const SMALL = new Set(
  `with from that this these those your yours have will would about into over they them their there here what when where which while
  every each more most some than then very just only also been were does make made ours until after before because
  aber auch dass dein diese dieser dieses eine einem einen einer eines haben jede jeden jeder kein keine mehr mein nach nicht noch oder
  sind über unser unsere unserem unseren unter wird wenn
  على إلى هذا هذه التي الذي لدينا بعد قبل حتى كما لكن نحن عند`.split(/\s+/),
)

/** Returns the keywords of a text, in order. */
export const keywordsOf = (text: string, avoid: readonly string[]): string[] =>
  [...new Set(clauses(text).flatMap(words))].filter(
    (word) =>
      (word.length >= 4 || /\d|\p{Script=Han}/u.test(word)) && !SMALL.has(word.toLowerCase()) && !hasAny(word, avoid),
  )

const plain = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
export const hasAny = (text: string, those: readonly string[]) =>
  those.some((each) => each.trim() !== '' && plain(text).includes(plain(each.trim())))
