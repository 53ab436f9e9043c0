import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SocialAccount } from '../src/channels/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { type Running, startProduct, startSandbox } from './product.ts'
import { sized } from './tier.ts'
import {
  addFault,
  type Answer,
  call,
  connect,
  eventually,
  liveOn,
  newPerson,
  type Person,
  picture,
  type Problem,
  uploadPicture,
} from './world.ts'

// Compares the product with a model of a post's life and of its first comments, taken from the contract's table.
// Whatever the requests and their order, each answer matches the table, and in the end the networks show what the post
// says, with each comment once below its post.

const TIME_SCALE = 20
/** The number of sequences. For more of them: MODEL_RUNS=1000 npx vitest run test/model.test.ts */
const RUNS = Number(process.env['MODEL_RUNS'] ?? sized(16, 240))
const SEED = Number(process.env['MODEL_SEED'] ?? 20_261_121)
const LANES = sized(5, 15)

let database: TestDatabase
let sandbox: Running
let product: Running
let sql: pg.Pool

beforeAll(async () => {
  database = await freshDatabase()
  sql = new pg.Pool({ connectionString: database.url, max: 4 })
  sandbox = await startSandbox({ env: { TIME_SCALE: String(TIME_SCALE) } })
  product = await startProduct({
    databaseUrl: database.url,
    env: {
      TIME_SCALE: String(TIME_SCALE),
      DEFAULT_PLAN: 'business',
      NET_PAGE_GRAPH_URL: `${sandbox.url}/graph`,
      NET_PAGE_DIALOG_URL: `${sandbox.url}/dialog`,
    },
  })
})
afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await sandbox?.stop()
  await database?.drop()
})

// ---- the model

/** `blind` is a page that never answers and cannot be read, so a post to it ends UNCONFIRMED. */
const SLOTS = ['page', 'blind', 'photo'] as const
type Slot = (typeof SLOTS)[number]
type State = 'PENDING' | 'PUBLISHED' | 'FAILED' | 'UNCONFIRMED'

/** What the networks do with a text: accept or refuse it. */
type Text = 'good' | 'refused'

/** The first comment below a live target. */
interface Comment {
  state: 'PENDING' | 'POSTED' | 'FAILED'
  text: Text
  /** The revisions of the comment and of the post above it. */
  revision: number
  below: number
}

interface Model {
  status: Post['status']
  targets: Partial<Record<Slot, State>>
  /** Targets that were removed after a try, with their state at the time. */
  dropped: Partial<Record<Slot, State>>
  text: Text
  photoText: Text
  /** The first comment that is written for all targets. */
  comment: Text | 'none'
  /** The comments of live targets. */
  comments: Partial<Record<Slot, Comment>>
  pictured: boolean
  scheduled: 'never' | 'later' | 'now'
  deleted: boolean
  version: number
  /** Counts the texts, so that no text repeats. */
  revision: number
  photoRevision: number
  commentRevision: number
  paused: Slot[]
}

const entries = (model: Model) => Object.entries(model.targets) as [Slot, State][]
const has = (model: Model, state: State) => entries(model).some(([, each]) => each === state)

/** Returns the status of a post from its targets, if none of them is open. */
function outcomeOf(model: Model): Post['status'] {
  const live = entries(model).filter(([, state]) => state === 'PUBLISHED').length
  return live === 0 ? 'FAILED' : live === entries(model).length ? 'PUBLISHED' : 'PARTIALLY_PUBLISHED'
}

const isMoving = (model: Model) => !isDeepStrictEqual(model, rested(model))

/** Returns the model after everything has happened that needs no request. */
const rested = (model: Model): Model => withComments(withTargets(model))

