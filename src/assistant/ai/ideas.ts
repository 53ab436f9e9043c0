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
import { ideaTexts } from '../../core/texts/ideas.ts'
import { languageOf } from '../../core/texts/letters.ts'
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
  const { now, timezone } = facts
  const language = languageOf(facts.language)
  const words = ideaTexts[language]
  const locale = `${language}-u-nu-latn`
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
  const usualHour = hourOf(facts)
  const instantOn = (date: string) => instantOf(`${date}T${usualHour?.hour ?? USUAL}:00`, timezone)

  const today = dateIn(now, timezone)
  const busy = new Set(facts.planned.map(({ at }) => dateIn(new Date(at), timezone)))
  const days = Array.from({ length: DAYS_AHEAD }, (_, next) => addDays(today, next + 1))
  const empty = days.filter((date) => !busy.has(date))
  for (const date of empty)
    add('gap', 0.8, words.gap(nameOf(date)), words.gapWhy(empty.length), brief(), instantOn(date))

  for (const { title, reason, topic, tone } of topics)
    add('topic', 0.9, title, claimsResult(reason) ? words.topicWhy : reason, brief({ topic, ...(tone && { tone }) }))

  for (const time of facts.times) {
    const date = dateIn(time.at, timezone)
    add('time', 0.75, words.best(nameOf(date), clock(time.at)), words.bestWhy(time), brief(), time.at)
  }

  const until = new Date(now.getTime() + DAYS_AHEAD * 86_400_000)
  const free = freeOf(occurrences(facts.slots, timezone, now, until), facts.planned)
  for (const slot of free) {
    const slotAt = new Date(slot.at)
    const title = words.slot(nameOf(dateIn(slotAt, timezone)), clock(slotAt))
    add('time', 0.7, title, words.slotWhy, brief(), slotAt)
  }
  if (free.length === 0 && facts.times.length === 0 && usualHour) {
    const next = instantOn(today) > now ? instantOn(today) : instantOn(addDays(today, 1))
    add('time', 0.65, words.hour(clock(next)), words.hourWhy(usualHour.posts, facts.published.length), brief(), next)
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
