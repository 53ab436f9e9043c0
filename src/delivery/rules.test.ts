import { describe, expect, test } from 'vitest'
import { asPicture, asVideo, openNetworks } from '../../test/adapters.ts'
import { LEAST_CALLS_PER_HOUR } from '../core/config.ts'
import { facts } from '../networks/rules.ts'
import {
  afterConfirm,
  afterFailure,
  afterRead,
  assign,
  certainAge,
  missingVerdict,
  refusedWith,
  RESERVED_ABOVE,
  type UnknownOutcome,
  type Failure,
  tooLate,
  untilNextRead,
  verdictOf,
} from './rules.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HALF_HOUR = 30 * MINUTE

const failure = (change: Partial<Failure> = {}): Failure => ({
  failure: 'transient',
  committed: 'no',
  networkCode: '2',
  said: 'Please retry',
  ...change,
})
const counters = { tries: 1, failures: 0, backoffs: 0 }

test('the smallest call budget has the calls of a renewal, a subscription, an examination and the largest post', () => {
  const film = asVideo(Buffer.from('film'))
  const picture = asPicture('1', 'http://x/1.jpg')
  const networks = Object.values(openNetworks('http://unused.test'))
  const wanted = networks
    .filter(({ platform }) => facts[platform].callsPerHour !== null)
    .flatMap(({ platform, cost, renewCost, examineCost, inbox }) => {
      const most = facts[platform].images?.max ?? 1
      const posts = [[film], Array.from({ length: most }, () => picture), Array.from({ length: most }, () => film)]
      const checkCost = inbox?.checkCost ?? 0
      return [
        renewCost,
        examineCost + checkCost,
        (inbox?.subscribeCost ?? 0) + checkCost,
        ...posts.map((media) => cost({ text: '', media, handles: {} })),
      ]
    })
  expect(Math.max(...wanted)).toBeGreaterThan(30)
  const free = LEAST_CALLS_PER_HOUR - Math.ceil(LEAST_CALLS_PER_HOUR * RESERVED_ABOVE.begin)
  expect(wanted.filter((calls) => calls > free)).toEqual([])
})

test('nothing is sent a day after its time, unless it waited for the network itself', () => {
  const at = (hours: number) => new Date(hours * 60 * MINUTE)
  expect(tooLate(at(0), null, at(23.9))).toBeNull()
  expect([null, 'backoff', 'limit', 'container'].map((waited) => tooLate(at(0), waited as 'limit', at(24)))).toEqual([
    'missed',
    'missed',
    null,
    null,
  ])
  expect(tooLate(at(0), 'reconnect_needed', at(24))).toBe('reconnect_needed')
})

