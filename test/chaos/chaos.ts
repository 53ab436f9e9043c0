import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { SocialAccount } from '../../src/channels/api.ts'
import { type Platform, PLATFORMS } from '../../src/networks/api.ts'
import type { Post, Publication } from '../../src/publishing/posts/api.ts'
import { type Embedded, startEmbedded } from '../../src/core/platform/postgres/postgres.ts'
import { freePort, type Running, startProduct, startSandbox } from '../product.ts'
import {
  call,
  connect,
  eventually,
  liveOn,
  maxCallsInHour,
  newPerson,
  type Person,
  picture,
  skipWait,
  uploadPicture,
  uploadVideo,
  video,
} from '../world.ts'
import { addFaults } from './faults.ts'

// Processes die, networks accept posts without answering, and the database goes away. In the end, every post is live
// exactly once.

export interface ChaosOptions {
  posts: number
  kills: number
  /**
   * The rate of each kind of fault, on committing calls, on the calls that prepare them and on the reads that settle
   * them.
   */
  faultRate: number
  seed: number
  timeScale: number
  say?: (line: string) => void
}

export interface ChaosResult {
  posts: number
  /** The deliveries of all posts: a post on two networks counts twice. */
  targets: number
  live: number
  liveOn: Record<Platform, number>
  /** Among all requested posts, confirmed or not. */
  duplicates: string[]
  lost: string[]
  /** Without posts whose absence cannot be proven. */
  unconfirmed: string[]
  /** Pictures on NET_VIDEO with an unknown outcome. Their absence proves nothing. */
  unproven: number
  /** Posts with a live first comment. */
  comments: number
  /** First comments that are duplicated, below another post, or in another state than the product says. */
  wrongComments: string[]
  failed: { target: string; error: unknown }[]
  /** Requested while the service was dying, without an answer: each is live once or not at all. */
  untold: number
  kills: number
  /** Posts that failed with a reason, and that a retry sent. */
  retried: number
  /** Publications with more than one intent. */
  sentAgain: number
  seconds: number
  callsInHour: number
}

