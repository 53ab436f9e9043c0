import type * as z from 'zod'
import { VoiceText } from '../brand-voices/api.ts'
import { wordsInBoth } from '../brand-voices/rules.ts'
import { AppError } from '../../core/errors.ts'
import { type Model, ModelError, type Use } from '../../core/platform/model/model.ts'
import { type Brief, briefOf, items, type Surroundings, systemOf, tokensOf, type WritingKind } from './ai-brief.ts'
import type { Dropped, Finding, Option } from './api.ts'
import {
  altTextFindings,
  type Candidate,
  captionFindings,
  correctionFindings,
  ctaFindings,
  hashtagFindings,
  hashtagOf,
  leakOf,
  topicFindings,
  translationFindings,
  type Wanted,
  wantedOf,
} from './checks.ts'
import type { Topic } from './ideas.ts'
import { cut, droppedOf, measured, type Measure, ranked } from './rules.ts'

export interface WrittenOptions {
  /** Best first. */
  options: Option[]
  dropped: Dropped[]
  voice: VoiceText | null
  /** null if the model broke off before it reported its use. */
  use: Use | null
}

/** Returns everything that people typed into a brief, as one text. */
export function typedIn({ language: _, network: __, targetLanguage: ___, ...data }: Brief): string {
  return textsIn(data).join('\n')
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Judges an item. An item without findings is accepted. */
type Judge<T> = (item: T) => { text: string; wrong: Finding[] }

const sum = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0))
const both = (first: Use, second: Use): Use => ({
  model: second.model,
  inputTokens: sum(first.inputTokens, second.inputTokens),
  outputTokens: sum(first.outputTokens, second.outputTokens),
})

/** How many more answers than requested a model may write, to replace refused ones. */
const SPARE = 2

/**
 * Asks for the missing items, and once more with the faults of refused ones. `judge` decides on each item. If the model
 * fails after some were accepted, those are kept and it is not asked again. A call that somebody stopped keeps nothing.
 */
async function collect<T>(
  { model }: { model: Model },
  wanted: Pick<Wanted, 'brief' | 'system' | 'picture'>,
  item: z.ZodType<T>,
  signal: AbortSignal,
  missing: () => number,
  judge: Judge<T>,
): Promise<{ use: Use | null; wrong: Finding[] }> {
  const { brief, system, picture } = wanted
  const all = missing()
  let use = null as Use | null
  let wrong: ReturnType<Judge<T>>[] = []
  for (let round = 0; round < 2 && missing() > 0; round += 1) {
    const asked: Brief = {
      ...brief,
      count: missing(),
      ...(round > 0 && { repair: wrong.map((each) => ({ text: each.text, wrong: each.wrong })) }),
    }
    const refused: ReturnType<Judge<T>>[] = []
    const ask = {
      system,
      prompt: JSON.stringify(asked),
      picture,
      item,
      most: asked.count + SPARE,
      maxTokens: tokensOf(asked),
      signal,
    }
    const outcome = await model
      .items(ask, (each) => {
        if (missing() === 0) return
        const judged = judge(each)
        if (judged.wrong.length > 0) refused.push(judged)
      })
      .catch((error: unknown) => {
        if (!(error instanceof ModelError) || error.kind === 'aborted' || missing() === all) throw error
        return undefined
      })
    wrong = [...refused, ...wrong]
    if (!outcome) break
    use = use === null ? outcome : both(use, outcome)
  }
  return { use, wrong: wrong.map((each) => each.wrong[0] as Finding) }
}

/**
 * Has the model write, checks what it writes, and ranks it. `onOption` gets each option as it arrives. Throws
 * `ModelError`, `ai_unusable`.
 */
export async function write(
  ports: { model: Model },
  kind: WritingKind,
  input: object,
  around: Surroundings & Pick<Wanted, 'picture'>,
  signal: AbortSignal,
  onOption: (option: Option) => void,
): Promise<WrittenOptions> {
  const brief = briefOf(kind, input, around)
  const wanted = { ...wantedOf(brief, systemOf(brief.task), typedIn(brief)), picture: around.picture }
  const outcome = await writeTask(ports, brief.task, wanted, signal, onOption)
  if (outcome.options.length === 0 && outcome.voice === null) throw new AppError('ai_unusable')
  return outcome
}