describe('after a failure', () => {
  test.each(['transient', 'ambiguous', 'policy', 'rate_limit'] as const)(
    'a commit with a lost answer (%s) has an unknown outcome and is never repeated',
    (code) =>
      expect(afterFailure(failure({ failure: code, committed: 'maybe' }), 'commit', counters, 0.5)).toMatchObject({
        to: 'reconcile',
      }),
  )

  test('a lost answer in prepare is only a failure, since nothing visible can exist', () => {
    expect(afterFailure(failure({ committed: 'maybe' }), 'prepare', counters, 1)).toMatchObject({
      to: 'wait',
      reason: 'backoff',
    })
  })

  test('a duplicate is refused at the first try, and has an unknown outcome at a later one, since the twin may be ours', () => {
    const duplicate = failure({ failure: 'same_text', committed: 'maybe' })
    expect(afterFailure(duplicate, 'commit', counters, 0)).toMatchObject({ to: 'FAILED', error: { code: 'same_text' } })
    expect(afterFailure(duplicate, 'commit', { ...counters, tries: 2 }, 0)).toEqual({ to: 'reconcile' })
    // A retry by a person resets the counters, but keeps the earliest intent.
    const retried = { ...counters, firstIntentAt: new Date(0) }
    expect(afterFailure(duplicate, 'commit', retried, 0)).toEqual({ to: 'reconcile' })
  })

  test('transient failures wait 2, 4, 8, 15 minutes with jitter, and the fifth one ends the delivery', () => {
    const waits = [0, 1, 2, 3].map((failures) => afterFailure(failure(), 'commit', { ...counters, failures }, 1))
    expect(waits.map((each) => each.to === 'wait' && each.after / MINUTE)).toEqual([2, 4, 8, 15])
    expect(afterFailure(failure(), 'commit', { ...counters, failures: 0 }, 0)).toMatchObject({ after: MINUTE })
    expect(afterFailure(failure(), 'commit', { ...counters, failures: 4 }, 1)).toMatchObject({ to: 'FAILED' })
  })

  test('a rate limit backs off in seconds, ends nothing and counts as no failure', () => {
    const limit = failure({ failure: 'rate_limit' })
    expect(afterFailure(limit, 'commit', counters, 1)).toEqual({
      to: 'wait',
      reason: 'limit',
      after: 2000,
      counters: { backoffs: 1 },
    })
    const many = afterFailure(limit, 'commit', { ...counters, backoffs: 40 }, 1)
    expect(many).toMatchObject({ to: 'wait', after: 15 * MINUTE })
    expect(afterFailure({ ...limit, retryAfterMs: 7 * MINUTE }, 'prepare', counters, 1)).toMatchObject({
      after: 7 * MINUTE,
    })
    // Neither immediately nor after a month.
    expect(afterFailure({ ...limit, retryAfterMs: 0 }, 'prepare', counters, 1)).toMatchObject({ after: 2000 })
    expect(afterFailure({ ...limit, retryAfterMs: 999 * 24 * 60 * MINUTE }, 'prepare', counters, 1)).toMatchObject({
      after: 24 * 60 * MINUTE,
    })
  })

  test('a refused token holds the target until the account is reconnected', () => {
    expect(afterFailure(failure({ failure: 'auth' }), 'prepare', counters, 0)).toEqual({
      to: 'hold',
      reason: 'reconnect_needed',
    })
  })

  test('a held target waits a day, or as long as its kind may, and fails afterwards', () => {
    const now = new Date(0)
    const dueAt = new Date(-30 * 60 * MINUTE)
    const verdict = (heldUntil?: Date) =>
      verdictOf({ to: 'hold', reason: 'reconnect_needed' }, { backoffs: 0, dueAt }, { now, scale: 1, heldUntil })
    expect(verdict()).toMatchObject({ state: 'FAILED', error: { code: 'reconnect_needed' } })
    const later = new Date(MINUTE)
    expect(verdict(later)).toMatchObject({ state: 'PENDING', nextAt: later, waitReason: 'reconnect_needed' })
  })

  test.each(['content', 'permission', 'policy', 'not_found', 'config'] as const)(
    'a definite refusal (%s) ends the delivery and states a fix',
    (code) => {
      const verdict = afterFailure(failure({ failure: code }), 'commit', counters, 0)
      expect(verdict).toMatchObject({ to: 'FAILED', error: { code, networkCode: '2' } })
      expect(verdict.to === 'FAILED' && verdict.error.fix.length).toBeGreaterThan(5)
    },
  )
})

