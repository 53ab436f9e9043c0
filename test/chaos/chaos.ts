import { createServer } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Platform, PLATFORMS, type SocialAccount } from '../../src/accounts/api.ts'
import type { Post, Publication } from '../../src/posts/api.ts'
import { type Embedded, startEmbedded } from '../../src/platform/postgres.ts'
import { type Running, startProduct, startSandbox } from '../product.ts'
import {
  type Answer,
  call,
  connect,
  eventually,
  liveOn,
  maxCallsInHour,
  newPerson,
  type Person,
  picture,
  uploadPicture,
  uploadVideo,
  video,
} from '../world.ts'
import { addFaults } from './faults.ts'

// Processes die, networks accept and do not answer, the database goes away: every post is live exactly once in the end.

export interface ChaosOptions {
  posts: number
  kills: number
  /** Of each kind of fault, on every committing call, on what prepares it and on the reads that settle it. */
  faultRate: number
  seed: number
  timeScale: number
  say?: (line: string) => void
}

export interface ChaosResult {
  posts: number
  /** What they are to be seen as: a post for two networks counts twice. */
  targets: number
  live: number
  liveOn: Record<Platform, number>
  /** Of all that was asked for, answered or not. */
  duplicates: string[]
  lost: string[]
  unconfirmed: number
  failed: { target: string; error: unknown }[]
  /** Asked for while the service was dying, without an answer: live once or not at all. */
  untold: number
  kills: number
  /** Posts that failed with a reason and were sent by a retry. */
  retried: number
  /** Publications that took more than one intent. */
  sentAgain: number
  seconds: number
  callsInHour: number
}

/** Small, fast and the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
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
      ready: role === 'worker' ? /Parley works/ : /ready at (http:\/\/\S+)/,
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
  const processes: Running[] = [await start('all'), await start('worker')]
  const begun = performance.now()
  let kills = 0
  try {
    const authors = await settleIn(apiUrl, options.posts)
    say(`${authors.length} authors are connected`)
    const storm = new Storm(authors, options)
    await storm.schedule()
    say(`${options.posts} posts are asked for, half of them before the storm`)
    await addFaults(sandboxUrl, options.faultRate, options.seed)

    // From just before the first are due: kill, restart, go on.
    await sleep(Math.max(0, storm.from - Date.now() - 500))
    const publishing = storm.publishNow()
    for (; kills < options.kills; kills += 1) {
      await sleep(KILL_EVERY * (0.5 + chance()))
      const index = Math.floor(chance() * processes.length)
      await processes[index]!.kill()
      say(`killed ${index === 0 ? 'api and worker' : 'worker'} (${kills + 1})`)
      if (kills === Math.floor(options.kills / 3)) {
        await network.kill()
        say('killed the network')
        network = await startNetwork()
      }
      if (kills === Math.floor((options.kills * 2) / 3)) {
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
    const ended = await untilEnded(storm.told, say)
    // Five failures in a row end a target, with its reason: its author retries once the storm is over.
    await call(sandboxUrl, 'DELETE', '/faults')
    const failed = storm.told.filter(({ id }) => ended.get(id)?.publications.some(({ state }) => state === 'FAILED'))
    const reasons = new Map<string, number>()
    for (const { publications } of ended.values())
      for (const { platform, error } of publications)
        if (error) count(reasons, [platform, error.code, error.networkCode].join(' '))
    say(`retried: ${JSON.stringify([...reasons])}`)
    for (const { author, id } of failed) await author.person.must('POST', `/posts/${id}/retry`)
    const result = await compare(sandboxUrl, storm, await untilEnded(storm.told, say))
    return { ...result, retried: failed.length, kills, seconds: Math.round((performance.now() - begun) / 1000) }
  } finally {
    for (const each of processes) await each.stop()
    await network.stop()
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const KILL_EVERY = 1_200
/** What is scheduled is due over so long a time for each kill, and the rest is published meanwhile. */
const DUE_OVER = 2_500

/** Somebody with an account on each network, in a workspace that they share with some others. */
interface Author {
  person: Person
  accounts: Record<Platform, SocialAccount>
  pictures: string[]
  video: string
}

/** So few posts each that nobody's calls run out, with all that is tried and read again, and NET_VIDEO takes them in a day. */
const POSTS_EACH = 10
const AUTHORS_EACH = 6
/** Up to the next 97th: that one's account is private, and takes no public videos. */
const FIRST_USER = 9_800

async function settleIn(apiUrl: string, posts: number): Promise<Author[]> {
  const authors: Author[] = []
  const clip = await video()
  for (let i = 0; i < Math.ceil(posts / POSTS_EACH / AUTHORS_EACH); i += 1) {
    const person = await newPerson(apiUrl, `Chaos${i}`)
    const pictures = [
      (await uploadPicture(person, await picture(64, 64, '#b45309'))).id,
      (await uploadPicture(person, await picture(640, 640, '#0f766e'))).id,
    ]
    const file = (await uploadVideo(person, clip)).id
    for (let n = 0; n < AUTHORS_EACH; n += 1) {
      const user = FIRST_USER + authors.length
      const accounts = {} as Author['accounts']
      for (const network of PLATFORMS) {
        const theirs = await connect(person, network, `u${user}`)
        accounts[network] = theirs.find(({ externalId }) => externalId.includes(`00${user}`)) as SocialAccount
      }
      authors.push({ person, accounts, pictures, video: file })
    }
  }
  return authors
}

/** What posts are made of, by turns: on one network alone, and on several at once. */
const kinds: readonly { on: Platform[]; media: 'none' | 'one' | 'two' | 'video' }[] = [
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
]

