import { endings, refusals } from '../core/texts/failures/en.ts'
import { type FailureCode, failures } from '../networks/failures/rules.ts'
import type { Handles } from '../networks/network.ts'
import type { DeliveryError, DeliveryState, WaitReason } from './api.ts'

// The publishing machine's times and decisions (docs/publishing.md). All times in milliseconds; the caller divides by TIME_SCALE.

const SECOND = 1000
const MINUTE = 60 * SECOND

export const LEASE = 60 * SECOND
/** How often the lease of a working step is renewed, and for how long at most. */
export const HEARTBEAT = 20 * SECOND
export const STEP_LIMIT = 60 * MINUTE
export const COMMIT_LEASE = 150 * SECOND
/** An intent older than this is not acted on: a worker that waits for its lease may not be outrun. */
export const STALE_INTENT = 5 * SECOND
/** How long a held or missed target may still go out. */
export const GRACE = 24 * 60 * MINUTE
/** Started later than this after the promised time a post is marked late. */
export const LATE = MINUTE

/** People are told of a target that failures have kept waiting for this long. */
export const DELAYED = 10 * MINUTE

const MAX_FAILURES = 5
/** The longest wait after a failure. */
export const MAX_WAIT = 15 * MINUTE

/** When the network is read back after an intent whose outcome is not known. */
const reads = [5, 30, 120, 180, 240, 600, 1800].map((seconds) => seconds * SECOND)
/** No two reads of the plan, and no two looks at what is being made, are further apart. */
export const LONGEST_READ = 20 * MINUTE
export const LONGEST_LOOK = MINUTE
/** Absence counts only from here on: a network may show late what it accepted. */
const SETTLED = 180 * SECOND
const APART = 60 * SECOND
/** Nothing proven by then, a person decides. */
const UNDECIDED = 30 * MINUTE

/** What is known of a delivery's failures so far. */
export interface Counters {
  tries: number
  failures: number
  backoffs: number
  /** Of the earliest try, before a person retried too; null when this is the first. */
  firstIntentAt?: Date | null
}

export interface Failure {
  failure: FailureCode
  committed: 'no' | 'maybe'
  networkCode: string | null
  message: string
  retryAfterMs?: number | undefined
}

/** What follows from a failure; `verdictOf` gives it its times. */
export type Consequence =
  | { to: 'wait'; reason: WaitReason; after: number; counters: Partial<Counters> }
  | { to: 'hold'; reason: 'reconnect_needed' }
  /** `limited`: the network only said that there were too many calls; how long to wait once nothing is found. */
  | { to: 'reconcile'; limited?: number }
  | { to: 'FAILED'; error: DeliveryError }

/**
 * What follows from a failure. In prepare nothing visible can exist, so a lost answer is only a failure; of the commit a lost
 * answer leaves the outcome unknown, which reading alone finds out. `jitter`: 0 to 1.
 */
export function afterFailure(
  failure: Failure,
  where: 'prepare' | 'commit',
  counters: Counters,
  jitter: number,
): Consequence {
  const { kind } = failures[failure.failure]
  if (where === 'commit' && failure.committed === 'maybe') {
    // The network says that it has this text already: only an earlier try of ours can be the twin.
    const first = counters.tries <= 1 && !counters.firstIntentAt
    if (kind === 'DUPLICATE' && first) return { to: 'FAILED', error: explain(failure) }
    return { to: 'reconcile', ...(kind === 'RATE_LIMIT' && { limited: limitOf(failure, counters.backoffs, jitter) }) }
  }
  switch (kind) {
    case 'AUTH':
      return { to: 'hold', reason: 'reconnect_needed' }
    case 'RATE_LIMIT':
    case 'QUOTA': {
      const after = limitOf(failure, counters.backoffs, jitter)
      return { to: 'wait', reason: 'limit', after, counters: { backoffs: counters.backoffs + 1 } }
    }
    case 'TRANSIENT':
    case 'MEDIA_FETCH':
    case 'AMBIGUOUS':
      return afterTransient(failure, counters, jitter)
    default:
      return { to: 'FAILED', error: explain(failure) }
  }
}

/** How long a limit has us wait: what the network says, but neither no time at all nor more than a day; else ever longer. */
export function limitOf({ retryAfterMs = 0 }: Pick<Failure, 'retryAfterMs'>, backoffs: number, jitter: number): number {
  if (retryAfterMs > 0) return Math.min(Math.max(retryAfterMs, SECOND), GRACE)
  return jittered(Math.min(2 ** Math.min(backoffs + 1, 20) * SECOND, MAX_WAIT), jitter)
}