/** Returns the model after its targets have ended. Each live target then has a comment, if one was written. */
function withTargets(model: Model): Model {
  if (model.deleted) return model
  const open = entries(model).filter(([, state]) => state === 'PENDING')
  const free = open.filter(([slot]) => !model.paused.includes(slot))
  const due = model.status === 'SCHEDULED' && model.scheduled === 'now' && free.length > 0
  if (model.status !== 'PUBLISHING' && !due) return model
  const [targets, comments] = [{ ...model.targets }, { ...model.comments }]
  for (const [slot] of free) {
    const text = slot === 'photo' ? model.photoText : model.text
    targets[slot] = slot === 'blind' ? 'UNCONFIRMED' : text === 'good' ? 'PUBLISHED' : 'FAILED'
    if (targets[slot] === 'PUBLISHED') Object.assign(comments, commentOf(model, slot, 'PENDING'))
  }
  const next: Model = { ...model, targets, comments, status: 'PUBLISHING' }
  return has(next, 'PENDING') ? next : { ...next, status: outcomeOf(next) }
}

function commentOf(model: Model, slot: Slot, state: Comment['state']): Model['comments'] {
  if (model.comment === 'none') return {}
  const below = slot === 'photo' ? model.photoRevision : model.revision
  return { [slot]: { state, text: model.comment, revision: model.commentRevision, below } }
}

/** Returns the model after its comments have ended. Deleting the post does not stop them. */
function withComments(model: Model): Model {
  const comments = { ...model.comments }
  for (const [slot, comment] of Object.entries(comments) as [Slot, Comment][]) {
    if (comment.state !== 'PENDING' || (model.paused.includes(slot) && slot !== 'blind')) continue
    // Nobody knows the id of a post to the blind page.
    const isRefused = slot === 'blind' || comment.text === 'refused'
    comments[slot] = { ...comment, state: isRefused ? 'FAILED' : 'POSTED' }
  }
  return { ...model, comments }
}

/** Returns the states that the post may be in by now: as requested, under way, or at rest. */
function possible(model: Model): Model[] {
  const [sent, last] = [withTargets(model), rested(model)]
  const all = [model, ...(areTargetsMoving(model) ? [{ ...model, status: 'PUBLISHING' as const }] : []), sent, last]
  return all.filter((each, index) => all.findIndex((other) => isDeepStrictEqual(each, other)) === index)
}

const areTargetsMoving = (model: Model) => !isDeepStrictEqual(model, withTargets(model))

interface Expected {
  status: number
  code?: string
  next: Model
}

type Act = 'edit' | 'schedule' | 'cancel' | 'publish' | 'retry' | 'delete'

/** The contract's table: the actions that each status allows. */
const table: Record<Post['status'], Act[]> = {
  DRAFT: ['edit', 'schedule', 'publish', 'delete'],
  SCHEDULED: ['edit', 'schedule', 'cancel', 'publish', 'delete'],
  PUBLISHING: [],
  PUBLISHED: ['delete'],
  PARTIALLY_PUBLISHED: ['edit', 'retry', 'delete'],
  FAILED: ['edit', 'retry', 'delete'],
}

function refusal(model: Model, act: Act): Expected | undefined {
  const no = (code: string, status = 409) => ({ status, code, next: model })
  if (model.deleted) return no('not_found', 404)
  const isUnknown = model.status !== 'PUBLISHING' && has(model, 'UNCONFIRMED')
  if (isUnknown && act !== 'cancel' && act !== 'retry') return no('outcome_unknown')
  if (!table[model.status].includes(act)) {
    const seen = model.status === 'PUBLISHED' || (model.status === 'PARTIALLY_PUBLISHED' && act !== 'cancel')
    return no(seen ? 'already_published' : 'invalid_state')
  }
  return undefined
}

/** A photo target without a picture is never valid. */
const isImpossible = (model: Model) => model.targets.photo !== undefined && !model.pictured
const invalid = (model: Model): Expected => ({ status: 422, code: 'validation_failed', next: model })
const done = (model: Model, change: Partial<Model>): Expected => ({
  status: 200,
  next: { ...model, version: model.version + 1, ...change },
})

