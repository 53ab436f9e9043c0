import type pg from 'pg'
import type { SocialAccount } from '../../src/channels/api.ts'
import { type Platform, PLATFORMS } from '../../src/networks/api.ts'
import { type Network, NetworkError } from '../../src/networks/network.ts'
import { facts } from '../../src/networks/rules.ts'
import { createScopes } from '../../src/core/platform/scope.ts'
import type { Post, Publication, Removal } from '../../src/publishing/posts/api.ts'
import { writeIntents } from '../../src/delivery/deliveries.ts'
import { settleLive } from '../../src/delivery/settle.ts'
import { claim, othersOn, postpone, sweep } from '../../src/delivery/queue.ts'
import { wakeHeld } from '../../src/delivery/waits.ts'
import { deliver, type WorkerPorts } from '../../src/delivery/worker.ts'
import { drivers } from '../drivers.ts'
import { endMissed, findStuck, unstick } from '../../src/publishing/sending/watch.ts'
import { random } from '../chaos/chaos.ts'
import {
  call,
  connect,
  type LivePost,
  liveOn,
  newPerson,
  type Person,
  picture,
  uploadPicture,
  uploadVideo,
} from '../world.ts'
import { addFault } from '../world.ts'
import { canMakeVideo, video } from '../video.ts'
import type { Change, Universe } from './universe.ts'
import { subscribers } from '../../src/subscribers.ts'

// Simulates the whole pipeline with everything drawn from a seed: when a worker stops or dies, which calls a network
// does not answer, and what people request meanwhile. The same seed gives the same run.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The time of faults, deaths and requests. Afterwards everything works again. */
const STORM = 3 * HOUR
const DAYS = 10 * 24 * HOUR
const POSTS = 4

const actor = { kind: 'system', name: 'publisher' } as const

export interface Author {
  person: Person
  media: Record<'none' | 'one' | 'two' | 'video' | 'upright' | 'mixed' | 'tall', string[]>
}

export interface Simulated {
  /** Every change of a state, with its time. The same for the same seed. */
  trace: string[]
  /** The violations of what is promised. */
  broken: string[]
  live: number
  /** Posts that were removed from their networks. */
  removed: number
  unconfirmed: number
  deaths: number
  /** How often workers stopped while time went on. */
  frozen: number
  /** How often the clock of the database was changed. */
  steps: number
}

/** Runs due jobs while `made` is pending. Returns its result. */
export async function worked<T>(universe: Universe, made: Promise<T>): Promise<T> {
  let done = false
  const over = made.finally(() => (done = true))
  while (!done) {
    await universe.work()
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 10))])
  }
  return over
}

export async function openAuthor(universe: Universe): Promise<Author> {
  const person = await newPerson(universe.url, 'Seeds')
  const ready = <T>(made: Promise<T>) => worked(universe, made)
  const first = (await ready(uploadPicture(person, await picture(400, 400, '#b45309')))).id
  const second = (await ready(uploadPicture(person, await picture(400, 400, '#0f766e')))).id
  const clip = (await canMakeVideo()) ? [(await ready(uploadVideo(person, await video()))).id] : []
  const upright =
    clip.length > 0 ? [(await ready(uploadVideo(person, await video({ width: 540, height: 960 })))).id] : []
  const tall = [(await ready(uploadPicture(person, await picture(450, 800, '#1d4ed8')))).id]
  const mixed = clip.length > 0 ? [first, ...clip, second] : []
  return { person, media: { none: [], one: [first], two: [first, second], video: clip, upright, mixed, tall } }
}

/** Runs a seed. `careless` is the control: a worker that treats an unanswered call as one without effect. */
export async function simulate(
  universe: Universe,
  author: Author,
  seed: number,
  { careless = false } = {},
): Promise<Simulated> {
  const run = new Run(universe, author, seed, careless)
  await run.connectAndSchedule()
  await run.storm()
  await run.calm()
  return run.judge()
}

// ---- workers that can stop and die

/** A worker's step on one publication. Before each transaction and after its intent, it stops until it may continue. */
class Walker {
  readonly done: Promise<void>
  private resume: (() => void) | undefined
  private stopped: () => void = () => {}
  private dead = false
  over = false
  /** The error that ended the step, unless it was killed. There must be none, since a step handles every failure. */
  fault: unknown