/** One more transient failure: again after 2, 4, 8, 15 minutes; the fifth ends it. */
export function afterTransient(failure: Failure, counters: Counters, jitter: number): Consequence {
  const failures = counters.failures + 1
  if (failures >= MAX_FAILURES) return { to: 'FAILED', error: explain(failure) }
  return {
    to: 'wait',
    reason: 'backoff',
    after: jittered(Math.min(2 ** failures * MINUTE, MAX_WAIT), jitter),
    counters: { failures },
  }
}

/**
 * Why a target does not go out any more: a day after its time, unless its network had it wait. What was held says that, else
 * the service was not there.
 */
export function tooLate(dueAt: Date, waited: WaitReason | null, now: Date): Reason | null {
  if (now.getTime() < dueAt.getTime() + GRACE || (waited !== null && theirs.has(waited))) return null
  return waited === 'reconnect_needed' || waited === 'account_paused' ? waited : 'missed'
}

const theirs: ReadonlySet<string> = new Set(['limit', 'quota', 'container'])

/** Between half and the whole of a wait, so that many do not come back at once. */
const jittered = (wait: number, jitter: number) => Math.round(wait * (0.5 + jitter / 2))

// ---- verdicts

/** A delivery as the worker that settles it knows it: by its fence, and in the state that is to end. */
export interface Held {
  postId: string
  id: string
  fence: number
  state: DeliveryState
}

/** How a delivery ends, or what it waits for: what a step finds out, and `settle` writes. Times are those of the database's clock. */
export type Verdict =
  | { state: 'PUBLISHED'; externalId: string | null; permalink: string | null; publishedAt: Date }
  /** `by`: the user who stopped it. */
  | { state: 'FAILED'; error: DeliveryError; by?: string | null; restart?: boolean }
  | { state: 'UNCONFIRMED'; error: DeliveryError }
  | {
      state: 'PENDING'
      nextAt: Date
      waitReason: WaitReason | null
      failures?: number
      backoffs?: number
      /** What was prepared is of no use any more. */
      restart?: boolean
    }
  | {
      state: 'SUBMITTING'
      phase: 'commit' | 'confirm' | null
      nextAt: Date
      acceptedAt?: Date
      /** What it is known by, where the network told it only now. */
      handles?: Handles
      unreadSince?: Date | null
      absent?: { reads: number; at: Date | null }
      late?: { reads: number; at: Date | null }
      limitedUntil?: Date
      backoffs?: number
    }

/** When and how a verdict is reached. `scale` divides waits; `restart`: what was prepared is of no use any more. */
export interface Moment {
  now: Date
  scale: number
  restart?: boolean
}

export const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds)

/** The verdict on a row after a failure. */
export function verdictOf(
  consequence: Consequence,
  row: Pick<Counters, 'backoffs'> & { dueAt: Date },
  { now, scale, restart = false }: Moment,
): Verdict {
  switch (consequence.to) {
    case 'FAILED':
      return { state: 'FAILED', error: consequence.error, restart }
    case 'hold':
      return holdUntil(consequence.reason, row.dueAt, now, restart)
    case 'reconcile':
      return {
        state: 'SUBMITTING',
        phase: 'commit',
        nextAt: later(now, untilNextRead(0, 0) / scale),
        ...(consequence.limited !== undefined && {
          limitedUntil: later(now, consequence.limited / scale),
          backoffs: row.backoffs + 1,
        }),
      }
    case 'wait':
      return {
        state: 'PENDING',
        nextAt: later(now, consequence.after / scale),
        waitReason: consequence.reason,
        restart,
        ...consequence.counters,
      }
  }
}

/** A held delivery waits for its account until a day after its time. */
export function holdUntil(
  reason: 'reconnect_needed' | 'account_paused',
  dueAt: Date,
  now: Date,
  restart = false,
): Verdict {
  const until = later(dueAt, GRACE)
  return until <= now
    ? { state: 'FAILED', error: ended(reason), restart }
    : { state: 'PENDING', nextAt: until, waitReason: reason, restart }
}

/** The network has it and works on it: from here on it is only read. */
export const accepted = (row: { acceptedAt: Date | null }, { now, scale }: Moment, handles?: Handles): Verdict => ({
  state: 'SUBMITTING',
  phase: 'confirm',
  acceptedAt: row.acceptedAt ?? now,
  ...(handles && { handles }),
  nextAt: later(now, FIRST_CONFIRM / scale),
  late: { reads: 0, at: null },
})