/** Returns the targets, with the failed ones enqueued again. */
const enqueueFailed = (model: Model): Model['targets'] =>
  Object.fromEntries(entries(model).map(([slot, state]) => [slot, state === 'FAILED' ? 'PENDING' : state]))

// ---- the product

interface Lane {
  person: Person
  user: string
  accounts: Record<Slot, SocialAccount>
  pictureId: string
  /** Whether the blind page publishes the posts that it does not answer. */
  keeps: boolean
}

interface Real {
  lane: Lane
  name: string
  id: string
  /** The posts whose number must be right in the end, with that number: 1 or 0. */
  expected: Map<string, number>
  /** The comments that must be below these posts in the end. There are none below others. */
  comments: Map<string, string[]>
}

const textOf = (name: string, revision: number, text: Text) =>
  `${name}, ${revision}${text === 'refused' ? ' [sim:fail 100]' : ''}`
const captionOf = (real: Real, model: Model) => textOf(real.name, model.revision, model.text)
const photoCaptionOf = (real: Real, model: Model) => textOf(`${real.name} photo`, model.photoRevision, model.photoText)

const commentText = (real: Real, { revision, text }: Pick<Comment, 'revision' | 'text'>) =>
  textOf(`${real.name} comment`, revision, text)

function optionsOf(real: Real, { comment, commentRevision }: Model) {
  if (comment === 'none') return {}
  const firstComment = commentText(real, { revision: commentRevision, text: comment })
  return { NET_PAGE: { firstComment }, NET_PHOTO: { firstComment } }
}

const contentOf = (real: Real, model: Model) => ({
  caption: captionOf(real, model),
  captionOverrides: { NET_PHOTO: { caption: photoCaptionOf(real, model) } },
  platformOptions: optionsOf(real, model),
  targets: entries(model).map(([slot]) => real.lane.accounts[slot].id),
  media: model.pictured ? [real.lane.pictureId] : [],
})

const read = (real: Real) => real.lane.person.must<Post>('GET', `/posts/${real.id}`)

const slotOf = (real: Real, accountId: string) =>
  SLOTS.find((slot) => real.lane.accounts[slot].id === accountId) as Slot

const statesOf = (real: Real, post: Post) =>
  Object.fromEntries(
    post.publications.filter(({ dropped }) => !dropped).map(({ accountId, state }) => [slotOf(real, accountId), state]),
  )

/** Returns the states of the comments. Those of a deleted post are not in the API. */
async function commentsOf(real: Real, post?: Post): Promise<Partial<Record<Slot, string>>> {
  if (post) {
    return Object.fromEntries(
      post.publications.flatMap(({ accountId, firstComment }) =>
        firstComment ? [[slotOf(real, accountId), firstComment.state]] : [],
      ),
    )
  }
  const { rows } = await sql.query<{ id: string; state: string }>(
    `select account_id as id, case state when 'PUBLISHED' then 'POSTED' else state end as state from delivery
      where post_id = $1 and kind = 'comment'`,
    [real.id],
  )
  return Object.fromEntries(rows.map(({ id, state }) => [slotOf(real, id), state]))
}

const commentStates = ({ comments }: Model) =>
  Object.fromEntries(Object.entries(comments).map(([slot, { state }]) => [slot, state]))

/** Makes an unanswered commit an hour older and its reads due, so that only the next read is awaited. */
const age = (id: string) =>
  sql.query(
    `update publication set intent_at = intent_at - interval '1 hour', late_reads = 1, next_at = app_now(),
      late_read_at = app_now() - interval '1 hour'
    where post_id = $1 and state = 'SUBMITTING' and phase = 'commit' and lease_until is null
      and intent_at > app_now() - interval '10 minutes'`,
    [id],
  )

