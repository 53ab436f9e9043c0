import type { Scope } from '../../core/platform/scope.ts'
import type { Slot } from '../../publishing/scheduler/api.ts'
import {
  addDays,
  dateIn,
  freeOf,
  instantOf,
  occurrences,
  type ScheduledPost,
  wallTime,
} from '../../publishing/scheduler/rules.ts'
import type { CaptionInput, Suggestion } from './api.ts'
import { claimsResult } from './claims.ts'
import { cut } from './rules.ts'

/** How posts did, as `insights` knows it. */
export interface PostPerformance {
  /**
   * The next times at which posts of an account do significantly better, best first. The true ratio is probably between
   * `low` and `high`.
   */
  times: readonly { account: string; at: Date; posts: number; ratio: number; low: number; high: number }[]
  /** The rank of posts within their account: 0 has the least engagement, 1 the most. */
  posts: readonly { postId: string; percentile: number }[]
}
/** Passed in by `main.ts`. */
export type ReadPerformance = (scope: Scope) => Promise<PostPerformance>

/** The facts about a workspace that ideas are made from. */
export interface IdeaFacts {
  now: Date
  timezone: string
  language: string
  niche: string
  slots: readonly Slot[]
  /** The posts of the coming week in the calendar, including drafts with a time, such as those in review. */
  planned: readonly ScheduledPost[]
  /** Posts that are at least 60 days old, best first. `percentile` is null if their results are unknown. */
  old: readonly { caption: string; publishedAt: Date; platforms: readonly string[]; percentile: number | null }[]
  times: PostPerformance['times']
  /** Hashtags of the last 60 days, most used first. */
  hashtags: readonly { tag: string; count: number }[]
  /** The times of posts in the last 90 days. */
  published: readonly Date[]
}

export interface Topic {
  title: string
  reason: string
  topic: string
  tone: string
}

export type Idea = Omit<Suggestion, 'id'>

/** The maximum number of prepared ideas. */
export const MOST_IDEAS = 10
const DAYS_AHEAD = 7
const MOST_OF = { gap: 3, time: 2, repost: 2, hashtag: 1, topic: 4 } as const
/** How often a hashtag must be used before it counts as regular. */
const OFTEN = 3
/** The minimum number of posts at an hour that make it the usual one. */
const ENOUGH = 5
/** The hour that is used if there is no usual one. */
const USUAL = '09'

interface Words {
  fallback: string
  gap(day: string): string
  gapWhy(days: number): string
  slot(day: string, time: string): string
  slotWhy: string
  best(day: string, time: string): string
  bestWhy(time: PostPerformance['times'][number]): string
  hour(time: string): string
  hourWhy(posts: number, of: number): string
  repost(start: string): string
  repostWhy(date: string): string
  repostBest(date: string, percent: number): string
  hashtags(tags: string): string
  hashtagsWhy(tag: string, posts: number): string
  topicWhy: string
}

const en: Words = {
  fallback: 'What is new with us',
  gap: (day) => `Nothing is planned for ${day}`,
  gapWhy: (days) =>
    days === 1 ? 'One day of the coming week is empty.' : `${days} days of the coming week are empty.`,
  slot: (day, time) => `Fill the free slot on ${day} at ${time}`,
  slotWhy: 'It is the next free slot of your queue.',
  best: (day, time) => `Post on ${day} at around ${time}`,
  bestWhy: ({ account, posts, ratio, low, high }) =>
    `${account}: ${posts} posts at this time got ${ratio} times the usual engagement (probably ${low} to ${high} times).`,
  hour: (time) => `Post at around ${time}`,
  hourWhy: (posts, of) => `Most of your posts go out at this hour: ${posts} of ${of} in the last three months.`,
  repost: (start) => `Post it again: ${start}`,
  repostWhy: (date) => `It went out on ${date}, at least two months ago.`,
  repostBest: (date, percent) =>
    `It got more engagement than ${percent}% of the posts of its account. It went out on ${date}.`,
  hashtags: (tags) => `Keep using ${tags}`,
  hashtagsWhy: (tag, posts) => `You used ${tag} ${posts} times in the last two months.`,
  topicWhy: 'It comes from what your workspace is about and from your last posts.',
}

const arabicDays = (days: number) =>
  days === 1 ? 'يوم واحد' : days === 2 ? 'يومان' : days <= 10 ? `${days} أيام` : `${days} يومًا`
const arabicTimes = (times: number) =>
  times === 1 ? 'مرة واحدة' : times === 2 ? 'مرتين' : times <= 10 ? `${times} مرات` : `${times} مرة`

const ar: Words = {
  fallback: 'ما الجديد لدينا',
  gap: (day) => `لا شيء مخطط ليوم ${day}`,
  gapWhy: (days) => `في الأسبوع القادم ${arabicDays(days)} بلا منشورات.`,
  slot: (day, time) => `املأ الموعد المتاح يوم ${day} الساعة ${time}`,
  slotWhy: 'هو أقرب موعد متاح في قائمة الانتظار.',
  best: (day, time) => `انشر يوم ${day} نحو الساعة ${time}`,
  bestWhy: ({ account, posts, ratio, low, high }) =>
    `${account}: حصلت المنشورات في هذا الوقت (${posts}) على ${ratio} ضعف التفاعل المعتاد (على الأرجح بين ${low} و${high}).`,
  hour: (time) => `انشر نحو الساعة ${time}`,
  hourWhy: (posts, of) => `يخرج معظم منشوراتك في هذه الساعة: ${posts} من ${of} في الأشهر الثلاثة الماضية.`,
  repost: (start) => `أعد نشره: ${start}`,
  repostWhy: (date) => `نُشر في ${date}، أي قبل شهرين أو أكثر.`,
  repostBest: (date, percent) => `حصل على تفاعل أكبر من ${percent}% من منشورات حسابه. نُشر في ${date}.`,
  hashtags: (tags) => `واصل استخدام ${tags}`,
  hashtagsWhy: (tag, posts) => `استخدمت ${tag} ${arabicTimes(posts)} في الشهرين الماضيين.`,
  topicWhy: 'تأتي من مجال مساحة عملك ومن منشوراتك الأخيرة.',
}