const FIRST_CONFIRM = 3 * SECOND

/** It is live, at the network's time, unless that is a day ahead of ours and so wrong. */
export function isLive(
  {
    externalId,
    permalink,
    publishedAt,
  }: { externalId: string | null; permalink: string | null; publishedAt: Date | null },
  now: Date,
): Extract<Verdict, { state: 'PUBLISHED' }> {
  const isUsable = publishedAt !== null && publishedAt.getTime() - now.getTime() < 24 * 60 * MINUTE
  return { state: 'PUBLISHED', externalId, permalink, publishedAt: isUsable ? publishedAt : now }
}

// ---- an unknown outcome

/**
 * How much time has certainly gone by since `at`, whatever was done to the database's clock: what that clock says, and no more
 * than a process has watched it run undisturbed. A time to come was written before the clock was set back.
 */
export function certainAge(at: Date, now: Date, steadySince: Date): number {
  const watched = Math.max(0, now.getTime() - steadySince.getTime())
  return at > now ? watched : Math.min(watched, now.getTime() - at.getTime())
}

export interface UnknownOutcome {
  /** Since the intent, by the clock alone. */
  age: number
  /** Since the intent, for certain; so are all that follow. */
  certain: number
  absentReads: number
  /** Since the first read that counted as absent. */
  sinceAbsent: number | null
  /** Reads that could not tell, after UNDECIDED, a minute apart, since the last one that could. */
  lateReads: number
  sinceLateRead: number | null
}

export type ReadVerdict =
  | { to: 'absent' }
  | { to: 'UNCONFIRMED' }
  | { to: 'read'; after: number; absentReads: number; lateReads: number; countedAbsent: boolean; countedLate: boolean }

/**
 * What follows from a read that did not find the post: `complete` when everything was read, else the network could not be read.
 * Absence needs two complete reads, from 180 s after the intent, 60 s apart. Unreadable is not absent; nor is it unreadable for
 * ever what could not be read when it went down: a person is asked after two reads in a row, a minute apart, when half an hour
 * is over.
 */
export function afterRead(complete: boolean, outcome: UnknownOutcome): ReadVerdict {
  const settled = outcome.certain >= SETTLED
  const countedAbsent = complete && settled && (outcome.sinceAbsent === null || outcome.sinceAbsent >= APART)
  const absentReads = outcome.absentReads + (countedAbsent ? 1 : 0)
  if (absentReads >= 2) return { to: 'absent' }

  const age = Math.max(outcome.age, outcome.certain)
  const { lateReads, countedLate } = afterLate(complete, age, outcome)
  if (lateReads >= 2) return { to: 'UNCONFIRMED' }

  return {
    to: 'read',
    after: untilNextRead(age, absentReads),
    absentReads,
    lateReads,
    countedAbsent,
    countedLate,
  }
}

/** How many reads in a row could not tell, when nothing could for so long already. */
function afterLate(
  told: boolean,
  silent: number,
  { lateReads, sinceLateRead }: Pick<UnknownOutcome, 'lateReads' | 'sinceLateRead'>,
) {
  const countedLate = !told && silent >= UNDECIDED && (sinceLateRead === null || sinceLateRead >= APART)
  return { lateReads: told ? 0 : lateReads + (countedLate ? 1 : 0), countedLate }
}

/** Until the next read after `age` since the intent; once an absence counted, or the plan is over, a minute. */
export function untilNextRead(age: number, absentReads: number): number {
  if (absentReads > 0) return APART
  const next = reads.find((time) => time > age)
  return next === undefined ? APART : next - age
}

// ---- which of several posts it is

/** A delivery that may have made a post that the network shows: by the network's clock at its earliest try, and by ours. */
export interface Claimant {
  id: string
  networkAt: Date | null
  intentAt: Date
}

/** Two machines of a network differ by this much at most, in milliseconds. */
const SKEW = 120_000

/**
 * Which of the posts that look alike is `mine`, where others sent the same and do not know either. Each try makes one post at
 * most, and none before it was sent. Mine is among them when the posts cannot all be of the others; which one it is follows from
 * the order of the tries, where each has its post, else from there being only one. `ambiguous`: it cannot be told.
 */