/** Waits until the product reaches the state in which the model is at rest, and fails if it does not. */
async function settle(model: Model, real: Real): Promise<void> {
  const last = rested(model)
  const blind = last.targets.blind === 'UNCONFIRMED' && model.targets.blind !== 'UNCONFIRMED'
  let seen: unknown
  const wanted = {
    comments: commentStates(last),
    ...(!last.deleted && { status: last.status, targets: last.targets, version: last.version }),
  }
  await eventually(
    async () => {
      if (blind) await age(real.id)
      const post = last.deleted ? undefined : await read(real)
      seen = {
        comments: await commentsOf(real, post),
        ...(post && { status: post.status, targets: statesOf(real, post), version: post.version }),
      }
      return isDeepStrictEqual(seen, wanted)
    },
    20_000,
    60,
  ).catch(async () => {
    const { rows: waits } = await sql.query(
      'select kind, account_id, state, phase, wait_reason, error from delivery where post_id = $1',
      [real.id],
    )
    expect({ ...(seen as object), waits }).toEqual(wanted)
  })
  become(last, model, real)
}

/** Applies to the model what happened without a request, and records which posts must be live. */
function become(next: Model, model: Model, real: Real): void {
  for (const [slot, state] of entries(next)) {
    if (model.targets[slot] === state) continue
    const { externalId } = real.lane.accounts[slot]
    const key = `${externalId} ${slot === 'photo' ? photoCaptionOf(real, next) : captionOf(real, next)}`
    if (state === 'PUBLISHED') real.expected.set(key, 1)
    if (state === 'UNCONFIRMED') real.expected.set(key, real.lane.keeps && next.text === 'good' ? 1 : 0)
  }
  for (const [slot, comment] of Object.entries(next.comments) as [Slot, Comment][]) {
    if (comment.state !== 'POSTED') continue
    const above = textOf(slot === 'photo' ? `${real.name} photo` : real.name, comment.below, 'good')
    real.comments.set(`${real.lane.accounts[slot].externalId} ${above}`, [commentText(real, comment)])
  }
  Object.assign(model, next)
}

// ---- the commands

class Step implements fc.AsyncCommand<Model, Real> {
  private readonly label: string
  private readonly expected: (model: Model, real: Real) => Expected
  private readonly ask: (model: Model, real: Real) => Promise<Answer<Problem>>
  private readonly fits: (model: Model) => boolean

  constructor(label: string, expected: Step['expected'], ask: Step['ask'], fits: Step['fits'] = () => true) {
    this.label = label
    this.expected = expected
    this.ask = ask
    this.fits = fits
  }

  check(model: Readonly<Model>): boolean {
    return this.fits(model)
  }

  async run(model: Model, real: Real): Promise<void> {
    const answer = await this.ask(model, real)
    const all = possible(model).map((before) => ({ before, ...this.expected(before, real) }))
    const found = all.find(({ status, code, next }) => {
      if (status !== statusOf(answer) || code !== answer.body.code) return false
      return status !== 200 || next.status === (answer.body.status as unknown)
    })
    if (!found) expect({ status: answer.status, body: answer.body }).toEqual({ oneOf: all, model })
    // A refusal may fit several states, so it does not determine the state yet.
    if (found?.status === 200) {
      become(found.before, model, real)
      Object.assign(model, found.next)
    }
    if (!isMoving(model)) await settle(model, real)
  }

  toString(): string {
    return this.label
  }
}

/** A removal answers 204, or 200 if something stays on a network. */
const statusOf = ({ status }: Answer) => (status === 204 ? 200 : status)

const ask = (real: Real, method: string, path: string, body?: object, headers?: Record<string, string>) =>
  real.lane.person.call<Problem>(method, `/posts/${real.id}${path}`, body, headers)

