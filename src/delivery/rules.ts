import type { SocialAccount } from '../channels/api.ts'
import { storableText } from '../core/platform/rules.ts'
import { type FailureTextCode, type FailureTextKey, failureTexts } from '../core/texts/failures/en.ts'
import { codeOf, fill } from '../core/texts/fill.ts'
import { type FailureCode, failures } from '../networks/failures/rules.ts'
import type { Handles } from '../networks/network.ts'
import { NETWORK_CLOCK_SKEW } from '../networks/rules.ts'
import type { DeliveryError, DeliveryState, WaitReason } from './api.ts'

// The publishing machine's times and decisions (docs/publishing.md). All times are in milliseconds; the caller divides
// by TIME_SCALE.

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Milliseconds for which a claim, and each renewal of it, gives a worker the row. */
export const LEASE = 60 * SECOND
/** Milliseconds between two renewals of the lease of a running step. */
export const HEARTBEAT = 20 * SECOND
/** Milliseconds after which the lease of a running step is no longer renewed. */
export const STEP_LIMIT = 60 * MINUTE
/** Milliseconds for which an intent gives a worker the row, since a commit must end before another worker reads. */
export const COMMIT_LEASE = 150 * SECOND
/**
 * An intent older than this sends nothing: the worker may have been slow, and its lease must not expire before the
 * commit ends.
 */
export const STALE_INTENT = 5 * SECOND
/** How long after its time a held or missed target may still be sent. */
export const GRACE = 24 * 60 * MINUTE
/** A post that starts later than this after its time is marked as late. */
export const LATE = MINUTE

/** People are notified of a target that failures have delayed by this long. */
export const DELAYED = 10 * MINUTE

const MAX_FAILURES = 5
/** The longest wait after a failure. */
export const MAX_WAIT = 15 * MINUTE

/** Times of the reads after an intent with an unknown outcome. */
const reads = [5, 30, 120, 180, 240, 600, 1800].map((seconds) => seconds * SECOND)
/** The longest time between two planned reads, and between two checks of a file that is being prepared. */
export const LONGEST_READ = 20 * MINUTE
export const LONGEST_LOOK = MINUTE
/** Absence counts only from this age on, since a network may show an accepted post late. */
const ABSENCE_COUNTS = 180 * SECOND
const APART = 60 * SECOND
/** If nothing is proven at this age, a person decides. */
const UNDECIDED = 30 * MINUTE

/** The failures of a delivery so far. */
export interface Counters {
  tries: number
  failures: number
  backoffs: number
  /** The intent of the earliest try, even before a retry by a person; null for the first try. */
  firstIntentAt?: Date | null
}

export interface Failure {
  failure: FailureCode
  committed: 'no' | 'maybe'
  networkCode: string | null
  /** The network's own message, if it gave one. */
  said: string | null
  /** Our text if the network said nothing; by default that of the failure. */
  text?: FailureTextKey
  retryAfterMs?: number | undefined
  limit?: number | undefined
}

/** The consequence of a failure. `verdictOf` adds times to it. */
export type Consequence =
  | { to: 'wait'; reason: WaitReason; after: number; counters: Partial<Counters> }
  | { to: 'hold'; reason: 'reconnect_needed' }
  /** `limited` is set if the network only reported too many calls: how long to wait if the post is not found. */
  | { to: 'reconcile'; limited?: number }
  | { to: 'FAILED'; error: DeliveryError }

/**
 * Returns the consequence of a failure. In prepare nothing visible exists, so a lost answer is only a failure. After
 * the commit a lost answer leaves the outcome unknown, and only reading can find it. `jitter` is between 0 and 1.
 */
export function afterFailure(
  failure: Failure,
  where: 'prepare' | 'commit',
  counters: Counters,
  jitter: number,
): Consequence {
  const { kind } = failures[failure.failure]
  if (where === 'commit' && failure.committed === 'maybe') {
    // A duplicate refusal of a first try was read already (`readAfterDuplicate`), and our post was not found. On a
    // later try, the post may be ours, so it is read.
    const first = counters.tries <= 1 && !counters.firstIntentAt
    if (kind === 'DUPLICATE' && first) return { to: 'FAILED', error: errorOfFailure(failure) }
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
      return { to: 'FAILED', error: errorOfFailure(failure) }
  }
}

/**
 * Returns how long to wait after a limit: as long as the network states, but between a second and a day. If it states
 * nothing, the wait doubles with each limit up to MAX_WAIT, and is jittered.
 */
export function limitOf({ retryAfterMs = 0 }: Pick<Failure, 'retryAfterMs'>, backoffs: number, jitter: number): number {
  if (retryAfterMs > 0) return Math.min(Math.max(retryAfterMs, SECOND), GRACE)
  return jittered(Math.min(2 ** Math.min(backoffs + 1, 20) * SECOND, MAX_WAIT), jitter)
}