/** A small, fast generator that repeats for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const say = options.say ?? (() => {})
  const chance = random(options.seed)
  const folder = await mkdtemp(join(tmpdir(), 'parley-chaos-'))
  const [apiPort, sandboxPort] = [await freePort(), await freePort()]
  const apiUrl = `http://127.0.0.1:${apiPort}`
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}/sandbox`
  const database: Embedded = await startEmbedded({ dataDir: join(folder, 'database') })

  const sandboxEnv = { PORT: String(sandboxPort), TIME_SCALE: String(options.timeScale) }
  const startNetwork = () => startSandbox({ dataDir: join(folder, 'network'), env: sandboxEnv })
  const start = (role: 'all' | 'worker') =>
    startProduct({
      databaseUrl: database.url,
      dataDir: join(folder, 'product'),
      ready: role === 'worker' ? /Parley worker is ready/ : /ready at (http:\/\/\S+)/,
      env: {
        ROLE: role,
        PORT: String(apiPort),
        PUBLIC_URL: apiUrl,
        TIME_SCALE: String(options.timeScale),
        DEFAULT_PLAN: 'business',
        LOG_LEVEL: 'fatal',
        NET_PAGE_GRAPH_URL: `${sandboxUrl}/graph`,
        NET_PAGE_DIALOG_URL: `${sandboxUrl}/dialog`,
        NET_VIDEO_API_URL: `${sandboxUrl}/video`,
        NET_VIDEO_AUTH_URL: `${sandboxUrl}/video-auth`,
      },
    })

  let network = await startNetwork()
  const processes: Running[] = [await start('all'), await start('worker'), await start('worker')]
  const begun = performance.now()
  let kills = 0
  try {
    const authors = await createAuthors(apiUrl, options)
    say(`${authors.length} authors are connected`)
    const storm = new Storm(authors, options)
    await storm.schedule()
    say(`${options.posts} posts are asked for, half of them before the storm`)
    await addFaults(sandboxUrl, options.faultRate, options.seed)

    // From just before the first posts are due: kill, restart, continue.
    await sleep(Math.max(0, storm.from - Date.now() - 500))
    const publishing = storm.publishNow()
    for (; kills < options.kills; kills += 1) {
      await sleep(KILL_EVERY * (0.5 + chance()))
      const index = Math.floor(chance() * processes.length)
      await processes[index]!.kill()
      say(`killed ${index === 0 ? 'api and worker' : 'worker'} (${kills + 1})`)
      // The networks and the database go away once in sixteen kills, but at least once.
      if (kills % AWAY === Math.floor(Math.min(options.kills, AWAY) / 3)) {
        await network.kill()
        say('killed the network')
        network = await startNetwork()
      }
      if (kills % AWAY === Math.floor((Math.min(options.kills, AWAY) * 2) / 3)) {
        process.kill(database.pid, 'SIGKILL')
        say('killed the database')
        await new Promise<void>((resolve) => {
          const done = database.onRestart(() => {
            done()
            resolve()
          })
        })
      }
      processes[index] = await start(index === 0 ? 'all' : 'worker')
    }
    await publishing
    const ended = await untilEnded(database.url, storm.told, say)
    // Five failures in a row end a target with a reason. Its author retries when the storm has passed.
    await call(sandboxUrl, 'DELETE', '/faults')
    const failed = storm.told.filter(({ id }) => ended.get(id)?.publications.some(({ state }) => state === 'FAILED'))
    const reasons = new Map<string, number>()
    for (const { publications } of ended.values())
      for (const { platform, error } of publications)
        if (error) count(reasons, [platform, error.code, error.networkCode].join(' '))
    say(`retried: ${JSON.stringify([...reasons])}`)
    for (const { author, id } of failed) await author.person.must('POST', `/posts/${id}/retry`)
    const result = await compare(sandboxUrl, storm, await untilEnded(database.url, storm.told, say))
    return { ...result, retried: failed.length, kills, seconds: Math.round((performance.now() - begun) / 1000) }
  } finally {
    for (const each of processes) await each.stop()
    await network.stop()
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const KILL_EVERY = 1_200
const AWAY = 16
/** Milliseconds for each kill over which scheduled posts are due. The others are published meanwhile. */
const DUE_OVER = 5_000

/** An author with an account on each network, in a workspace that they share with others. */
interface Author {
  person: Person
  accounts: Record<Platform, SocialAccount>
  files: Record<Kind['media'], string[]>
}

/**
 * So few posts per author, of ever different kinds, that no one runs out of calls, in spite of all tries and reads, and
 * of the calls that killed processes had reserved. Odd, so that every kind gets its turn.
 */
const POSTS_EACH = 7
const AUTHORS_EACH = 16
/** The number of workspaces that are set up at the same time. */
const GROUPS_AT_ONCE = 4
const FIRST_USER = 9_801
/** Every 97th account of NET_VIDEO is private and accepts no public videos, so it is left out. */
const PRIVATE = 97