function edit(change: Partial<Pick<Model, 'text' | 'photoText' | 'comment' | 'pictured'>> & { slots?: Slot[] }): Step {
  const edited = (model: Model): Model => {
    const next = { ...model }
    if (change.text) Object.assign(next, { text: change.text, revision: model.revision + 1 })
    if (change.photoText) Object.assign(next, { photoText: change.photoText, photoRevision: model.photoRevision + 1 })
    if (change.comment) {
      const commentRevision = model.commentRevision + (change.comment === 'none' ? 0 : 1)
      Object.assign(next, { comment: change.comment, commentRevision })
    }
    if (change.pictured !== undefined) next.pictured = change.pictured
    if (change.slots) {
      next.targets = Object.fromEntries(
        change.slots.map((slot) => [slot, model.targets[slot] ?? model.dropped[slot] ?? 'PENDING']),
      )
      const gone = entries(model).filter(([slot]) => !change.slots?.includes(slot))
      next.dropped = { ...model.dropped, ...Object.fromEntries(gone) }
      for (const slot of change.slots) delete next.dropped[slot]
    }
    return next
  }
  const shows = (model: Model) => [
    model.text,
    model.revision,
    model.photoText,
    model.photoRevision,
    model.comment,
    model.commentRevision,
    model.pictured,
  ]
  const expected = (model: Model): Expected => {
    if (model.deleted) return { status: 404, code: 'not_found', next: model }
    const next = edited(model)
    const slots = (each: Model) => Object.keys(each.targets)
    if (isDeepStrictEqual(shows(next), shows(model)) && isDeepStrictEqual(slots(next), slots(model))) {
      return { status: 200, next: model }
    }
    const refused = refusal(model, 'edit')
    if (refused) return refused
    if (model.status === 'PARTIALLY_PUBLISHED') {
      const live = entries(model).flatMap(([slot, state]) => (state === 'PUBLISHED' ? [slot] : []))
      const touched = live.some((slot) =>
        slot === 'photo' ? change.photoText !== undefined : change.text !== undefined && slot !== undefined,
      )
      const added = slots(next).some((slot) => !(slot in model.targets))
      const kept = live.every((slot) => slot in next.targets)
      if (touched || change.comment || added || !kept || next.pictured !== model.pictured) {
        return { status: 409, code: 'already_published', next: model }
      }
      return done(model, { ...next, version: model.version + 1, status: outcomeOf(next) })
    }
    if (model.status === 'SCHEDULED') {
      if (isImpossible(next)) return invalid(model)
      return done(next, { targets: enqueueFailed(next) })
    }
    return done(next, { status: 'DRAFT' })
  }
  return new Step(`edit ${JSON.stringify(change)}`, expected, (model, real) => {
    // Send only the changed fields. They are the same in every state that the post may be in.
    const { caption, captionOverrides, platformOptions, targets, media } = contentOf(real, edited(model))
    return ask(real, 'PATCH', '', {
      ...(change.text && { caption }),
      ...(change.photoText && { captionOverrides }),
      ...(change.comment && { platformOptions }),
      ...(change.slots && { targets }),
      ...(change.pictured !== undefined && { media }),
    })
  })
}

const stale = new Step(
  'edit an older version',
  (model) =>
    model.deleted
      ? { status: 404, code: 'not_found', next: model }
      : { status: 412, code: 'stale_version', next: model },
  (model, real) => ask(real, 'PATCH', '', { cta: 'Too late' }, { 'if-match': `"${model.version - 1}"` }),
)

const schedule = (when: 'later' | 'now' | 'past' | 'same') =>
  new Step(
    `schedule ${when}`,
    (model) => {
      const refused = refusal(model, 'schedule')
      if (refused) return refused
      const scheduled = when === 'same' ? model.scheduled : when
      if (scheduled === 'past' || scheduled === 'never') return invalid(model)
      if (when === 'same' && model.status === 'SCHEDULED') return { status: 200, next: model }
      if (isImpossible(model)) return invalid(model)
      return done(model, { status: 'SCHEDULED', scheduled, targets: enqueueFailed(model) })
    },
    (_model, real) => {
      const from = { later: 3_600_000, now: -1_000, past: -3_600_000 }
      return ask(real, 'POST', '/schedule', {
        ...(when !== 'same' && { scheduledAt: new Date(Date.now() + from[when]).toISOString() }),
      })
    },
  )