/**
 * Returns the consequence of one more transient failure: another try after at most 2, 4, 8 and 15 minutes, and at least
 * half of that (`jittered`). The fifth failure ends the delivery.
 */
export function afterTransient(failure: Failure, counters: Counters, jitter: number): Consequence {
  const failures = counters.failures + 1
  if (failures >= MAX_FAILURES) return { to: 'FAILED', error: errorOfFailure(failure) }
  return {
    to: 'wait',
    reason: 'backoff',
    after: jittered(Math.min(2 ** failures * MINUTE, MAX_WAIT), jitter),
    counters: { failures },
  }
}

/**
 * Returns why a target is too late, which it is a day after its time, unless it waited for its network. The reason of a
 * held target is its hold; for any other, the service was down.
 */
export function tooLate(
  dueAt: Date,
  waited: WaitReason | null,
  now: Date,
): 'missed' | 'reconnect_needed' | 'account_paused' | null {
  if (now.getTime() < dueAt.getTime() + GRACE || (waited !== null && NETWORK_WAITS.has(waited))) return null
  return waited === 'reconnect_needed' || waited === 'account_paused' ? waited : 'missed'
}

const NETWORK_WAITS: ReadonlySet<string> = new Set(['limit', 'quota', 'container'])

/** Returns between half and all of a wait, so that retries do not come at the same time. */
const jittered = (wait: number, jitter: number) => Math.round(wait * (0.5 + jitter / 2))

// ---- verdicts

/** A delivery as known to the code that settles it: its fence, and the state that the settlement ends. */
export interface FencedRow {
  subjectId: string
  id: string
  fence: number
  state: DeliveryState
}

/** Whether the outcome of a commit is unknown, or the network has accepted the delivery and is processing it. */
export type DeliveryPhase = 'commit' | 'confirm'

/** Why a row waits. Only a first comment waits for the id of its post, and no worker claims it until then. */
export type StoredWait = WaitReason | 'unnamed'

/**
 * The result of a step, which `settle` writes: how the delivery ends, or what it waits for. Times are by the database's
 * clock.
 */
export type Verdict =
  | { state: 'PUBLISHED'; externalId: string | null; permalink: string | null; publishedAt: Date }
  /** `by` is the user who stopped it. */
  | { state: 'FAILED'; error: DeliveryError; by?: string | null; restart?: boolean }
  | { state: 'UNCONFIRMED'; error: DeliveryError }
  | {
      state: 'PENDING'
      nextAt: Date
      waitReason: WaitReason | null
      failures?: number
      backoffs?: number
      /** The prepared handles are no longer usable. */
      restart?: boolean
    }
  | {
      state: 'SUBMITTING'
      phase: DeliveryPhase
      nextAt: Date
      acceptedAt?: Date
      /** The handles that identify it at the network, if the network returned them only now. */
      handles?: Handles
      unreadSince?: Date | null
      absent?: { reads: number; at: Date | null }
      late?: { reads: number; at: Date | null }
      limitedUntil?: Date
      backoffs?: number
    }

/**
 * The parameters of a verdict. `scale` divides waits. `restart`: the prepared handles are no longer usable.
 * `heldUntil`: how long it waits for its account, by default a day after its time.
 */
export interface Moment {
  now: Date
  scale: number
  restart?: boolean
  heldUntil?: Date | undefined
}

export const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds)

