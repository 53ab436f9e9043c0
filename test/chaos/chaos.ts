import { createServer } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Post } from '../../src/posts/api.ts'
import { type Embedded, startEmbedded } from '../../src/platform/postgres.ts'
import { type Running, startProduct, startSandbox } from '../product.ts'
import {
  addFault,
  call,
  connectPages,
  eventually,
  liveOn,
  newPerson,
  type Person,
  picture,
  uploadPicture,
} from '../world.ts'

// Processes die, the network accepts and does not answer, the database goes away: every post is live exactly once in the end.

export interface ChaosOptions {
  posts: number
  kills: number
  /** Of each kind of fault, on every committing call and on the reads that settle them. */
  faultRate: number
  seed: number
  timeScale: number
  say?: (line: string) => void
}

export interface ChaosResult {
  posts: number
  live: number
  duplicates: number
  lost: string[]
  unconfirmed: number
  failed: { id: string; error: unknown }[]
  kills: number
  /** Posts that failed with a reason and were sent by a retry. */
  retried: number
  /** Publications that took more than one intent, and those that a read settled. */
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

/** The faults of a run: before and after the effect, on commits, on uploads and on reads. */
export async function addFaults(sandboxUrl: string, rate: number, seed: number): Promise<void> {
  const broken = { error: { code: 2, message: 'An unexpected error has occurred. Please retry your request later.' } }
  const limited = { error: { code: 32, message: 'Page request limit reached' } }
  const commit = { method: 'POST', path: '/feed' }
  const all: { match: object; do: object }[] = [
    { match: commit, do: { drop: 'after' } },
    { match: commit, do: { drop: 'before' } },
    { match: commit, do: { status: 500, body: broken, after: true } },
    { match: commit, do: { status: 500, body: broken } },
    { match: commit, do: { status: 503, body: 'Service unavailable' } },
    { match: commit, do: { status: 400, body: limited } },
    { match: commit, do: { status: 200, body: '{"id":', after: true } },
    { match: commit, do: { delayMs: 30_000, after: true } },
    { match: { method: 'POST', path: '/photos' }, do: { drop: 'after' } },
    { match: { method: 'POST', path: '/photos' }, do: { status: 500, body: broken } },
    { match: { path: '/published_posts' }, do: { status: 500, body: broken } },
    { match: { path: '/published_posts' }, do: { drop: 'before' } },
  ]
  for (const [index, fault] of all.entries()) {
    await addFault(sandboxUrl, { ...fault, match: { ...fault.match, probability: rate, seed: seed + index } })
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
      },
    })

  let network = await startNetwork()
  const processes: Running[] = [await start('all'), await start('worker')]
  const begun = performance.now()
  let kills = 0
  try {
    const { people, posts } = await schedulePosts(apiUrl, options, say)
    await addFaults(sandboxUrl, options.faultRate, options.seed)

    // From just before the posts are due: kill, restart, go on.
    await sleep(Math.max(0, posts.dueAt - Date.now() - 500))
    const every = 1200
    for (; kills < options.kills; kills += 1) {
      await sleep(every * (0.5 + chance()))
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
    const ended = await untilEnded(people, posts.ids, say)
    // Five failures in a row end a target, with its reason: its author retries once the storm is over.
    await call(sandboxUrl, 'DELETE', '/faults')
    const failed = posts.ids.filter(({ id }) => ended.some((post) => post.id === id && post.status === 'FAILED'))
    for (const { person, id } of failed) await person.must('POST', `/posts/${id}/retry`)
    const result = await compare(sandboxUrl, await untilEnded(people, posts.ids, say))
    return { ...result, retried: failed.length, kills, seconds: Math.round((performance.now() - begun) / 1000) }
  } finally {
    for (const each of processes) await each.stop()
    await network.stop()
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** So few that nobody's calls run out, with all that is tried and read again. */
const POSTS_EACH = 15

/** A third with text alone, a third with one picture, a third with two; over so many people that nobody's calls run out. */
async function schedulePosts(apiUrl: string, { posts, timeScale }: ChaosOptions, say: (line: string) => void) {
  const people: Person[] = []
  const owners: { person: Person; accountId: string; files: string[] }[] = []
  for (let i = 0; i < Math.ceil(posts / POSTS_EACH); i += 1) {
    const person = await newPerson(apiUrl, `Chaos${i}`)
    const [account] = await connectPages(person, `u${1000 + i}`)
    const files: string[] = []
    for (const colour of ['#b45309', '#0f766e'])
      files.push((await uploadPicture(person, await picture(64, 64, colour))).id)
    people.push(person)
    owners.push({ person, accountId: account!.id, files })
  }
  const dueAt = Date.now() + 4_000 + posts * 15
  const ids: { person: Person; id: string }[] = []
  const lanes = Array.from({ length: 6 }, async (_, lane) => {
    for (let i = lane; i < posts; i += 6) {
      const { person, accountId, files } = owners[i % owners.length]!
      const body = {
        caption: `chaos ${i} at scale ${timeScale}`,
        targets: [accountId],
        media: files.slice(0, i % 3),
        scheduledAt: new Date(dueAt).toISOString(),
      }
      ids.push({ person, id: (await person.must<Post>('POST', '/posts', body)).id })
    }
  })
  await Promise.all(lanes)
  say(`${posts} posts are scheduled`)
  return { people, posts: { ids, dueAt } }
}

async function untilEnded(
  people: Person[],
  ids: { person: Person; id: string }[],
  say: (line: string) => void,
): Promise<Post[]> {
  const open = 'SCHEDULED,PUBLISHING,DRAFT'
  await eventually(
    async () => {
      let left = 0
      for (const person of people)
        left += (await person.must<{ data: Post[] }>('GET', `/posts?limit=100&status=${open}`)).data.length
      if (left > 0) say(`${left} not ended`)
      return left === 0
    },
    600_000,
    2_000,
  )
  return Promise.all(ids.map(({ person, id }) => person.must<Post>('GET', `/posts/${id}`)))
}

async function compare(sandboxUrl: string, posts: Post[]) {
  const seen = new Map<string, number>()
  for (const live of [...(await liveOn(sandboxUrl)).values()].flat())
    seen.set(live.message, (seen.get(live.message) ?? 0) + 1)
  const { body } = await call<{ users: { maxInHour: number }[] }>(sandboxUrl, 'GET', '/state')
  const publications = posts.map((post) => ({
    post,
    publication: post.publications[0]!,
    live: seen.get(post.caption) ?? 0,
  }))
  return {
    posts: posts.length,
    live: publications.filter((each) => each.live > 0).length,
    duplicates: publications.filter((each) => each.live > 1).length,
    // Said to be live and not there, or there and said to have failed: both are lost to the one who wrote it.
    lost: publications
      .filter(
        ({ publication, live }) =>
          (publication.state === 'PUBLISHED') !== live > 0 && publication.state !== 'UNCONFIRMED',
      )
      .map(({ post, live }) => `${post.caption}: ${post.publications[0]!.state}, live ${live}`),
    unconfirmed: publications.filter((each) => each.publication.state === 'UNCONFIRMED').length,
    failed: publications
      .filter((each) => each.publication.state === 'FAILED')
      .map(({ post, publication }) => ({ id: post.caption, error: publication.error })),
    sentAgain: publications.filter((each) => each.publication.attempts > 1).length,
    callsInHour: Math.max(0, ...body.users.map((user) => user.maxInHour)),
  }
}