const cancel = new Step(
  'cancel',
  (model) => refusal(model, 'cancel') ?? done(model, { status: 'DRAFT' }),
  (_model, real) => ask(real, 'POST', '/cancel'),
)

const publish = new Step(
  'publish',
  (model) => {
    const refused = refusal(model, 'publish')
    if (refused) return refused
    const held = entries(model).some(([slot]) => model.paused.includes(slot))
    if (isImpossible(model) || held) return invalid(model)
    return done(model, { status: 'PUBLISHING', targets: enqueueFailed(model) })
  },
  (_model, real) => ask(real, 'POST', '/publish'),
)

const retry = (slot?: Slot) =>
  new Step(
    `retry ${slot ?? 'all'}`,
    (model) => {
      const refused = refusal(model, 'retry')
      if (refused) return refused
      const no = (code: string) => ({ status: 409, code, next: model })
      if (slot && !model.targets[slot]) return invalid(model)
      if (slot && model.targets[slot] === 'PUBLISHED') return no('already_published')
      const again = entries(model).filter(([each, state]) => state === 'FAILED' && (!slot || each === slot))
      if (again.length === 0) return no('outcome_unknown')
      const targets = { ...model.targets, ...Object.fromEntries(again.map(([each]) => [each, 'PENDING'])) }
      return done(model, { status: 'PUBLISHING', targets })
    },
    async (_model, real) => {
      if (!slot) return ask(real, 'POST', '/retry')
      return ask(real, 'POST', '/retry', { publicationIds: [await publicationOf(real, slot)] })
    },
  )

/** Returns the id of the target of a slot, or an unknown id if there is none. */
async function publicationOf(real: Real, slot: Slot): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(
    'select id from publication where post_id = $1 and account_id = $2 and dropped_at is null',
    [real.id, real.lane.accounts[slot].id],
  )
  return rows[0]?.id ?? '019f0000-0000-7000-8000-000000000000'
}

const resolve = (slot: Slot) =>
  new Step(
    `resolve ${slot}`,
    (model, real) => {
      const state = model.targets[slot]
      if (model.deleted || !state) return { status: 404, code: 'not_found', next: model }
      if (state !== 'UNCONFIRMED') return { status: 409, code: 'invalid_state', next: model }
      const live = real.lane.keeps && model.text === 'good'
      const targets = { ...model.targets, [slot]: live ? 'PUBLISHED' : 'FAILED' }
      // Nobody knows the id of the post, so that nothing can be written below it.
      const comments = { ...model.comments, ...(live && commentOf(model, slot, 'FAILED')) }
      const next: Model = { ...model, targets, comments }
      return { status: 200, next: has(next, 'PENDING') ? next : { ...next, status: outcomeOf(next) } }
    },
    async (model, real) => {
      // A person looks at the page and answers truthfully.
      const outcome = real.lane.keeps && model.text === 'good' ? 'live' : 'not_live'
      return ask(real, 'POST', `/publications/${await publicationOf(real, slot)}/resolve`, { outcome })
    },
  )

/** Needs targets at rest: while one is under way, the comment of another may already be over. */
const retryComment = (slot: Slot) =>
  new Step(
    `retry the comment of ${slot}`,
    (model) => {
      const comment = model.comments[slot]
      if (model.deleted || !comment) return { status: 404, code: 'not_found', next: model }
      if (comment.state !== 'FAILED') return { status: 409, code: 'invalid_state', next: model }
      const comments = { ...model.comments, [slot]: { ...comment, state: 'PENDING' } }
      return { status: 200, next: { ...model, comments } }
    },
    async (_model, real) => ask(real, 'POST', `/publications/${await publicationOf(real, slot)}/comment`),
    (model) => !areTargetsMoving(model),
  )