describe('an unknown outcome', () => {
  const outcome = (change: Partial<UnknownOutcome> = {}): UnknownOutcome => ({
    age: 0,
    certain: change.age ?? 0,
    absentReads: 0,
    sinceAbsent: null,
    lateReads: 0,
    sinceLateRead: null,
    ...change,
  })

  test('reads happen 5, 30, 120, 180, 240 s, 10 and 30 minutes after the intent, then every minute', () => {
    const times: number[] = []
    let age = 0
    while (age < 32 * MINUTE) times.push((age += untilNextRead(age, 0)))
    expect(times.map((each) => each / SECOND)).toEqual([5, 30, 120, 180, 240, 600, 1800, 1860, 1920])
  })

  test('absence before 180 s proves nothing, however often it is read', () => {
    for (const age of [5, 30, 120, 179]) {
      expect(afterRead(true, outcome({ age: age * SECOND }))).toMatchObject({
        to: 'read',
        absentReads: 0,
        countedAbsent: false,
      })
    }
  })

  test('two complete reads a minute apart prove absence; one does not', () => {
    const first = afterRead(true, outcome({ age: 180 * SECOND }))
    expect(first).toMatchObject({ to: 'read', absentReads: 1, after: 60 * SECOND })
    expect(afterRead(true, outcome({ age: 220 * SECOND, absentReads: 1, sinceAbsent: 40 * SECOND }))).toMatchObject({
      to: 'read',
    })
    expect(afterRead(true, outcome({ age: 240 * SECOND, absentReads: 1, sinceAbsent: 60 * SECOND }))).toEqual({
      to: 'absent',
    })
  })

  test('unreadable does not count as absent, and never leads to another try', () => {
    let state = outcome()
    for (let age = 5 * SECOND; age < 3 * 60 * MINUTE; age += MINUTE) {
      const verdict = afterRead(false, { ...state, age, sinceLateRead: state.lateReads > 0 ? MINUTE : null })
      expect(verdict.to).not.toBe('absent')
      if (verdict.to === 'UNCONFIRMED') {
        expect(age).toBeGreaterThanOrEqual(30 * MINUTE)
        return
      }
      if (verdict.to === 'read') state = outcome({ lateReads: verdict.lateReads })
    }
    throw new Error('never undecided')
  })

  test('after a long downtime, two reads a minute apart precede the decision of a person', () => {
    const first = afterRead(false, outcome({ age: 5 * 60 * MINUTE }))
    expect(first).toMatchObject({ to: 'read', lateReads: 1 })
    expect(afterRead(false, outcome({ age: 5 * 60 * MINUTE, lateReads: 1, sinceLateRead: 10 * SECOND }))).toMatchObject(
      {
        to: 'read',
      },
    )
    expect(afterRead(false, outcome({ age: 5 * 60 * MINUTE, lateReads: 1, sinceLateRead: MINUTE }))).toEqual({
      to: 'UNCONFIRMED',
    })
  })

  test('a post unreadable at a shutdown and again half an hour later is read once more', () => {
    const down = afterRead(false, outcome({ age: 17 * MINUTE }))
    expect(down).toMatchObject({ to: 'read', lateReads: 0, countedLate: false })
    expect(afterRead(false, outcome({ age: 45 * MINUTE }))).toMatchObject({ to: 'read', after: MINUTE, lateReads: 1 })
  })

  test('a network that no longer has what it accepted was readable, so one failed read does not involve a person', () => {
    const row = { intentAt: new Date(0), absentReads: 0 }
    const { nextAt, late } = missingVerdict(row, { now: new Date(HALF_HOUR), scale: 1 })
    expect(nextAt).toEqual(new Date(HALF_HOUR + MINUTE))
    const failed = afterRead(false, outcome({ age: 31 * MINUTE, lateReads: late?.reads ?? 1, sinceLateRead: MINUTE }))
    expect(failed).toMatchObject({ to: 'read', lateReads: 1 })
  })

  test('one failed read does not involve a person if the network was readable a minute ago', () => {
    const late = { age: 31 * MINUTE, sinceLateRead: MINUTE }
    const told = afterRead(true, outcome({ ...late, lateReads: 1 }))
    expect(told).toMatchObject({ to: 'read', absentReads: 1, lateReads: 0 })
    const failed = afterRead(false, outcome({ ...late, absentReads: 1, sinceAbsent: MINUTE }))
    expect(failed).toMatchObject({ to: 'read', absentReads: 1, lateReads: 1 })
    expect(afterRead(true, outcome({ ...late, absentReads: 1, sinceAbsent: 2 * MINUTE, lateReads: 1 }))).toEqual({
      to: 'absent',
    })
  })
})

