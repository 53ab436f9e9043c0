import { createHash } from 'node:crypto'

/**
 * The model of a post's figures: a pure function of the post and the time, so that a test can ask what a network showed
 * at any moment.
 */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Networks update their counts every quarter of an hour. */
const COUNTED_EVERY = 15 * MINUTE

/** The final reach as a share of the followers, and the hours until about two thirds of it are reached. */
const CHANNELS = {
  page: { reach: 0.12, hours: 10 },
  photo: { reach: 0.25, hours: 14 },
  reel: { reach: 0.9, hours: 40 },
  video: { reach: 1.6, hours: 60 },
} as const

/** The properties of a live post that its figures depend on. */
export type Measured = {
  id: string
  accountId: string
  channel: keyof typeof CHANNELS
  followers: number
  at: number
  text: string
  hasVideo: boolean
  story?: boolean
}

export type Figures = Record<
  'reach' | 'impressions' | 'likes' | 'comments' | 'shares' | 'saves' | 'videoViews',
  number | null
>

/** Returns numbers between 0 and 1 that depend only on a text. */
export function chances(text: string): number[] {
  const hash = createHash('sha256').update(text).digest()
  return Array.from({ length: 8 }, (_, i) => (hash.readUInt32BE(i * 4) + 0.5) / 2 ** 32)
}

/** Returns a number from the standard normal distribution that depends only on a text. */
export function normal(text: string): number {
  const [one = 0.5, two = 0.5] = chances(text)
  return Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * two)
}

/**
 * Returns the factor of the time of day. Each account has better and worse slots of four hours, separately for working
 * days and weekends.
 */
function slotOf(accountId: string, at: number): number {
  const time = new Date(at)
  const isWeekend = time.getUTCDay() % 6 === 0
  return Math.exp(0.3 * normal(`${accountId} ${isWeekend} ${Math.floor(time.getUTCHours() / 4)}`))
}

const ASKS = 1.5
const traitOf = (text: string) => (/[?؟]/.test(text.split('\n', 1)[0] ?? '') ? ASKS : 1)

/** The share of posts that lose likes from their third day on. */
const LOSING = 0.02

/** Returns the figures of a post as counted at a time. Null if it is not out yet. */
export function figuresOf(post: Measured, time: number): Record<keyof Figures, number> | null {
  const age = Math.floor(time / COUNTED_EVERY) * COUNTED_EVERY - post.at
  if (age <= 0) return null
  const { reach, hours } = CHANNELS[post.channel]
  const end =
    post.followers * reach * slotOf(post.accountId, post.at) * traitOf(post.text) * Math.exp(0.4 * normal(post.id))
  const seen = end * (1 - Math.exp(-((age / (hours * HOUR)) ** 0.6)))
  const [again = 0, liking = 0, commenting = 0, sharing = 0, saving = 0, watching = 0, losing = 1] = chances(
    `${post.id} traits`,
  )
  const lost = losing < LOSING ? 0.2 * Math.min(1, Math.max(0, (age - 2 * DAY) / (2 * DAY))) : 0
  const views = seen * (1.2 + 0.5 * again)
  return {
    reach: Math.floor(seen),
    impressions: Math.floor(views),
    likes: Math.floor(seen * (0.03 + 0.06 * liking) * (1 - lost)),
    comments: Math.floor(seen * (0.002 + 0.006 * commenting)),
    shares: Math.floor(seen * (0.002 + 0.008 * sharing)),
    saves: Math.floor(seen * (0.004 + 0.012 * saving)),
    videoViews: Math.floor(views * (0.5 + 0.4 * watching)),
  }
}

/** The texts of accounts without real posts. */
const SUBJECTS = [
  'New on our shelves this week',
  'What would you like to see next?',
  'Behind the scenes this morning',
  'Last chance for our weekend offer',
  'Thank you for a wonderful month',
  'Which one is your favourite?',
  'Open until eight tonight',
]

/** Invents the posts of such an account in the last 90 days, on about every other day, at varying times. */
export function inventedPosts(account: { id: string; followers: number }, now: number): Measured[] {
  const today = Math.floor(now / DAY)
  return Array.from({ length: 90 }, (_, index) => today - index).flatMap((day) => {
    const [posting = 1, hour = 0, subject = 0, moving = 1] = chances(`${account.id} ${day}`)
    const at = day * DAY + Math.floor((8 + 12 * hour) * HOUR)
    if (posting > 0.5 || at >= now) return []
    const isReel = moving < 0.3
    return [
      {
        id: `${account.id}${day}`,
        accountId: account.id,
        channel: isReel ? ('reel' as const) : ('photo' as const),
        followers: account.followers,
        at,
        text: SUBJECTS[Math.floor(subject * SUBJECTS.length)] ?? '',
        hasVideo: isReel,
      },
    ]
  })
}

/** The figures that a network refuses. */
export type MetricFaults = {
  /** Names of metrics that the network no longer supports. */
  gone: string[]
  /** Posts that are older than the professional account. */
  older: string[]
}
export type MetricEvent = { type: 'metrics.set'; faults: MetricFaults }
export const noMetricFaults = (): MetricFaults => ({ gone: [], older: [] })