async function createAuthors(apiUrl: string, options: ChaosOptions): Promise<Author[]> {
  const groups = Math.ceil(options.posts / POSTS_EACH / AUTHORS_EACH)
  const users = Array.from({ length: groups * AUTHORS_EACH * 2 }, (_, n) => FIRST_USER + n).filter(
    (n) => n % PRIVATE > 0,
  )
  const clip = await video()
  const uprightClip = await video({ width: 540, height: 960 })

  async function createGroup(group: number): Promise<Author[]> {
    const person = await newPerson(apiUrl, `Chaos${group}`)
    const one = (await uploadPicture(person, await picture(400, 400, '#b45309'))).id
    const two = (await uploadPicture(person, await picture(640, 640, '#0f766e'))).id
    const tall = (await uploadPicture(person, await picture(450, 800, '#1d4ed8'))).id
    const file = (await uploadVideo(person, clip)).id
    const upright = (await uploadVideo(person, uprightClip)).id
    const files = {
      none: [],
      one: [one],
      two: [one, two],
      tall: [tall],
      video: [file],
      upright: [upright],
      mixed: [one, file, two],
    }
    const authors: Author[] = []
    for (const user of users.slice(group * AUTHORS_EACH, (group + 1) * AUTHORS_EACH)) {
      const accounts = {} as Author['accounts']
      for (const network of PLATFORMS) {
        const theirs = await connect(person, network, `u${user}`)
        accounts[network] = theirs.find(({ externalId }) => externalId.includes(`00${user}`)) as SocialAccount
      }
      authors.push({ person, accounts, files })
    }
    return authors
  }

  const authors: Author[] = []
  for (let group = 0; group < groups; group += GROUPS_AT_ONCE) {
    const some = Array.from({ length: Math.min(GROUPS_AT_ONCE, groups - group) }, (_, n) => createGroup(group + n))
    authors.push(...(await Promise.all(some)).flat())
  }
  return authors
}

/** The kinds of posts, used in turn: on one network alone, and on several at once. */
interface Kind {
  on: Platform[]
  media: 'none' | 'one' | 'two' | 'tall' | 'video' | 'upright' | 'mixed'
  /** The kind of a post that is not a usual one. */
  kind?: 'reel' | 'story'
  commented?: boolean
}

const kinds: readonly Kind[] = [
  { on: ['NET_PAGE'], media: 'none' },
  { on: ['NET_PHOTO'], media: 'one' },
  { on: ['NET_VIDEO'], media: 'video' },
  { on: ['NET_PAGE'], media: 'two' },
  { on: ['NET_PHOTO'], media: 'video' },
  { on: ['NET_PAGE', 'NET_PHOTO'], media: 'two' },
  { on: ['NET_PAGE'], media: 'video' },
  { on: ['NET_PHOTO', 'NET_PAGE', 'NET_VIDEO'], media: 'video' },
  { on: ['NET_PAGE'], media: 'one' },
  { on: ['NET_PHOTO'], media: 'two' },
  { on: ['NET_PAGE'], media: 'upright', kind: 'reel' },
  { on: ['NET_PHOTO'], media: 'tall', kind: 'story' },
  { on: ['NET_PHOTO'], media: 'mixed' },
  { on: ['NET_VIDEO'], media: 'two' },
  { on: ['NET_PAGE', 'NET_PHOTO'], media: 'one', commented: true },
  { on: ['NET_PAGE'], media: 'none', commented: true },
]

interface Told {
  id: string
  author: Author
  kind: Kind
}

/**
 * The name of a post on an account. A story has no text, so each author requests only one, if every request is
 * answered.
 */
const nameOn = (account: string, caption: string, isStory: boolean) => `${account} ${isStory ? 'story' : caption}`

/** Posts requested before and during the storm. `told` has those whose request was confirmed. */
class Storm {
  readonly told: Told[] = []
  /** The names of the posts whose request got no answer. */
  readonly untold: string[] = []
  readonly from: number
  private readonly until: number
  private readonly authors: Author[]
  private readonly options: ChaosOptions

  constructor(authors: Author[], options: ChaosOptions) {
    this.authors = authors
    this.options = options
    this.from = Date.now() + 4_000 + options.posts * 20
    this.until = this.from + options.kills * DUE_OVER
  }

  /** Schedules half of the posts, due throughout the storm. */
  async schedule(): Promise<void> {
    await this.inLanes(0, async (i) => {
      const at = this.from + ((this.until - this.from) * i) / this.options.posts
      const { author, body, kind } = this.post(i)
      const asked = { ...body, scheduledAt: new Date(at).toISOString() }
      const key = { 'idempotency-key': `chaos-${this.options.seed}-${i}` }
      const { id } = await author.person.must<Post>('POST', '/posts', asked, key)
      this.told.push({ id, author, kind })
    })
  }