function writeTask(
  ports: { model: Model },
  task: WritingKind | 'correct',
  wanted: Wanted,
  signal: AbortSignal,
  onOption: (option: Option) => void,
): Promise<WrittenOptions> {
  if (task === 'voice') return writeVoice(ports, wanted, signal)
  if (task === 'hashtags') return writeHashtags(ports, wanted, signal)
  return writeOptions(ports, task, wanted, signal, onOption)
}

function measureOf({ brief }: Wanted): Measure {
  const { task, topic, caption, length, change, voice, network } = brief
  // A correction or a description is right or wrong, so it has no strengths to rank.
  if (task === 'correct' || task === 'alt_text')
    return { about: null, length: null, change: null, terms: null, characters: null }
  const about = task === 'translate' ? null : (topic ?? caption ?? brief.goal ?? null)
  const terms = voice && [...voice.vocabulary.terms, ...voice.vocabulary.phrases]
  return {
    about,
    length: length ?? null,
    change: change ?? null,
    terms: terms ?? null,
    characters: network?.characters ?? null,
  }
}

/** The check of each task's options, compared with those already accepted. */
const judges = {
  caption: captionFindings,
  rewrite: captionFindings,
  correct: correctionFindings,
  cta: ctaFindings,
  translate: translationFindings,
  alt_text: altTextFindings,
} as const

async function writeOptions(
  ports: { model: Model },
  task: keyof typeof judges,
  wanted: Wanted,
  signal: AbortSignal,
  onOption: (option: Option) => void,
): Promise<WrittenOptions> {
  const { brief } = wanted
  const by = measureOf(wanted)
  const passed: Candidate[] = []
  const take = (candidate: Candidate) => {
    const wrong = judges[task](candidate, wanted, passed)
    if (wrong.length === 0) {
      onOption(measured(candidate, passed, by))
      passed.push(candidate)
    }
    return { text: candidate.text, wrong }
  }
  const missing = () => brief.count - passed.length
  const { use, wrong } = await collect<Item>(ports, wanted, items[task], signal, missing, (item) =>
    take(candidateOf(item, brief)),
  )
  return {
    options: ranked(passed, by),
    dropped: droppedOf(brief.count, passed.length, wrong),
    voice: null,
    use,
  }
}

/** An option as the model writes it. */
interface Item {
  text: string
  hashtags?: string[]
  cta?: string | null
}

/** Turns an item into an option: drops what was not requested, and normalizes hashtags as networks read them. */
export function candidateOf({ text, hashtags = [], cta }: Item, brief: Brief): Candidate {
  const seen = new Set<string>()
  const tags = hashtags.flatMap((each) => {
    const tag = hashtagOf(each)
    if (!tag || seen.has(tag.toLowerCase())) return []
    seen.add(tag.toLowerCase())
    return [tag]
  })
  const wished = (brief.task === 'translate' ? undefined : brief.cta?.text) ?? cta?.trim()
  return {
    text: text.trim(),
    ...(brief.hashtags && { hashtags: tags.slice(0, brief.hashtags.max) }),
    ...(brief.cta && wished && { cta: wished }),
  }
}

/** Writes hashtags, which together are one option. */
async function writeHashtags(ports: { model: Model }, wanted: Wanted, signal: AbortSignal): Promise<WrittenOptions> {
  const { brief } = wanted
  const most = Math.min(brief.count, brief.network?.hashtags ?? brief.count)
  const tags: string[] = []
  const { use, wrong } = await collect(
    ports,
    wanted,
    items.hashtags,
    signal,
    () => most - tags.length,
    (item) => {
      const tag = hashtagOf(item.tag)
      const found: Finding[] = tag ? hashtagFindings(tag, wanted, tags) : ['wrong_hashtags']
      if (tag && found.length === 0) tags.push(tag)
      return { text: item.tag, wrong: found }
    },
  )
  return {
    options: tags.length === 0 ? [] : ranked([{ text: tags.join(' '), hashtags: tags }], measureOf(wanted)),
    dropped: droppedOf(most, tags.length, wrong),
    voice: null,
    use,
  }
}