interface Told {
  id: string
  author: Author
}

/** Posts asked for before and while everything breaks. `told`: those of which their author was told that they are taken. */
class Storm {
  readonly told: Told[] = []
  /** Captions of which nobody was told what became of them. */
  readonly untold: string[] = []
  readonly from: number
  private readonly until: number
  private readonly authors: Author[]
  private readonly options: ChaosOptions

  constructor(authors: Author[], options: ChaosOptions) {
    this.authors = authors
    this.options = options
    this.from = Date.now() + 4_000 + options.posts * 10
    this.until = this.from + options.kills * DUE_OVER
  }

  /** Half of the posts, due at any time of the storm. */
  async schedule(): Promise<void> {
    await this.inLanes(0, async (i) => {
      const at = this.from + ((this.until - this.from) * i) / this.options.posts
      const { author, body } = this.post(i)
      const { id } = await author.person.must<Post>('POST', '/posts', {
        ...body,
        scheduledAt: new Date(at).toISOString(),
      })
      this.told.push({ id, author })
    })
  }

  /** The other half, published while the storm lasts: asked for anew, under another text, until there is an answer. */
  async publishNow(): Promise<void> {
    await this.inLanes(1, async (i) => {
      const at = this.from + ((this.until - this.from) * i) / this.options.posts
      await sleep(Math.max(0, at - Date.now()))
      for (let attempt = 0; ; attempt += 1) {
        const { author, body } = this.post(i, attempt)
        const answer = await this.ask(author.person, { ...body, action: 'publish' })
        if (answer?.status === 201) return void this.told.push({ id: answer.body.id, author })
        if (answer && answer.status < 500) throw new Error(JSON.stringify(answer))
        this.untold.push(body.caption)
        await sleep(300)
      }
    })
  }

  private ask(person: Person, body: object): Promise<Answer<Post> | undefined> {
    return person.call<Post>('POST', '/posts', body).catch(() => undefined) // nobody there, or gone before the answer
  }

  private post(i: number, attempt = 0) {
    const author = this.authors[Math.floor(i / 2) % this.authors.length] as Author
    // Each author has posts of every kind.
    const kind = kinds[(Math.floor(i / 2 / this.authors.length) + (i % 2) * (kinds.length / 2)) % kinds.length]!
    const media = { none: [], one: author.pictures.slice(0, 1), two: author.pictures, video: [author.video] }
    const body = {
      caption: `chaos ${i}${attempt === 0 ? '' : ` again ${attempt}`}`,
      targets: kind.on.map((network) => author.accounts[network].id),
      media: media[kind.media],
      platformOptions: { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } },
    }
    return { author, body }
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

/** The posts by their id, when none of them is open any more. */
async function untilEnded(told: Told[], say: (line: string) => void): Promise<Map<string, Post>> {
  const ended = new Map<string, Post>()
  await eventually(
    async () => {
      const waits = new Map<string, number>()
      for (const { id, author } of told) {
        if (ended.has(id)) continue
        const post = await author.person.must<Post>('GET', `/posts/${id}`)
        if (!['SCHEDULED', 'PUBLISHING'].includes(post.status)) ended.set(id, post)
        else
          for (const { platform, state, phase, waitReason } of post.publications)
            count(waits, [platform, state, phase ?? waitReason ?? ''].join(' '))
      }
      if (ended.size < told.length) say(`${told.length - ended.size} not ended: ${JSON.stringify([...waits])}`)
      return ended.size === told.length
    },
    600_000,
    2_000,
  )
  return ended
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

async function compare(sandboxUrl: string, { told, untold }: Storm, posts: Map<string, Post>) {
  const seen = new Map<string, number>()
  for (const [account, live] of await liveOn(sandboxUrl)) {
    for (const { message } of live) count(seen, `${account} ${message}`)
  }
  const targets = told.flatMap(({ id, author }) => {
    const { caption, publications } = posts.get(id) as Post
    return publications.map((publication: Publication) => {
      const { externalId } = author.accounts[publication.platform]
      const name = `${caption} on ${publication.platform}`
      return { name, publication, live: seen.get(`${externalId} ${caption}`) ?? 0 }
    })
  })
  const live = targets.filter((each) => each.live > 0)
  const on = (platform: Platform) => live.filter(({ publication }) => publication.platform === platform).length
  return {
    posts: told.length,
    targets: targets.length,
    live: live.length,
    liveOn: { NET_PAGE: on('NET_PAGE'), NET_PHOTO: on('NET_PHOTO'), NET_VIDEO: on('NET_VIDEO') },
    duplicates: [...seen].filter(([, times]) => times > 1).map(([name]) => name),
    // Said to be live and not there, or there and said to have failed: both are lost to the one who wrote it.
    lost: targets
      .filter(({ publication: { state }, live: times }) => (state === 'PUBLISHED') !== times > 0)
      .filter(({ publication: { state } }) => state !== 'UNCONFIRMED')
      .map(({ name, publication, live: times }) => `${name}: ${publication.state}, live ${times}`),
    unconfirmed: targets.filter(({ publication: { state } }) => state === 'UNCONFIRMED').length,
    failed: targets
      .filter(({ publication: { state } }) => state === 'FAILED')
      .map(({ name, publication: { error } }) => ({ target: name, error })),
    untold: untold.length,
    sentAgain: targets.filter(({ publication: { attempts } }) => attempts > 1).length,
    callsInHour: await maxCallsInHour(sandboxUrl),
  }
}