  /** Publishes the other half during the storm. Repeats a request with another text until it is answered. */
  async publishNow(): Promise<void> {
    await this.inLanes(1, async (i) => {
      const at = this.from + ((this.until - this.from) * i) / this.options.posts
      await sleep(Math.max(0, at - Date.now()))
      for (let attempt = 0; ; attempt += 1) {
        const { author, body, kind } = this.post(i, attempt)
        const key = { 'idempotency-key': `chaos-${this.options.seed}-${i}-${attempt}` }
        // The service is down, or goes away before the answer.
        const answer = await author.person
          .call<Post>('POST', '/posts', { ...body, action: 'publish' }, key)
          .catch(() => undefined)
        if (answer?.status === 201) return void this.told.push({ id: answer.body.id, author, kind })
        // A service that was too busy may still be processing the last request.
        if (answer && answer.status < 500 && answer.status !== 409) throw new Error(JSON.stringify(answer))
        for (const network of kind.on)
          this.untold.push(nameOn(author.accounts[network].externalId, body.caption, kind.kind === 'story'))
        await sleep(300)
      }
    })
  }

  private post(i: number, attempt = 0) {
    const index = Math.floor(i / 2) % this.authors.length
    const author = this.authors[index] as Author
    // Each author has posts of many kinds, none of them twice, and together they have all kinds.
    const turn = Math.floor(i / 2 / this.authors.length) + (i % 2) * (kinds.length / 2) + index * POSTS_EACH
    const kind = kinds[turn % kinds.length] as Kind
    const caption = `chaos ${i}${attempt === 0 ? '' : ` again ${attempt}`}`
    const special = {
      ...(kind.kind && { kind: kind.kind }),
      ...(kind.commented && { firstComment: `first ${caption}` }),
    }
    const body = {
      caption,
      targets: kind.on.map((network) => author.accounts[network].id),
      media: author.files[kind.media],
      platformOptions: {
        NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true },
        ...Object.fromEntries(
          kind.on.filter((network) => network !== 'NET_VIDEO').map((network) => [network, special]),
        ),
      },
    }
    return { author, body, kind }
  }

  private async inLanes(half: 0 | 1, work: (i: number) => Promise<void>): Promise<void> {
    let next = half
    const lane = async () => {
      while (next < this.options.posts) {
        const i = next
        next += 2
        await work(i)
      }
    }
    await Promise.all(Array.from({ length: 6 }, lane))
  }
}

const COMMENTED: ReadonlySet<string> = new Set(['POSTED', 'FAILED', 'UNCONFIRMED'])

/**
 * Milliseconds. A person whose calls run out nevertheless waits until the end of the hour, which no time scale
 * shortens.
 */
const LONGEST = 4_200_000

/** Pictures on NET_VIDEO cannot be proven absent, so a person decides after half an hour. */
const isBlind = ({ kind }: Told) => kind.on.includes('NET_VIDEO') && kind.media === 'two'

/** Returns the posts by id once all have ended. Skips the half hour of posts that cannot be proven absent. */
async function untilEnded(databaseUrl: string, told: Told[], say: (line: string) => void): Promise<Map<string, Post>> {
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  const ended = new Map<string, Post>()
  const asked = new Set(told.map(({ id }) => id))
  const people = new Set(told.map(({ author }) => author.person))
  let before = ''
  await eventually(
    async () => {
      const waits = new Map<string, number>()
      for (const post of (await Promise.all([...people].map(allPosts))).flat()) {
        if (!asked.has(post.id)) continue
        const open = post.publications.find(({ firstComment }) => firstComment && !COMMENTED.has(firstComment.state))
        if (!['SCHEDULED', 'PUBLISHING'].includes(post.status) && !open) ended.set(post.id, post)
        else
          for (const { platform, state, phase, waitReason, firstComment } of post.publications)
            count(waits, [platform, state, phase ?? waitReason ?? '', firstComment?.state ?? ''].join(' '))
      }
      const waiting = `${told.length - ended.size} not ended: ${JSON.stringify([...waits])}`
      if (ended.size < told.length && waiting !== before) say(waiting)
      before = waiting
      const left = told.filter(({ id }) => !ended.has(id))
      if (left.every(isBlind)) for (const { id } of left) await skipWait(sql, id)
      return left.length === 0
    },
    LONGEST,
    2_000,
  ).finally(() => sql.end())
  return ended
}