export function assign<P extends { publishedAt: Date | null }>(
  posts: readonly P[],
  mine: Claimant,
  others: readonly Claimant[],
): P | 'none' | 'ambiguous' {
  const inTime = posts.toReversed().toSorted((a, b) => timeOf(a) - timeOf(b))
  const all = [mine, ...others].toSorted((a, b) => orderOf(a) - orderOf(b) || (a.id < b.id ? -1 : 1))
  const possible = inTime.filter(
    (post) =>
      // Without other claimants every post that was read counts: the window of the read already allows for moved clocks.
      (others.length === 0 || mayMake(mine, post)) &&
      explained(
        inTime.filter((each) => each !== post),
        others,
      ),
  )
  if (possible.length === 0) return explained(inTime, others) ? 'none' : 'ambiguous'
  if (explained(inTime, others)) return 'ambiguous'
  const [only, ...more] = possible
  if (only && more.length === 0) return only
  const inOrder = inTime.length === all.length ? inTime[all.indexOf(mine)] : undefined
  return inOrder && possible.includes(inOrder) ? inOrder : 'ambiguous'
}

const timeOf = ({ publishedAt }: { publishedAt: Date | null }) => publishedAt?.getTime() ?? Infinity
const orderOf = ({ networkAt, intentAt }: Claimant) => (networkAt ?? intentAt).getTime()
/** Either clock may have been ahead at the try, so the earlier of the two times counts. */
const mayMake = ({ networkAt, intentAt }: Claimant, post: { publishedAt: Date | null }) =>
  networkAt === null || Math.min(networkAt.getTime(), intentAt.getTime()) - SKEW <= timeOf(post)

/** Whether each of the posts, in the order of their times, can be of another one of the claimants. */
const explained = (posts: readonly { publishedAt: Date | null }[], claimants: readonly Claimant[]) =>
  posts.every((post, i) => claimants.filter((each) => mayMake(each, post)).length > i)

// ---- accepted, not yet live

/** When what was accepted is read, after it was; then each minute, after half an hour every ten. */
const confirms = [3, 5, 10, 20, 30].map((seconds) => seconds * SECOND)
const PROCESSED = 24 * 60 * MINUTE

/** What follows from a read that found it accepted still, `age` after it was; `unread`: how long it could not be read, or null. */
export function afterConfirm(
  age: number,
  unread: number | null,
  late: Pick<UnknownOutcome, 'lateReads' | 'sinceLateRead'>,
): { after: number; lateReads: number; countedLate: boolean } | 'UNCONFIRMED' {
  const { lateReads, countedLate } = afterLate(unread === null, unread ?? 0, late)
  if (age >= PROCESSED || lateReads >= 2) return 'UNCONFIRMED'
  const next = confirms.find((time) => time > age)
  const after = next === undefined ? (age < UNDECIDED || lateReads > 0 ? MINUTE : 10 * MINUTE) : next - age
  return { after, lateReads, countedLate }
}

// ---- words for people

/** A refusal in the words of the table. */
export function explain({ failure, networkCode, message }: Failure): DeliveryError {
  const { who, retryable } = failures[failure]
  const { fix } = refusals[failure]
  return { code: failure, networkCode, message: message.slice(0, 2000), fix, who, retryable }
}

const reasons = {
  missed: { who: 'author', retryable: true },
  reconnect_needed: { who: 'admin', retryable: true },
  account_paused: { who: 'admin', retryable: true },
  account_disconnected: { who: 'admin', retryable: true },
  no_target: { who: 'author', retryable: false },
  not_live: { who: 'author', retryable: true },
  stopped: { who: 'author', retryable: true },
  superseded: { who: 'author', retryable: false },
  duplicate: { who: 'author', retryable: false },
  post_unnamed: { who: 'author', retryable: false },
} as const satisfies Partial<Record<keyof typeof endings, Pick<DeliveryError, 'who' | 'retryable'>>>
type Reason = keyof typeof reasons

/** Why we ourselves ended a target. */
export const ended = (code: Reason): DeliveryError => ({
  code,
  networkCode: null,
  ...endings[code],
  ...reasons[code],
})

// ---- the call budget

/** What calls are made for, the most urgent first. */
export type CallClass = 'finish' | 'begin' | 'reply' | 'bot_reply' | 'conversation_read' | 'metric_read'

/**
 * The share of the hour that each class leaves untouched for those above it. `finish`: commits and reads of an unknown outcome;
 * `begin`: the begin of posts, and what a person asks of an account; then replies of people and of the bot, and reads, which
 * together never use more than half.
 */
export const RESERVED_ABOVE: Readonly<Record<CallClass, number>> = {
  finish: 0,
  begin: 0.1,
  reply: 0.2,
  bot_reply: 0.4,
  conversation_read: 0.5,
  metric_read: 0.6,
}
