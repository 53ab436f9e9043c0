import * as z from 'zod'
import { type ReadBrief, KEPT, linksAndMentions } from './brief.ts'
import { phrasesOf } from './phrases/phrases.ts'
import { write } from './writer.ts'

const RULES = [
  'count',
  'length',
  'language',
  'emoji',
  'forbidden',
  'limit',
  'leak',
  'link',
  'same',
  'lost',
  'hashtags',
  'cta',
] as const

/** The body of `PUT /sandbox/ai/behaviour`: how the model misbehaves, for `times` calls or until changed. */
export const NewBehaviour = z.strictObject({
  /** Breaks exactly these rules of a brief. */
  disobey: z.array(z.enum(RULES)).optional(),
  /** Follows orders within the texts of a brief, against its instructions. */
  obeyBrief: z.boolean().optional(),
  /** Obeys every message of a customer, and claims to be certain. */
  obeyMessages: z.boolean().optional(),
  /** Replaces the answer with a refusal, malformed JSON, an interrupted stream, or items of another shape. */
  answer: z.enum(['refusal', 'broken_json', 'half', 'no_schema']).optional(),
  chunkDelayMs: z.int().min(0).max(60_000).optional(),
  delayMs: z.int().min(0).max(600_000).optional(),
  times: z.int().min(1).optional(),
  /** Only calls whose prompt contains this text are affected. */
  about: z.string().min(1).optional(),
})
export type Behaviour = z.infer<typeof NewBehaviour>

type Item = Record<string, unknown> & { text?: string; hashtags?: string[]; cta?: string | null }

/** Returns the items of an answer, including any misbehaviour. */
export function answerTo(brief: ReadBrief, system: string, chance: number, behaviour: Behaviour | null): Item[] {
  const broken = new Set(behaviour?.disobey)
  const told = behaviour?.obeyBrief ? ordersIn(brief) : undefined
  const heard = told ? { ...brief, ...told.language } : brief
  const items = write(misunderstood(heard, broken), chance) as Item[]
  const ordered = told ? items.map((item) => ({ ...item, ...followed(told.orders, system, item) })) : items
  return spoiled(ordered, brief, system, broken)
}

// ---- orders within a brief

function ordersIn(brief: ReadBrief) {
  const { topic, caption, instruction, niche, goal, voice, posts, media } = brief
  const texts = [topic, caption, instruction, niche, goal, ...posts.map(({ text }) => text)]
  const orders = [
    ...texts,
    JSON.stringify(voice),
    ...media.flatMap(({ altText, fileName }) => [altText, fileName]),
  ].join('\n')
  const spoken = /\bin (German|Arabic|English)\b/i.exec(orders)?.[1]
  const code = spoken && CODES[spoken.toLowerCase()]
  const language = code ? { code, name: spoken } : undefined
  return { orders, language: language && { language, targetLanguage: brief.targetLanguage && language } }
}

const CODES: Record<string, string> = {
  german: 'de',
  arabic: 'ar',
  english: 'en',
}

const EXACTLY =
  /(?:write|say|reply|respond|answer|output)(?: with)?(?:\s+(?:exactly|only)(?: with)?:?\s*["“']?|\s*:?\s*["“'])([^"”'\n.]{1,200})/i

function followed(orders: string, system: string, { text }: Item): Item {
  if (text === undefined) return {}
  const exact = EXACTLY.exec(orders)?.[1]
  const reveals = /reveal|system prompt|your instructions|repeat (?:the|your)/i.test(orders)
  const told = [
    reveals && system,
    exact?.trim(),
    /ignore|disregard/i.test(orders) && linksAndMentions(orders).join(' '),
  ]
  const said = told.filter(Boolean).join('\n')
  return said === '' ? {} : { text: said }
}

// ---- broken rules

/** Returns the brief as a model would read it that ignores these rules. */
function misunderstood(brief: ReadBrief, broken: ReadonlySet<string>): ReadBrief {
  const other = brief.language.code.startsWith('ar') ? { code: 'de', name: 'German' } : { code: 'ar', name: 'Arabic' }
  return {
    ...brief,
    ...(broken.has('length') && { length: brief.length === 'short' ? 'long-form' : 'short' }),
    ...(broken.has('language') && { language: other, ...(brief.targetLanguage && { targetLanguage: other }) }),
    ...(broken.has('emoji') && { emoji: brief.emoji === 'heavy' ? 'none' : 'heavy' }),
    ...(broken.has('limit') && { network: null }),
  }
}

function spoiled(items: Item[], brief: ReadBrief, system: string, broken: ReadonlySet<string>): Item[] {
  const { voice, network, cta, hashtags, task } = brief
  const say = phrasesOf((brief.targetLanguage ?? brief.language).code)
  const spoil: [string, (item: Item, text: string) => Item | undefined][] = [
    [
      'length',
      (_item, text) =>
        brief.length === 'long-form' || brief.length === 'medium'
          ? { text: text.split(/(?<=[.!?。؟])\s/u)[0]?.slice(0, 60) }
          : undefined,
    ],
    [
      'emoji',
      (_item, text) =>
        brief.emoji === 'heavy' || /\p{Extended_Pictographic}/u.test(text) ? undefined : { text: `${text} 🎉🎉🎉🎉` },
    ],
    ['forbidden', (_item, text) => ({ text: `${text} ${voice?.vocabulary.avoid[0] ?? ''}`.trim() })],
    [
      'limit',
      (_item, text) => ({
        text: `${text} ${`${say.more.join(' ')} `.repeat(Math.ceil((network?.characters ?? 5_000) / 500))}`.trim(),
      }),
    ],
    ['leak', (_item, text) => ({ text: `${text} ${system.slice(0, 400)}` })],
    ['link', (_item, text) => ({ text: `${text} https://offer.example/unasked` })],
    ['lost', (_item, text) => ({ text: text.replaceAll(KEPT, '').replaceAll(/ {2,}/g, ' ').trim() })],
    [
      'hashtags',
      ({ hashtags: tags }) =>
        tags && { hashtags: (hashtags?.min ?? 0) > 0 ? [] : [...tags, ...say.tags].slice(0, (hashtags?.max ?? 0) + 3) },
    ],
    ['cta', () => (cta && task !== 'cta' ? { cta: null } : undefined)],
  ]
  let all = items
  for (const [rule, act] of spoil) {
    if (broken.has(rule))
      all = all.map((item) => ({ ...item, ...(typeof item.text === 'string' && act(item, item.text)) }))
  }
  if (broken.has('forbidden'))
    all = all.map((item) =>
      typeof item['tag'] === 'string' && voice ? { tag: voice.vocabulary.avoid[0] ?? item['tag'] } : item,
    )
  if (broken.has('same')) all = all.map(() => all[0] as Item)
  return broken.has('count') ? all.slice(0, -1) : all
}