async function allPosts(person: Person): Promise<Post[]> {
  const posts: Post[] = []
  let cursor = ''
  do {
    const page = await person.must<{ data: Post[]; nextCursor: string | null }>('GET', `/posts?limit=100${cursor}`)
    posts.push(...page.data)
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
  } while (cursor !== '')
  return posts
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

async function compare(sandboxUrl: string, { told, untold }: Storm, posts: Map<string, Post>) {
  const seen = new Map<string, number>()
  const comments = new Map<string, string[]>()
  for (const [account, live] of await liveOn(sandboxUrl)) {
    for (const post of live) {
      const name = nameOn(account, post.message, post.kind === 'story')
      count(seen, name)
      comments.set(name, [...(comments.get(name) ?? []), ...(post.comments ?? []).map(({ text }) => text)])
    }
  }
  const allowed = new Map<string, number>()
  for (const name of untold) count(allowed, name)
  const targets = told.flatMap(({ id, author, kind }) => {
    const { caption, publications } = posts.get(id) as Post
    return publications.map((publication: Publication) => {
      const { externalId } = author.accounts[publication.platform]
      const place = nameOn(externalId, caption, kind.kind === 'story')
      count(allowed, place)
      const unproven =
        publication.platform === 'NET_VIDEO' && kind.media === 'two' && publication.state === 'UNCONFIRMED'
      return {
        name: `${caption} on ${publication.platform}`,
        publication,
        live: seen.get(place) ?? 0,
        unproven,
        below: comments.get(place) ?? [],
        wanted: `first ${caption}`,
      }
    })
  })
  const tell = ({ name, publication, live: times }: (typeof targets)[number]) =>
    `${name}: live ${times}, ${JSON.stringify(publication)}`
  const live = targets.filter((each) => each.live > 0)
  const on = (platform: Platform) => live.filter(({ publication }) => publication.platform === platform).length
  return {
    posts: told.length,
    targets: targets.length,
    live: live.length,
    liveOn: { NET_PAGE: on('NET_PAGE'), NET_PHOTO: on('NET_PHOTO'), NET_VIDEO: on('NET_VIDEO') },
    duplicates: [...seen].filter(([name, times]) => times > (allowed.get(name) ?? 0)).map(([name]) => name),
    unproven: targets.filter(({ unproven }) => unproven).length,
    comments: targets.filter(({ below }) => below.length > 0).length,
    wrongComments: targets
      .filter(({ publication: { firstComment }, below, wanted }) => {
        const there = below.length === 1 && below[0] === wanted
        if (below.length > 0 && !there) return true
        return firstComment?.state !== 'UNCONFIRMED' && (firstComment?.state === 'POSTED') !== there
      })
      .map(({ name, publication, below }) => `${name}: ${publication.firstComment?.state}, ${JSON.stringify(below)}`),
    // Reported as live but missing, or live but reported as failed: the author loses the post in both cases.
    lost: targets
      .filter(({ publication: { state }, live: times }) => (state === 'PUBLISHED') !== times > 0)
      .filter(({ publication: { state } }) => state !== 'UNCONFIRMED')
      .map(tell),
    unconfirmed: targets
      .filter(({ publication: { state }, unproven }) => state === 'UNCONFIRMED' && !unproven)
      .map(tell),
    failed: targets
      .filter(({ publication: { state } }) => state === 'FAILED')
      .map(({ name, publication: { error } }) => ({ target: name, error })),
    untold: untold.length,
    sentAgain: targets.filter(({ publication: { attempts } }) => attempts > 1).length,
    callsInHour: await maxCallsInHour(sandboxUrl),
  }
}