const tables: Readonly<Record<string, Words>> = { en, ar }

/** Returns the beginning of a text, cut at a word. */
function startOf(text: string, longest: number): string {
  const line = text.trim().split('\n')[0] ?? ''
  if (line.length <= longest) return line
  return `${cut(line, longest).replace(/(?<!\s)\s+\S*$/u, '')}…`
}

/** Returns the hour at which most posts go out, or null if too few do. */
function hourOf({ published, timezone }: IdeaFacts): { hour: string; posts: number } | null {
  const hours = new Map<string, number>()
  for (const at of published) {
    const hour = wallTime(at, timezone).slice(11, 13)
    hours.set(hour, (hours.get(hour) ?? 0) + 1)
  }
  const [[hour, posts] = ['', 0]] = [...hours].toSorted(([a, one], [b, other]) => other - one || a.localeCompare(b))
  return posts >= ENOUGH ? { hour, posts } : null
}

/**
 * Returns ideas for the next posts, best first: a pure function of the known facts and the topics that a model
 * proposed.
 */
export function ideasOf(facts: IdeaFacts, topics: readonly Topic[]): Idea[] {
  const { now, timezone, language } = facts
  const words = tables[language] ?? en
  const locale = `${language in tables ? language : 'en'}-u-nu-latn`
  const about = facts.niche || cut(facts.old[0]?.caption ?? '', 2000) || words.fallback
  const day = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long' })
  const nameOf = (date: string) => day.format(new Date(`${date}T12:00Z`))
  const clocks = new Intl.DateTimeFormat(locale, { timeZone: timezone, timeStyle: 'short' })
  /** Formats a time as the screens do: 9:00 AM. */
  const clock = (at: Date) => clocks.format(at).replaceAll('\u202f', ' ')
  const brief = (more: Partial<CaptionInput> = {}): CaptionInput => ({ topic: about, ...more })
  const ideas: Idea[] = []
  const add = (kind: Idea['kind'], score: number, title: string, reason: string, given: CaptionInput, at?: Date) => {
    const before = ideas.filter((idea) => idea.kind === kind).length
    if (before >= MOST_OF[kind]) return
    const scheduledAt = at?.toISOString() ?? null
    ideas.push({ kind, title, reason, brief: given, score: score - before * 0.06, scheduledAt })
  }
  const best = hourOf(facts)
  const at = (date: string) => instantOf(`${date}T${best?.hour ?? USUAL}:00`, timezone)

  const today = dateIn(now, timezone)
  const busy = new Set(facts.planned.map(({ at }) => dateIn(new Date(at), timezone)))
  const days = Array.from({ length: DAYS_AHEAD }, (_, next) => addDays(today, next + 1))
  const empty = days.filter((date) => !busy.has(date))
  for (const date of empty) add('gap', 0.8, words.gap(nameOf(date)), words.gapWhy(empty.length), brief(), at(date))

  for (const { title, reason, topic, tone } of topics)
    add('topic', 0.9, title, claimsResult(reason) ? words.topicWhy : reason, brief({ topic, ...(tone && { tone }) }))

  for (const best of facts.times) {
    const date = dateIn(best.at, timezone)
    add('time', 0.75, words.best(nameOf(date), clock(best.at)), words.bestWhy(best), brief(), best.at)
  }

  const until = new Date(now.getTime() + DAYS_AHEAD * 86_400_000)
  const free = freeOf(occurrences(facts.slots, timezone, now, until), facts.planned)
  for (const slot of free) {
    const slotAt = new Date(slot.at)
    const title = words.slot(nameOf(dateIn(slotAt, timezone)), clock(slotAt))
    add('time', 0.7, title, words.slotWhy, brief(), slotAt)
  }
  if (free.length === 0 && facts.times.length === 0 && best) {
    const next = at(today) > now ? at(today) : at(addDays(today, 1))
    add('time', 0.65, words.hour(clock(next)), words.hourWhy(best.posts, facts.published.length), brief(), next)
  }

  for (const { caption, publishedAt, percentile } of facts.old) {
    if (caption.trim() === '') continue
    const date = new Intl.DateTimeFormat(locale, { timeZone: timezone, dateStyle: 'long' }).format(publishedAt)
    const why = percentile === null ? words.repostWhy(date) : words.repostBest(date, Math.round(percentile * 100))
    add('repost', 0.6, words.repost(startOf(caption, 60)), why, brief({ topic: cut(caption, 2000) }))
  }

  const often = facts.hashtags.filter(({ count }) => count >= OFTEN).slice(0, 5)
  if (often[0]) {
    const tags = often.map(({ tag }) => tag).join(' ')
    const given = brief({ hashtags: { include: true, count: often.length } })
    add('hashtag', 0.5, words.hashtags(tags), words.hashtagsWhy(often[0].tag, often[0].count), given)
  }
  return ideas.toSorted((a, b) => b.score - a.score || a.title.localeCompare(b.title)).slice(0, MOST_IDEAS)
}