  constructor(work: (walker: Walker) => Promise<void>) {
    this.done = work(this)
      .catch((error: unknown) => {
        if (!this.dead) this.fault = error
      })
      .finally(() => {
        this.over = true
        this.stopped()
      })
  }

  /** Stops here until `goOn`. Throws if the worker has died. */
  async gate(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.resume = resolve
      this.stopped()
    })
    this.check()
  }

  /** Throws if the worker is dead, so that it does nothing. */
  check(): void {
    if (this.dead) throw Object.assign(new Error('connection terminated'), { code: 'ECONNRESET' })
  }

  /** Resolves when the worker has stopped again or has ended. */
  standing(): Promise<void> {
    return this.resume || this.over ? Promise.resolve() : new Promise((resolve) => (this.stopped = resolve))
  }

  async goOn({ dying }: { dying: boolean }): Promise<void> {
    this.dead ||= dying
    const resume = this.resume
    this.resume = undefined
    resume?.()
    await this.standing()
  }
}

/** The pool of a walker, which stops before each connection. */
const gated = (pool: pg.Pool, walker: Walker): pg.Pool =>
  ({
    connect: async () => {
      await walker.gate()
      return pool.connect()
    },
  }) as unknown as pg.Pool

/** The same network, but it reports each unanswered call as one without effect. */
const forgetful = (network: Network): Network => {
  const denied = async <T>(made: Promise<T>): Promise<T> =>
    made.catch((error: unknown) => {
      if (!(error instanceof NetworkError) || error.committed === 'no') throw error
      throw new NetworkError('transient', error.message, { spoilt: true })
    })
  return new Proxy(network, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown
      if (name === 'commit') return (at: Parameters<Network['commit']>[0]) => denied(target.commit(at))
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

// ---- one run

type Act =
  | 'cancel'
  | 'move'
  | 'edit'
  | 'publish'
  | 'retry'
  | 'resolve'
  | 'delete'
  | 'hold'
  | 'release'
  | 'stop'
  | 'start'
  | 'expire'
  | 'comment'
  | 'remove'
  | 'remove again'
const acts: readonly Act[] = [
  'cancel',
  'move',
  'edit',
  'publish',
  'retry',
  'retry',
  'resolve',
  'delete',
  'hold',
  'release',
  'stop',
  'start',
  'expire',
  'comment',
  'remove',
  'remove again',
]

interface Kind {
  on: Platform[]
  media: keyof Author['media']
  /** The kind of a post that is not a usual one. */
  kind?: 'reel' | 'story'
  commented?: boolean
}

const kinds: readonly Kind[] = [
  { on: ['NET_PAGE'], media: 'none' },
  { on: ['NET_PHOTO'], media: 'one' },
  { on: ['NET_VIDEO'], media: 'video' },
  { on: ['NET_PAGE'], media: 'two' },
  { on: ['NET_PHOTO'], media: 'two' },
  { on: ['NET_PAGE', 'NET_PHOTO'], media: 'one' },
  { on: ['NET_PAGE'], media: 'video' },
  { on: ['NET_PHOTO', 'NET_PAGE', 'NET_VIDEO'], media: 'video' },
  { on: ['NET_PAGE'], media: 'upright', kind: 'reel' },
  { on: ['NET_PHOTO'], media: 'tall', kind: 'story' },
  { on: ['NET_PHOTO'], media: 'mixed' },
  // The absence of such a post proves nothing.
  { on: ['NET_VIDEO'], media: 'one' },
  { on: ['NET_PAGE', 'NET_PHOTO'], media: 'one', commented: true },
  { on: ['NET_PAGE'], media: 'none', commented: true },
]

class Run {
  private readonly universe: Universe
  private readonly author: Author
  private readonly seed: number
  private readonly careless: boolean
  private readonly chance: () => number
  private readonly mark: string
  private readonly began: number
  private readonly accounts = new Map<Platform, SocialAccount>()
  private readonly posts: string[] = []
  private readonly plan: { at: number; what: () => Promise<unknown> }[] = []
  private readonly walkers = new Set<Walker>()
  private readonly changes: Change[] = []
  private readonly broken: string[] = []
  private readonly number: number
  private readonly scopes: ReturnType<typeof createScopes>
  /** The index of the only post that is a story. */
  private story: number | undefined
  private deaths = 0
  private frozen = 0
  /** Milliseconds by which the database's clock is off, from all steps so far. */
  private off = 0
  private steps = 0
  private watched = 0
  /** Whether something may have become due. */
  private moved = true

  constructor(universe: Universe, author: Author, seed: number, careless: boolean) {
    this.universe = universe
    this.author = author
    this.seed = seed
    this.careless = careless
    this.chance = random(seed)
    this.began = universe.now()
    this.number = runs += 1
    this.mark = `run ${this.number}`
    const { pool, services } = universe
    this.scopes = createScopes({ ...services, pool, subscribers })
  }

  private get at(): number {
    return this.universe.now() - this.began
  }

  private pick = <T>(all: readonly T[]): T => all[Math.floor(this.chance() * all.length)] as T

  /**
   * Connects new accounts, schedules posts, plans what people will request, and adds some kinds of faults at some rate.
   */
  async connectAndSchedule(): Promise<void> {
    const { person } = this.author
    const user = String(20_000 + this.number * 3)
    for (const network of PLATFORMS) {
      const theirs = await connect(person, network, `u${user}`)
      this.accounts.set(network, theirs.find(({ externalId }) => externalId.includes(user)) as SocialAccount)
    }
    const possible = kinds.filter(({ media }) => media === 'none' || this.author.media[media].length > 0)
    for (let i = 0; i < POSTS; i += 1) {
      // Two stories could not be told apart, because they have no text.
      const { on, media, kind, commented } = this.pick(
        possible.filter((each) => this.story === undefined || each.kind !== 'story'),
      )
      if (kind === 'story') this.story = i
      const firstComment = `${this.mark} first ${i}`
      const special = { ...(kind && { kind }), ...(commented && { firstComment }) }
      const due = this.chance() < 0.8 ? Math.round(this.chance() * STORM * 0.7) : null
      const { id } = await person.must<Post>('POST', '/posts', {
        caption: this.caption(i, 0),
        targets: on.map((network) => this.accounts.get(network)?.id),
        media: this.author.media[media],
        platformOptions: {
          NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true },
          ...Object.fromEntries(on.filter((network) => network !== 'NET_VIDEO').map((network) => [network, special])),
        },
        ...(due !== null && { scheduledAt: this.time(due) }),
      })
      this.posts.push(id)
      if (due === null) this.ask(this.chance() * STORM * 0.7, 'publish', i)
    }
    for (let i = 0; i < POSTS * 2; i += 1)
      this.ask(this.chance() * STORM, this.pick(acts), Math.floor(this.chance() * POSTS))
    this.ask(this.chance() * STORM, 'remove', Math.floor(this.chance() * POSTS))
    this.plan.sort((a, b) => a.at - b.at) // oxlint-disable-line unicorn/no-array-sort -- it is ours
    await this.addFaults()
    await this.universe.changes()
  }

  private time = (at: number) => new Date(this.universe.services.clock.now().getTime() - this.at + at).toISOString()

  private caption = (post: number, revision: number) => `${this.mark} post ${post}.${revision}`

  private async addFaults(): Promise<void> {
    const rate = this.pick([0.02, 0.1, 0.3])
    const seen: object[] = [
      { drop: 'after' },
      { drop: 'before' },
      { status: 500, after: true },
      { status: 500 },
      { status: 503, body: 'Service unavailable' },
      { status: 200, body: '{"id":', after: true },
      { status: 429 },
    ]
    const chosen = seen.filter(() => this.chance() < 0.6)
    for (const [index, fault] of chosen.entries()) {
      // All requests to a network, except those that connect an account.
      const match = { path: '^(?!.*(oauth|/me|token)).*$', probability: rate, seed: this.seed * 100 + index }
      await addFault(this.universe.sandboxUrl, { match, do: fault })
    }
  }

  // ---- people

  private ask(at: number, act: Act, post: number): void {
    const network = this.pick(PLATFORMS)
    const revision = this.plan.length + 1
    const later = this.at + at + this.chance() * HOUR
    this.plan.push({ at, what: () => this.act(act, post, { network, revision, later }) })
  }

  private async act(
    act: Act,
    post: number,
    { network, revision, later }: { network: Platform; revision: number; later: number },
  ) {
    const { person } = this.author
    const path = `/posts/${this.posts[post]}`
    const account = this.accounts.get(network) as SocialAccount
    const of: Record<Act, () => Promise<{ status: number }>> = {
      cancel: () => person.call('POST', `${path}/cancel`),
      move: () => person.call('POST', `${path}/schedule`, { scheduledAt: this.time(later) }),
      edit: () => person.call('PATCH', path, { caption: this.caption(post, revision) }),
      publish: () => person.call('POST', `${path}/publish`),
      retry: () => person.call('POST', `${path}/retry`),
      resolve: () => this.resolve(post),
      delete: () => person.call('DELETE', path),
      remove: () => this.removeLive(post),
      'remove again': () => this.retryRemoval(post),
      hold: () => person.call('PATCH', `/social-accounts/${account.id}`, { paused: true }),
      release: () => person.call('PATCH', `/social-accounts/${account.id}`, { paused: false }),
      stop: () => this.pauseAll(true),
      start: () => this.pauseAll(false),
      comment: () => this.retryComment(post),
      expire: () => call(this.universe.sandboxUrl, 'POST', '/accounts', { id: account.externalId, do: 'expire' }),
    }
    const { status } = await of[act]()
    if (status >= 500) this.broken.push(`${act} of post ${post} answered ${status}`)
  }

  /** Retries a first comment that failed or whose outcome is unknown, as a person would. */
  private async retryComment(post: number): Promise<{ status: number }> {
    const { person } = this.author
    const answer = await person.call<Post>('GET', `/posts/${this.posts[post]}`)
    const over = ['FAILED', 'UNCONFIRMED']
    const target =
      answer.status === 200 &&
      answer.body.publications.find(({ firstComment }) => over.includes(firstComment?.state ?? ''))
    return target ? person.call('POST', `/posts/${this.posts[post]}/publications/${target.id}/comment`) : answer
  }

  /** Deletes a post that is live on the page, there too. Takes the first one from `post` on. */
  private async removeLive(post: number): Promise<{ status: number }> {
    const { rows } = await this.universe.sql.query<{ id: string }>(
      `select p.id from post p join publication t on t.workspace_id = p.workspace_id and t.post_id = p.id
       join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
       where p.id = any ($1) and p.deleted_at is null and a.platform = 'NET_PAGE' and t.external_id is not null`,
      [this.posts],
    )
    const ids = [...this.posts.slice(post), ...this.posts.slice(0, post)]
    const live = ids.find((id) => rows.some((row) => row.id === id))
    return this.author.person.call('DELETE', `/posts/${live ?? this.posts[post]}?alsoOn=NET_PAGE`)
  }

  /** Retries a removal that failed or whose outcome is unknown, as a person would. */
  private async retryRemoval(post: number): Promise<{ status: number }> {
    const { person } = this.author
    const answer = await person.call<{ data: Removal[] }>('GET', '/removals?limit=100')
    const mine = answer.body.data.find(({ postId }) => postId === this.posts[post])
    return mine ? person.call('POST', `/posts/${mine.postId}/publications/${mine.publicationId}/remove`) : answer
  }

  private pauseAll = (paused: boolean) =>
    this.author.person.call('PATCH', `/workspaces/${this.author.person.workspaceId}`, {
      publishing: { paused, reason: 'seed' },
    })

  /** Looks at the network and resolves an unknown outcome, as a person would. */
  private async resolve(post: number): Promise<{ status: number }> {
    const { person } = this.author
    const answer = await person.call<Post>('GET', `/posts/${this.posts[post]}`)
    const unknown = answer.status === 200 && answer.body.publications.find(({ state }) => state === 'UNCONFIRMED')
    if (!unknown) return answer
    const outcome = (await this.lookAround())(post, unknown.platform).length > 0 ? 'live' : 'not_live'
    return person.call('POST', `/posts/${this.posts[post]}/publications/${unknown.id}/resolve`, { outcome })
  }

  private async lookAround(): Promise<(post: number, platform: Platform) => LivePost[]> {
    const all = await liveOn(this.universe.sandboxUrl)
    return (post, platform) => {
      const live = all.get((this.accounts.get(platform) as SocialAccount).externalId) ?? []
      return live.filter(({ message, kind }) =>
        kind === 'story' ? post === this.story : message.startsWith(`${this.mark} post ${post}.`),
      )
    }
  }

  // ---- time

  async storm(): Promise<void> {
    while (this.at < STORM || this.plan.length > 0) {
      const due = this.plan[0]
      if (due && due.at <= this.at) {
        this.plan.shift()
        await due.what()
        this.moved = true
        continue
      }
      // In every second run, the clock is changed now and then.
      if (this.seed % 2 === 0 && this.chance() < 0.03) await this.step((this.chance() - 0.5) * HOUR)
      if (this.moved) await this.begin()
      const walker = this.pick([...this.walkers])
      if (walker && this.chance() < 0.85) {
        await this.walk(walker, this.chance() < 0.03)
        continue
      }
      // Stopped workers stay so for this long, like a process that the machine suspended.
      if (this.walkers.size > 0) this.frozen += 1
      await this.pass(this.walkers.size > 0 ? this.chance() ** 4 * 5 * MINUTE : Infinity)
    }
  }

  /** Changes the clock of the database. */
  private async step(milliseconds: number): Promise<void> {
    const by = Math.round(milliseconds)
    this.off += by
    this.steps += 1
    this.moved = true
    await this.universe.step(by)
  }

  /**
   * Ends the faults, resumes and reconnects everything, and lets days pass. After one of them, people retry what
   * failed.
   */
  async calm(): Promise<void> {
    if (this.off !== 0) await this.step(-this.off)
    await call(this.universe.sandboxUrl, 'DELETE', '/faults')
    await this.pauseAll(false)
    for (const network of PLATFORMS) {
      const account = this.accounts.get(network) as SocialAccount
      const user = String(20_000 + this.number * 3)
      await connect(this.author.person, network, `u${user}`)
      await this.author.person.must('PATCH', `/social-accounts/${account.id}`, { paused: false })
    }
    let asked = false
    for (const until = this.at + DAYS; this.at < until;) {
      if (this.moved) await this.begin()
      const [walker] = this.walkers
      if (walker) {
        await this.walk(walker, false)
        continue
      }
      if (!asked && this.at > STORM + 24 * HOUR) {
        asked = true
        for (const id of this.posts) await this.author.person.call('POST', `/posts/${id}/retry`)
        this.moved = true
        continue
      }
      await this.pass(24 * HOUR)
    }
  }

  /** Lets time pass until something is due, but at most `most` milliseconds. */
  private async pass(most: number): Promise<void> {
    const { rows } = await this.universe.sql.query<{ next: number | null; waiting: boolean }>(
      `with times as (
         select coalesce(turn, next_at) as at from delivery where state in ('PENDING', 'PREPARING', 'SUBMITTING')
         union all select run_at from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
           where t.identifier = any ($1))
       select extract(epoch from min(at) filter (where at > app_now()) - app_now())::float8 * 1000 as next,
         coalesce(bool_or(at <= app_now()), false) as waiting from times`,
      [['id-lookup', 'flight-check']],
    )
    const { next, waiting } = rows[0]!
    const asked = this.plan[0] ? this.plan[0].at - this.at : Infinity
    // Due deliveries that are held are checked each minute.
    const soonest = Math.min(next ?? Infinity, asked, most, waiting ? MINUTE : 24 * HOUR)
    await this.universe.advance(Math.max(1, Math.ceil(soonest)))
    this.moved = true
    if (this.at - this.watched < MINUTE) return
    this.watched = this.at
    const { scopes } = this
    await wakeHeld(scopes)
    for (const { workspaceId, postId } of await findStuck(scopes))
      await unstick(scopes.scope(workspaceId, actor), postId)
  }

  /** Runs due jobs, a sweep and a claim. The worker of a claimed delivery stops before its first action. */
  private async begin(): Promise<void> {
    const { services } = this.universe
    this.moved = false
    await this.universe.work()
    const swept = await sweep(this.scopes, drivers.schedule)
    if (swept.at) services.clock.sync(swept.at)
    for (const { workspaceId, postId, reason } of swept.missed)
      await endMissed(this.scopes.scope(workspaceId, actor), postId, reason)
    if (!swept.turns) return
    // A claim returns its rows in the order of PostgreSQL's plan.
    const claimed = await claim(this.scopes, drivers, {
      slots: 100,
      filesUrl: services.settings.filesUrl(),
      timeScale: 1,
    })
    const place = ({ subjectId: postId, platform }: (typeof claimed)[number]) =>
      this.posts.indexOf(postId) * PLATFORMS.length + PLATFORMS.indexOf(platform)
    for (const row of claimed.toSorted((a, b) => place(a) - place(b))) {
      const walker = new Walker(async (own) => {
        const scopes = createScopes({ ...services, pool: gated(this.universe.pool, own), subscribers })
        await own.gate()
        await deliver(scopes.scope(row.workspaceId, actor), this.portsOf(own, scopes), row)
      })
      this.walkers.add(walker)
      await walker.standing()
    }
  }

  private portsOf(walker: Walker, scopes: ReturnType<typeof createScopes>): WorkerPorts {
    const { services } = this.universe
    const networks = this.careless
      ? { ...services.networks, get: (name: Platform) => forgetful(services.networks.get(name)) }
      : services.networks
    return {
      ...services,
      drivers,
      networks,
      budget: {
        ...services.budget,
        async reserve(...asked) {
          const reserved = await services.budget.reserve(...asked)
          if ('until' in reserved) return reserved
          const take = () => {
            walker.check()
            reserved.reservation.take()
          }
          return {
            reservation: { take, report: (usage) => reserved.reservation.report(usage) },
            release: () => reserved.release(),
          }
        },
      },
      random: this.chance,
      async intend(intent) {
        const [written] = await writeIntents(scopes, [intent], 1)
        await walker.gate()
        return written ?? false
      },
      async settleLive(live) {
        return (await settleLive({ ...services, scopes, bulk: drivers.schedule.bulk }, [live]))[0] ?? false
      },
      othersOn: (row, ids) => othersOn(scopes, row, ids),
      postpone: ({ who: { app, userKey }, refused, until }) =>
        postpone(scopes, drivers, {
          networkUser: userKey,
          platforms: services.networks
            .all()
            .filter((each) => each.app === app)
            .map((each) => each.platform),
          refused,
          until,
          callsPerHour: facts.NET_PAGE.callsPerHour ?? 200,
        }),
    }
  }

  private async walk(walker: Walker, dying: boolean): Promise<void> {
    if (dying) this.deaths += 1
    await walker.goOn({ dying })
    if (!walker.over) return
    if (walker.fault !== undefined) this.broken.push(`a step threw ${String(walker.fault)}`)
    this.walkers.delete(walker)
    this.moved = true
  }

  // ---- guarantees

  async judge(): Promise<Simulated> {
    this.changes.push(...(await this.universe.changes()))
    const nameOf = ({ postId, accountId, ofOther: isOther }: Change) => {
      const network = [...this.accounts].find(([, { id }]) => id === accountId)?.[0]
      return `${isOther ? 'comment or removal of ' : ''}post ${this.posts.indexOf(postId)}${network ? ` on ${network}` : ''}`
    }
    // Rows that one statement changes have no order among each other.
    const trace = this.changes
      .map((change) => ({ ...change, name: nameOf(change) }))
      .toSorted((a, b) => a.at - b.at || a.name.localeCompare(b.name))
      .map(({ at, name, from, to }) => `${at - this.began} ${name}: ${from} to ${to}`)
    for (const change of this.changes) {
      const told = `${nameOf(change)}: ${change.from} to ${change.to}`
      const legal = change.ofOther ? ofOther : change.accountId ? ofTarget : ofPost
      if (!legal[change.from]?.includes(change.to)) this.broken.push(`${told} is no transition`)
      // A turn that was assigned before the clock was set back stays due.
      if (this.steps === 0 && change.to === 'PREPARING' && change.dueAt !== null && change.at < change.dueAt)
        this.broken.push(`${told} is early`)
    }
    const liveOf = await this.lookAround()
    let all = 0
    let unconfirmed = 0
    let removed = 0
    for (const [post, id] of this.posts.entries()) {
      const { rows } = await this.universe.sql.query<{
        status: string
        deleted: boolean
        state: Publication['state']
        platform: Platform
        dropped: boolean
        comment: string | null
        removal: string | null
      }>(
        `select p.status, p.deleted_at is not null as deleted, t.state, a.platform, t.dropped_at is not null as dropped,
           c.state as comment, r.state as removal
         from post p join publication t on t.workspace_id = p.workspace_id and t.post_id = p.id
         left join delivery c on c.workspace_id = t.workspace_id and c.after_id = t.id and c.kind = 'comment'
         left join delivery r on r.workspace_id = t.workspace_id and r.after_id = t.id and r.kind = 'remove'
         join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id where p.id = $1 order by a.platform`,
        [id],
      )
      for (const { status, state, platform, deleted, comment, removal } of rows) {
        const seen = liveOf(post, platform)
        const live = seen.length
        const comments = seen.flatMap((each) => each.comments ?? [])
        const commented = `post ${post} on ${platform} (comment ${comment}) has ${comments.length} comments`
        if (comments.length > 1) this.broken.push(`${commented}: a duplicate`)
        if (comments.some(({ text }) => text !== `${this.mark} first ${post}`))
          this.broken.push(`${commented}: not its own`)
        const taken = removal === 'PUBLISHED' || (removal === 'UNCONFIRMED' && live === 0)
        if (!taken && comment !== 'UNCONFIRMED' && (comment === 'PUBLISHED') !== comments.length > 0)
          this.broken.push(`${commented}: lost`)
        if (comment === 'PENDING' || comment === 'PREPARING' || comment === 'SUBMITTING')
          this.broken.push(`${commented}: never ended`)
        const told = `post ${post} on ${platform} (${status}, ${state}) is live ${live} times`
        all += live
        if (state === 'UNCONFIRMED') unconfirmed += 1
        trace.push(told)
        if (live > 1) this.broken.push(`${told}: a duplicate`)
        if (removal === 'PENDING' || removal === 'PREPARING' || removal === 'SUBMITTING')
          this.broken.push(`${told}: its removal (${removal}) never ended`)
        if (removal === 'PUBLISHED') removed += 1
        if (removal === 'PUBLISHED' && live > 0) this.broken.push(`${told}: not removed`)
        if (!taken && state !== 'UNCONFIRMED' && (state === 'PUBLISHED') !== live > 0) this.broken.push(`${told}: lost`)
        if (!deleted && ['SCHEDULED', 'PUBLISHING'].includes(status)) this.broken.push(`${told}: never ended`)
        // A retry after the storm succeeds, unless another target of the post has an unknown outcome: then nothing is
        // sent.
        const unknown = rows.some((each) => each.state === 'UNCONFIRMED')
        if (!deleted && !unknown && ['FAILED', 'PARTIALLY_PUBLISHED'].includes(status)) {
          this.broken.push(`${told}: asked for again in calm`)
        }
      }
    }
    // The remaining jobs of these accounts must not run in the next run.
    await this.universe.sql.query('delete from graphile_worker._private_jobs')
    return {
      trace,
      broken: this.broken,
      live: all,
      removed,
      unconfirmed,
      deaths: this.deaths,
      frozen: this.frozen,
      steps: this.steps,
    }
  }
}

let runs = 0

/** The contract's table of a post (section 4): the transitions by action or event. */
const ofPost: Record<string, string[]> = {
  DRAFT: ['SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'PARTIALLY_PUBLISHED'],
  SCHEDULED: ['DRAFT', 'PUBLISHING', 'PUBLISHED', 'PARTIALLY_PUBLISHED'],
  PUBLISHING: ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED'],
  FAILED: ['PUBLISHING', 'DRAFT', 'PUBLISHED', 'PARTIALLY_PUBLISHED'],
  PARTIALLY_PUBLISHED: ['PUBLISHING', 'PUBLISHED'],
  PUBLISHED: [],
}

/** The transitions of a target, as in docs/publishing.md. */
const ofTarget: Record<string, string[]> = {
  PENDING: ['PREPARING', 'FAILED', 'PUBLISHED'],
  PREPARING: ['PENDING', 'SUBMITTING', 'FAILED', 'PUBLISHED'],
  SUBMITTING: ['PENDING', 'PUBLISHED', 'FAILED', 'UNCONFIRMED'],
  UNCONFIRMED: ['PUBLISHED', 'FAILED'],
  FAILED: ['PENDING', 'PUBLISHED'],
  PUBLISHED: [],
}

/** The same for a first comment and a removal, except that a person can have an unknown outcome read again. */
const ofOther: Record<string, string[]> = { ...ofTarget, UNCONFIRMED: ['SUBMITTING', 'PUBLISHED'] }