describe('an accepted post', () => {
  const HOUR = 60 * MINUTE
  const none = { lateReads: 0, sinceLateRead: null }
  test.each([
    [0, 3 * SECOND],
    [3 * SECOND, 2 * SECOND],
    [12 * SECOND, 8 * SECOND],
    [30 * SECOND, MINUTE],
    [29 * MINUTE, MINUTE],
    [30 * MINUTE, 10 * MINUTE],
  ])('is read again %d ms after its acceptance, in %d ms', (age, after) => {
    expect(afterConfirm(age, null, none)).toEqual({ after, lateReads: 0, countedLate: false })
  })

  test('needs the decision of a person if it is not live after a day', () => {
    expect(afterConfirm(24 * HOUR, null, none)).toBe('UNCONFIRMED')
  })

  test('does too if it is unreadable for half an hour and then twice in a row, however rarely it was read before', () => {
    const once = { lateReads: 1, sinceLateRead: MINUTE }
    expect(afterConfirm(HOUR, 29 * MINUTE, none)).toEqual({ after: 10 * MINUTE, lateReads: 0, countedLate: false })
    expect(afterConfirm(HOUR, 37 * MINUTE, none)).toEqual({ after: MINUTE, lateReads: 1, countedLate: true })
    expect(afterConfirm(HOUR, 37 * MINUTE, { ...once, sinceLateRead: 10 * SECOND })).toMatchObject({ lateReads: 1 })
    expect(afterConfirm(HOUR, 38 * MINUTE, once)).toBe('UNCONFIRMED')
    expect(afterConfirm(HOUR, null, once)).toMatchObject({ lateReads: 0 })
  })
})

test.each([
  ['the clock was not moved', 5, 5, 5],
  ['the clock leapt ahead a minute ago', 65, 1, 1],
  ['the clock was set back', -10, 2, 2],
  ['the process started to watch a minute ago', 30, 1, 1],
])('an age is limited to the time that has certainly passed if %s', (_, since, watched, certain) => {
  const now = new Date()
  const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE)
  expect(certainAge(ago(since), now, ago(watched))).toBe(certain * MINUTE)
})

describe('among several similar posts', () => {
  const seen = (name: string, minute: number) => ({ name, publishedAt: new Date(minute * MINUTE) })
  const by = (id: string, minute: number) => ({
    id,
    networkAt: new Date(minute * MINUTE),
    intentAt: new Date(minute * MINUTE),
  })
  const [early, late] = [seen('early', 0), seen('late', 10)]

  test('a single post belongs to the only try', () => expect(assign([early], by('a', 0), [])).toBe(early))

  test('a single post belongs to the only try whatever the clocks said, since the read has compared the times', () => {
    // One machine of the network was an hour ahead at the try, or both clocks were ahead and were corrected later.
    const ahead = { id: 'a', networkAt: new Date(60 * MINUTE), intentAt: new Date(0) }
    expect(assign([early], ahead, [])).toBe(early)
    expect(assign([early], { ...ahead, intentAt: new Date(10 * MINUTE) }, [])).toBe(early)
    // Among several tries the earlier of the two clocks counts.
    expect(assign([early], ahead, [by('b', 10)])).toBe(early)
  })

  test('the order decides which try made which post, if each has one', () => {
    expect(assign([late, early], by('a', 0), [by('b', 10)])).toBe(early)
    expect(assign([late, early], by('b', 10), [by('a', 0)])).toBe(late)
    // Even if they were made at nearly the same time, the order decides.
    const close = [seen('second', 1), early]
    expect(assign(close, by('a', 0), [by('b', 0.5)])).toBe(early)
  })

  test('a post from before another try does not belong to that try', () => {
    expect(assign([early], by('a', 0), [by('b', 10)])).toBe(early)
    expect(assign([early], by('b', 10), [by('a', 0)])).toBe('none')
  })

  test('a post that either of two tries may have made is ambiguous, and so is a surplus post', () => {
    expect(assign([late], by('a', 0), [by('b', 10)])).toBe('ambiguous')
    expect(assign([early, late], by('a', 0), [])).toBe('ambiguous')
  })

  test('no post matches if there are none', () => expect(assign([], by('a', 0), [by('b', 10)])).toBe('none'))
})

test('a class that is refused calls refuses the classes below it, and no class above it', () => {
  expect(refusedWith('reply')).toEqual(['reply', 'bot_reply', 'conversation_read', 'metric_read'])
  expect(refusedWith('metric_read')).toEqual(['metric_read'])
})