/** Returns the verdict on a row after a failure. */
export function verdictOf(
  consequence: Consequence,
  row: Pick<Counters, 'backoffs'> & { dueAt: Date },
  { now, scale, restart = false, heldUntil = graceEnds(row.dueAt) }: Moment,
): Verdict {
  switch (consequence.to) {
    case 'FAILED':
      return { state: 'FAILED', error: consequence.error, restart }
    case 'hold':
      return holdUntil(consequence.reason, heldUntil, now, restart)
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

/** Returns the time until which a held or missed delivery may still be sent, unless its kind has a longer window. */
export const graceEnds = (dueAt: Date) => later(dueAt, GRACE)

/** Returns the verdict that a held delivery waits for its account, at most until a time. */
export function holdUntil(
  reason: 'reconnect_needed' | 'account_paused',
  until: Date,
  now: Date,
  restart = false,
): Verdict {
  return until <= now
    ? { state: 'FAILED', error: errorFor(reason), restart }
    : { state: 'PENDING', nextAt: until, waitReason: reason, restart }
}

/**
 * Returns the verdict on a delivery whose account cannot send: it fails if the account is disconnected, and waits, at
 * most until `until`, if the account must be reconnected or is paused. Null if the account can send.
 */
export function verdictOnAccount(
  { status, paused }: { status: SocialAccount['status']; paused: boolean },
  { disconnected, until, now }: { disconnected: FailureTextKey; until: Date; now: Date },
): Verdict | null {
  if (status === 'DISCONNECTED') return { state: 'FAILED', error: errorFor(disconnected) }
  if (status !== 'CONNECTED') return holdUntil('reconnect_needed', until, now)
  return paused ? holdUntil('account_paused', until, now) : null
}

/** Returns the verdict that the network has accepted a delivery and is processing it: from now on it is only read. */
export const acceptedVerdict = (
  row: { acceptedAt: Date | null },
  { now, scale }: Moment,
  handles?: Handles,
): Verdict => ({
  state: 'SUBMITTING',
  phase: 'confirm',
  acceptedAt: row.acceptedAt ?? now,
  ...(handles && { handles }),
  nextAt: later(now, FIRST_CONFIRM / scale),
  late: { reads: 0, at: null },
})

const FIRST_CONFIRM = 3 * SECOND

/**
 * Returns the verdict that the network does not have what it accepted: from now on only reads prove the outcome. The
 * network was readable, so the count of reads that could not decide starts again.
 */
export const missingVerdict = (
  row: { intentAt: Date | null; absentReads: number },
  { now, scale }: Moment,
): Extract<Verdict, { state: 'SUBMITTING' }> => ({
  state: 'SUBMITTING',
  phase: 'commit',
  nextAt: later(now, untilNextRead(ageOf(row.intentAt, now, scale), row.absentReads) / scale),
  late: { reads: 0, at: null },
})

/**
 * Returns the verdict for a live post. Its time is the network's, unless that is a day ahead of ours and therefore
 * wrong.
 */
export function liveVerdict(
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
 * Returns the milliseconds since `at` by the clock alone, times the time scale. It is 0 without a time, and for a time
 * in the future, which was written before the clock was set back.
 */
export const ageOf = (at: Date | null, now: Date, scale: number) =>
  at === null ? 0 : Math.max(0, now.getTime() - at.getTime()) * scale

/**
 * Returns how much time has certainly passed since `at`, even if the database's clock was moved: the time by that
 * clock, but no more than a process has watched it run undisturbed. A time in the future was written before the clock
 * was set back.
 */
export function certainAge(at: Date, now: Date, steadySince: Date): number {
  const watched = Math.max(0, now.getTime() - steadySince.getTime())
  return at > now ? watched : Math.min(watched, now.getTime() - at.getTime())
}

export interface UnknownOutcome {
  /** Since the intent, by the clock alone. */
  age: number
  /** Since the intent, for certain (`certainAge`), like all fields below. */
  certain: number
  absentReads: number
  /** Since the first read that counted as absent. */
  sinceAbsent: number | null
  /** Consecutive reads after UNDECIDED that could not decide, a minute apart. */
  lateReads: number
  sinceLateRead: number | null
}

export type ReadVerdict =
  | { to: 'absent' }
  | { to: 'UNCONFIRMED' }
  | { to: 'read'; after: number; absentReads: number; lateReads: number; countedAbsent: boolean; countedLate: boolean }

/**
 * Returns the consequence of a read that did not find the post. `complete`: everything was read; otherwise the network
 * could not be read. Absence needs two complete reads, 60 s apart, from 180 s after the intent. Unreadable does not
 * mean absent: after half an hour, it takes two consecutive unreadable reads, a minute apart, before a person is asked.
 * So an outage at that moment does not decide it.
 */
export function afterRead(complete: boolean, outcome: UnknownOutcome): ReadVerdict {
  const isOldEnough = outcome.certain >= ABSENCE_COUNTS
  const countedAbsent = complete && isOldEnough && (outcome.sinceAbsent === null || outcome.sinceAbsent >= APART)
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

/** Counts consecutive reads that could not decide, once UNDECIDED has passed without one that could. */
function afterLate(
  told: boolean,
  silent: number,
  { lateReads, sinceLateRead }: Pick<UnknownOutcome, 'lateReads' | 'sinceLateRead'>,
) {
  const countedLate = !told && silent >= UNDECIDED && (sinceLateRead === null || sinceLateRead >= APART)
  return { lateReads: told ? 0 : lateReads + (countedLate ? 1 : 0), countedLate }
}

/**
 * Returns the time until the next read, `age` after the intent: a minute once an absence counted, or after the last
 * planned read.
 */
export function untilNextRead(age: number, absentReads: number): number {
  if (absentReads > 0) return APART
  const next = reads.find((time) => time > age)
  return next === undefined ? APART : next - age
}

// ---- which of several similar posts it is

/**
 * A delivery that may have made a post on the network, with the time of its earliest try by the network's clock and by
 * ours.
 */
export interface Claimant {
  id: string
  networkAt: Date | null
  intentAt: Date
}

/**
 * Decides which of several similar posts is `mine`, when other deliveries sent the same content and have an unknown
 * outcome too. Each try makes at most one post, which is never older than the try. One of the posts is mine if they
 * cannot all belong to the others. If every try has its post, their order decides; otherwise there must be exactly one
 * candidate. `ambiguous`: it cannot be decided.
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
      // Without other claimants every post counts, since the window of the read already allows for moved clocks.
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
  networkAt === null || Math.min(networkAt.getTime(), intentAt.getTime()) - NETWORK_CLOCK_SKEW <= timeOf(post)

/** Whether each of the posts, ordered by time, can belong to a different claimant. */
const explained = (posts: readonly { publishedAt: Date | null }[], claimants: readonly Claimant[]) =>
  posts.every((post, i) => claimants.filter((each) => mayMake(each, post)).length > i)

// ---- accepted, not yet live

/** When to read after the network accepted a post; then every minute, and after half an hour every ten. */
const confirms = [3, 5, 10, 20, 30].map((seconds) => seconds * SECOND)
const PROCESSED = 24 * 60 * MINUTE

/**
 * Returns the consequence of a read that did not find the accepted post live, `age` after its acceptance. `unread` is
 * how long it has been unreadable, or null.
 */
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

// ---- errors for people

/** Builds the error of a failure: in the network's words, or in ours if it said nothing. */
export function errorOfFailure({ failure, text = failure, networkCode, said, limit }: Failure): DeliveryError {
  const { text: ours, ...error } = errorFor(text, limit === undefined ? {} : { limit })
  return {
    ...error,
    networkCode: networkCode && storableText(networkCode, 200),
    ...(limit !== undefined && { limit }),
    ...(said === null ? { text: ours } : { message: storableText(said, 2000) }),
  }
}

type Remedy = Pick<DeliveryError, 'who' | 'retryable'>

const remedies: Record<FailureTextCode, Remedy> = {
  ...failures,
  missed: { who: 'author', retryable: true },
  reconnect_needed: { who: 'admin', retryable: true },
  account_paused: { who: 'admin', retryable: true },
  too_late: { who: 'author', retryable: true },
  account_disconnected: { who: 'admin', retryable: true },
  removal_disconnected: { who: 'admin', retryable: true },
  no_target: { who: 'author', retryable: false },
  not_live: { who: 'author', retryable: true },
  stopped: { who: 'author', retryable: true },
  superseded: { who: 'author', retryable: false },
  duplicate: { who: 'author', retryable: false },
  post_unnamed: { who: 'author', retryable: false },
  outcome_unknown: { who: 'author', retryable: false },
}

/** The variants whose remedy differs from that of their code. */
const variants: Partial<Record<FailureTextKey, Remedy>> = {
  'outcome_unknown/comment': { who: 'author', retryable: true },
  'outcome_unknown/removal': { who: 'author', retryable: true },
  'media_fetch/deleted': { who: 'author', retryable: false },
}

/** Builds the error of a delivery in our own words. */
export function errorFor(
  key: FailureTextKey,
  values: Record<string, string | number> = {},
): DeliveryError & Required<Pick<DeliveryError, 'text'>> {
  const code = codeOf(key)
  const { message, fix } = failureTexts[key]
  const { who, retryable } = variants[key] ?? remedies[code]
  return {
    code,
    networkCode: null,
    message: fill(message, values),
    fix,
    who,
    retryable,
    text: { key: `failures.${key}`, values },
  }
}

// ---- the call budget

/** The purposes of calls, the most urgent first. */
export type CallClass = 'finish' | 'begin' | 'reply' | 'bot_reply' | 'conversation_read' | 'metric_read'

/**
 * The share of the hour that each class leaves to the classes above it. `finish`: reads of an unknown outcome or of an
 * accepted post, and giving back a permission. `begin`: steps of posts, first comments and removals with their commits,
 * and people's requests about an account. Then come replies of people, replies of the bot, and reads, which together
 * never use more than half.
 */
export const RESERVED_ABOVE: Readonly<Record<CallClass, number>> = {
  finish: 0,
  begin: 0.1,
  reply: 0.2,
  bot_reply: 0.4,
  conversation_read: 0.5,
  metric_read: 0.6,
}

/**
 * Returns the classes that may get no calls either once `what` is refused: itself, and those that leave a larger share.
 */
export const refusedWith = (what: CallClass): CallClass[] =>
  (Object.keys(RESERVED_ABOVE) as CallClass[]).filter((each) => RESERVED_ABOVE[each] >= RESERVED_ABOVE[what])