const MOST = { toneAttributes: [12, 40], terms: [100, 80], phrases: [50, 200], avoid: [100, 80] } as const

async function writeVoice(ports: { model: Model }, wanted: Wanted, signal: AbortSignal): Promise<WrittenOptions> {
  let voice: VoiceText | null = null
  const { use } = await collect(
    ports,
    wanted,
    items.voice,
    signal,
    () => (voice ? 0 : 1),
    (item) => {
      const some = (field: keyof typeof MOST) =>
        [...new Set(item[field].map((text) => text.trim()))]
          .filter((text) => text !== '' && text.length <= MOST[field][1] && !wanted.isLeak(text))
          .slice(0, MOST[field][0])
      const writingStyle = cut(item.writingStyle.trim(), 2000)
      if (wanted.isLeak(writingStyle)) return { text: writingStyle, wrong: ['leaked_instruction'] }
      const [terms, avoid] = [some('terms'), some('avoid')]
      const both = new Set(wordsInBoth({ terms, avoid }))
      voice = VoiceText.parse({
        toneAttributes: some('toneAttributes'),
        vocabulary: { terms, phrases: some('phrases'), avoid: avoid.filter((word) => !both.has(word)) },
        writingStyle,
        samplePosts: wanted.brief.posts?.map(({ text }) => text) ?? [],
      })
      return { text: writingStyle, wrong: [] }
    },
  )
  return { options: [], dropped: [], voice, use }
}

const LONGEST_TITLE = 80
const LONGEST_REASON = 300

/** Asks for topics and keeps those that follow the brief. Throws `ModelError`. */
export async function askTopics(
  ports: { model: Model },
  brief: Brief,
  signal: AbortSignal,
): Promise<{ topics: Topic[]; use: Use | null }> {
  const wanted = wantedOf(brief, systemOf('topics'), typedIn(brief))
  const topics: Topic[] = []
  const { use } = await collect(
    ports,
    wanted,
    items.topics,
    signal,
    () => brief.count - topics.length,
    (item) => {
      const title = cut(item.title.trim(), LONGEST_TITLE)
      const reason = cut(item.reason.trim(), LONGEST_REASON)
      const topic = cut(item.topic.trim(), 2000)
      const wrong = topicFindings({ text: `${title}\n${reason}\n${topic}` }, wanted)
      const empty = title === '' || topic === ''
      if (!empty && wrong.length === 0) topics.push({ title, reason, topic, tone: cut(item.tone.trim(), 100) })
      return { text: title, wrong: empty ? ['empty'] : wrong }
    },
  )
  return { topics, use }
}

const LONGEST_TAG = 60

/** Returns the topic and tone of a caption in a few words, or undefined if the model's words do not fit. */
export async function classify(
  { model }: { model: Model },
  { caption, language, known }: Pick<Brief, 'language'> & { caption: string; known: readonly string[] },
  signal: AbortSignal,
): Promise<{ topic: string; tone: string } | undefined> {
  const brief: Brief = {
    task: 'classify',
    count: 1,
    caption,
    language,
    known,
    hashtags: null,
    emoji: null,
    cta: null,
    network: null,
    voice: null,
  }
  const system = systemOf('classify')
  const isLeak = leakOf(system, caption)
  let told: { topic: string; tone: string } | undefined
  const ask = {
    system,
    prompt: JSON.stringify(brief),
    item: items.classify,
    most: 1,
    maxTokens: tokensOf(brief),
    signal,
  }
  await model.items(ask, ({ topic, tone }) => {
    const tags = { topic: topic.trim(), tone: tone.trim() }
    const fits = Object.values(tags).every((tag) => tag !== '' && tag.length <= LONGEST_TAG && !isLeak(tag))
    if (fits) told = tags
  })
  return told
}