const remove = new Step(
  'delete',
  (model) => {
    const refused = refusal(model, 'delete')
    if (refused) return refused
    return done(model, { deleted: true, status: model.status === 'SCHEDULED' ? 'DRAFT' : model.status })
  },
  async (_model, real) => {
    const answer = await ask(real, 'DELETE', '')
    if (answer.status >= 300) return answer
    const { rows } = await sql.query<{ status: never }>('select status from post where id = $1', [real.id])
    return { ...answer, body: { ...answer.body, status: rows[0]!.status } }
  },
)

const restore = new Step(
  'restore',
  (model) => (model.deleted ? done(model, { deleted: false }) : { status: 404, code: 'not_found', next: model }),
  (_model, real) => ask(real, 'POST', '/restore'),
)

/** A change of an account that affects the model. */
class OfAccount implements fc.AsyncCommand<Model, Real> {
  private readonly slot: Slot
  private readonly act: 'pause' | 'resume' | 'reconnect'

  constructor(slot: Slot, act: OfAccount['act']) {
    this.slot = slot
    this.act = act
  }

  /**
   * A change needs a post at rest: otherwise, timing would decide whether a target is held, or refused because it
   * cannot be read. Reconnecting is possible earlier, unless the target at the blind page is pending.
   */
  check(model: Readonly<Model>): boolean {
    return !isMoving(model) || (this.act === 'reconnect' && model.targets.blind !== 'PENDING')
  }

  async run(model: Model, real: Real): Promise<void> {
    const { person, user, accounts } = real.lane
    const { id, externalId } = accounts[this.slot]
    if (this.act === 'reconnect') {
      const page = this.slot === 'photo' ? accounts.page.externalId : externalId
      await call(sandbox.url, 'POST', '/accounts', { id: page, do: 'expire' })
      await connect(person, 'NET_PAGE', user)
      await connect(person, 'NET_PHOTO', user)
    } else {
      await person.must('PATCH', `/social-accounts/${id}`, { paused: this.act === 'pause' })
      const others = model.paused.filter((slot) => slot !== this.slot)
      model.paused = this.act === 'pause' ? [...others, this.slot] : others
    }
    if (!isMoving(model)) await settle(model, real)
  }

  toString(): string {
    return `${this.act} ${this.slot}`
  }
}

const wait: fc.AsyncCommand<Model, Real> = {
  check: () => true,
  run: settle,
  toString: () => 'wait',
}

const slots = fc.constantFrom<Slot[]>(
  ['page'],
  ['photo'],
  ['page', 'photo'],
  ['page', 'photo'],
  ['page', 'blind'],
  ['page', 'blind', 'photo'],
)
const texts = fc.constantFrom<Text>('good', 'good', 'refused')
const comments = fc.constantFrom<Model['comment']>('good', 'good', 'refused', 'none')
const slot = fc.constantFrom<Slot>('page', 'page', 'photo', 'photo', 'blind')
const commands = fc.commands(
  [
    slots.map((chosen) => edit({ slots: chosen })),
    texts.map((text) => edit({ text })),
    texts.map((photoText) => edit({ photoText })),
    comments.map((comment) => edit({ comment })),
    fc.boolean().map((pictured) => edit({ pictured })),
    fc.constant(stale),
    fc.constantFrom('later' as const, 'now' as const, 'now' as const, 'past' as const, 'same' as const).map(schedule),
    fc.constant(cancel),
    fc.constant(publish),
    fc.constant(publish),
    fc.option(slot, { nil: undefined }).map(retry),
    slot.map(resolve),
    fc.constant(resolve('blind')),
    slot.map(retryComment),
    fc.constant(remove),
    fc.constant(restore),
    fc
      .tuple(slot, fc.constantFrom('pause' as const, 'resume' as const, 'reconnect' as const))
      .map(([which, act]) => new OfAccount(which, act)),
    fc.constant(wait),
    fc.constant(wait),
  ],
  { maxCommands: 14, size: 'max' },
)

const start = fc.record({
  slots,
  text: texts,
  photoText: texts,
  comment: comments,
  pictured: fc.constantFrom(true, true, true, false),
})

/** Opens a lane: a person with a page, a blind page and a photo account. */
async function openLane(number: number): Promise<Lane> {
  const person = await newPerson(product.url, `Lane${number}`)
  const user = `u${700 + number}`
  const pages = await connect(person, 'NET_PAGE', user)
  const [photo] = await connect(person, 'NET_PHOTO', user)
  const [page, blind] = pages.toSorted((a, b) => a.externalId.localeCompare(b.externalId)) as [
    SocialAccount,
    SocialAccount,
  ]
  const keeps = number % 2 === 0
  const path = `/${blind.externalId}/`
  await addFault(sandbox.url, {
    match: { method: 'POST', path: `${path}feed` },
    do: { drop: keeps ? 'after' : 'before' },
  })
  await addFault(sandbox.url, { match: { method: 'GET', path: `${path}published_posts` }, do: { status: 500 } })
  const { id: pictureId } = await uploadPicture(person, await picture(400, 400))
  return { person, user, accounts: { page, blind, photo: photo! }, pictureId, keeps }
}

/** The number of sequences per person. The calls of one hour suffice for them. */
const EACH_PERSON = 10

test(`${RUNS} sequences of actions on a post: each answer matches the contract`, { timeout: 1_200_000 }, async () => {
  const expected = new Map<string, number>()
  const comments = new Map<string, string[]>()
  let sequences = 0
  let people = 0
  const runs = Math.ceil(RUNS / LANES)
  await Promise.all(
    Array.from({ length: LANES }, async (_, index) => {
      let lane: Lane | undefined
      let left = 0
      const property = fc.asyncProperty(start, commands, async (begun, chosen) => {
        if (left === 0 || !lane) {
          lane = await openLane((people += 1))
          left = EACH_PERSON
        }
        left -= 1
        const real: Real = { lane, name: `Model ${(sequences += 1)}`, id: '', expected, comments }
        const model: Model = {
          status: 'DRAFT',
          targets: Object.fromEntries(begun.slots.map((each) => [each, 'PENDING'])),
          dropped: {},
          text: begun.text,
          photoText: begun.photoText,
          comment: begun.comment,
          comments: {},
          pictured: begun.pictured,
          scheduled: 'never',
          deleted: false,
          version: 1,
          revision: 0,
          photoRevision: 0,
          commentRevision: 0,
          paused: [],
        }
        const setup = async () => {
          const { id } = await lane!.person.must<Post>('POST', '/posts', contentOf(real, model))
          real.id = id
          return { model, real }
        }
        await fc.asyncModelRun(setup, chosen)
        // Resume the accounts, so that nothing stays under way.
        model.paused = []
        for (const { id } of Object.values(lane.accounts))
          await lane.person.must('PATCH', `/social-accounts/${id}`, { paused: false })
        await settle(model, real)
      })
      await fc.assert(property, { numRuns: runs, seed: SEED + index, endOnFailure: true })
    }),
  )
  const seen = new Map<string, number>()
  const below = new Map<string, string[]>()
  for (const [account, live] of await liveOn(sandbox.url)) {
    for (const { message, comments: written = [] } of live) {
      const key = `${account} ${message}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
      if (written.length > 0) below.set(key, [...(below.get(key) ?? []), ...written.map(({ text }) => text)])
    }
  }
  const wrong = [...new Set([...expected.keys(), ...seen.keys()])].filter(
    (key) => (seen.get(key) ?? 0) !== (expected.get(key) ?? 0),
  )
  expect(wrong).toEqual([])
  expect(Object.fromEntries(below)).toEqual(Object.fromEntries(comments))
  console.log(`${sequences} sequences of ${people} people, ${seen.size} posts live, ${below.size} first comments`)
})
