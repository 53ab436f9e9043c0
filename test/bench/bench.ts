import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import pg from 'pg'
import { briefOf, items, systemOf, tokensOf } from '../../src/assistant/ai/ai-brief.ts'
import { createModel } from '../../src/core/platform/model/provider.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { migrate } from '../../src/core/platform/migrate.ts'
import { startEmbedded } from '../../src/core/platform/postgres/postgres.ts'
import { postShape } from '../../src/publishing/posts/posts-shape.ts'
import { openPool, sql, whole } from '../../src/core/platform/db.ts'
import { type Running, startProduct, startSandbox } from '../product.ts'
import { type Platform, PLATFORMS } from '../../src/networks/api.ts'
import { startHost } from '../../sandbox/testing.ts'
import { check } from '../../src/publishing/posts/checks/rules.ts'
import { type PostDraft, type TargetAccount } from '../../src/publishing/posts/compose/rules.ts'
import { measureAgainst } from './against.ts'
import { startsOfAi } from './ai-start.ts'
import { instantModel, repliesBesideTheirParts, statementMeter } from './bot.ts'
import { bareReceiver, eventsASecond, p99At, pageOf } from './ingest.ts'
import { bareLoop, drain, KEY, percentile } from './fleet.ts'
import { growInbox, type InboxCost, measureInbox } from './inbox-scale.ts'
import { latenessBesideReadings } from './metrics-lateness.ts'
import { waitsBesideHarm } from './media.ts'
import { FIGURE_SCREENS, growMetrics, measureFigures, READINGS_OF_ONE } from './metrics-scale.ts'
import { readingsASecond } from './metrics-store.ts'
import { grow, measure } from './scale.ts'
import { measureScreens } from './web.ts'
import { tappedLine } from '../killable.ts'
import { asPicture, asVideo, grant, newStep, openNetworks, publishUnchecked } from '../adapters.ts'
import {
  connect,
  connectPages,
  eventually,
  liveOn,
  newPerson,
  type Person,
  picture,
  uploadPicture,
  uploadVideo,
  video,
} from '../world.ts'

// npm run bench: compares each figure with a baseline from the same run, as a ratio. Absolute figures say more about
// the machine.

const ROUNDS = 5
const SECONDS = 2
const WARM_SECONDS = 10
const CONNECTIONS = 8
const INBOX_ROUNDS = 3

interface Line {
  what: string
  ours: string
  floor: string
  ratio: string
  aim: string
}
const table: Line[] = []
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
const round = (value: number, digits = 0) => value.toFixed(digits)

function compare(what: string, unit: string, ours: number[], floor: number[], aim: string) {
  const ratios = ours.map((each, i) => each / (floor[i] as number))
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)]
  table.push({
    what,
    ours: `${round(median(ours))} ${unit}`,
    floor: `${round(median(floor))} ${unit}`,
    ratio: `${round(median(ratios), 2)} (${round(low, 2)}..${round(high, 2)})`,
    aim,
  })
}

const single = (what: string, ours: string, aim: string) => table.push({ what, ours, floor: '', ratio: '', aim })

async function load(url: string, options: Partial<autocannon.Options> = {}): Promise<number> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, ...options })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} errors`)
  return result.requests.average
}

const BREAD = { topic: 'Fresh bread from the wood oven', language: 'en' }

/**
 * npm run bench -- list calendar create due fleet networks check scale start flood ai ai-start web ingest media
 * inbox-scale bot metrics-scale metrics-store metrics-lateness: runs only these.
 * inbox-scale grows to INBOX_MESSAGES messages and metrics-scale to METRIC_ROWS readings, by default 10,000,000. With
 * --against <commit>, this checkout is compared with that commit, alternately.
 */
const { values, positionals: chosen } = parseArgs({ options: { against: { type: 'string' } }, allowPositionals: true })
const wanted = (name: string) => chosen.length === 0 || chosen.includes(name)
if (values.against !== undefined) process.exit((await measureAgainst(values.against, wanted)) ? 0 : 1)

const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
const database = await startEmbedded({ dataDir: join(folder, 'database') })
const sandbox = await startSandbox({ dataDir: join(folder, 'network') })
const env = {
  NODE_ENV: 'development',
  DEFAULT_PLAN: 'business',
  ENCRYPTION_KEY: KEY,
  JWT_SECRET: 'j'.repeat(32),
  JWT_REFRESH_SECRET: 'r'.repeat(32),
  NET_PAGE_GRAPH_URL: `${sandbox.url}/graph`,
  NET_PAGE_DIALOG_URL: `${sandbox.url}/dialog`,
}
let product: Running | undefined
const direct = new pg.Client({ connectionString: database.url })
await direct.connect()

try {
  if (wanted('list') || wanted('calendar') || wanted('create')) {
    product = await startProduct({
      databaseUrl: database.url,
      dataDir: join(folder, 'product'),
      env: { ...env, ROLE: 'api' },
    })
    const ann = await newPerson(product.url)
    const pages = await connectPages(ann)
    const headers = { authorization: `Bearer ${ann.session.accessToken}`, 'x-workspace-id': ann.workspaceId }
    if (wanted('list')) await listOfFifty(product, ann, pages[0]!.id, headers)
    if (wanted('calendar')) await calendarOfThousand(product, ann, pages[0]!.id, headers)
    if (wanted('create')) await createPost(product, ann, pages[0]!.id, headers)
    await product.stop()
    product = undefined
  }
  if (wanted('flood')) await floodOfSignIns()
  if (wanted('due')) await thousandDue()
  if (wanted('fleet')) await tenThousandDue()
  if (wanted('networks')) await dueOnThree()
  if (wanted('check')) oneCheck()
  if (wanted('ai')) await captionsBesideTheModel()
  if (wanted('ai-start')) await startsBesideThoseWithoutAi()
  if (wanted('scale')) await hundredTimesAsMuch()
  if (wanted('start')) await startsAndMemory()
  if (wanted('web')) await screensInTheBrowser()
  if (wanted('ingest')) await acknowledged()
  if (wanted('media')) await filesBesideHarm()
  if (wanted('inbox-scale')) await inboxAtSize()
  if (wanted('bot')) await repliesOfTheBot()
  if (wanted('metrics-scale')) await figuresAtSize()
  if (wanted('metrics-store')) await readingsStored()
  if (wanted('metrics-lateness')) await lateBesideReadings()
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await product?.stop()
  await direct.end()
  await sandbox.stop()
  await database.stop()
  await rm(folder, { recursive: true, force: true })
}
console.table(table)

/**
 * Measures the p99 of ordinary requests while strangers on 40 connections try to sign in, against the same requests
 * without them. Each connection waits for its answer, so fewer than 1,000 tries a second are sent.
 */
async function floodOfSignIns(): Promise<void> {
  product = await startProduct({
    databaseUrl: database.url,
    dataDir: join(folder, 'flooded'),
    // The cost of a password as people run it. With that of the tests, the database would limit the flood.
    env: { ...env, ROLE: 'api', TRUST_PROXY: '1', PASSWORD_KIB: '19456' },
  })
  const { url } = product
  const ann = await newPerson(url)
  await ann.must('POST', '/posts', { caption: 'A post' })
  const headers = { authorization: `Bearer ${ann.session.accessToken}`, 'x-workspace-id': ann.workspaceId }
  const reads = async () =>
    (await autocannon({ url: `${url}/posts`, headers, connections: 2, overallRate: 100, duration: 4 })).latency.p99
  let tries = 0
  /** Sends each try from a new address for a new account, so that only the hashing of passwords limits them. */
  const strangers = () =>
    autocannon({
      url: `${url}/api/v1/auth/login`,
      connections: 40,
      overallRate: 1000,
      duration: 5,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      setupClient(client) {
        const next = () => {
          tries += 1
          const address = `10.${(tries >> 16) & 255}.${(tries >> 8) & 255}.${tries & 255}`
          client.setHeaders({ 'content-type': 'application/json', 'x-forwarded-for': address })
          client.setBody(JSON.stringify({ email: `who-${tries}@example.test`, password: 'not this one' }))
        }
        next()
        client.on('response', next)
      },
    })
  const [calm, flooded]: [number[], number[]] = [[], []]
  await reads()
  for (let i = 0; i < ROUNDS; i += 1) {
    calm.push(await reads())
    const flood = strangers()
    await sleep(500)
    flooded.push(await reads())
    await flood
  }
  compare('p99 of GET /posts while 40 connections try to sign in', 'ms', flooded, calm, '≤ 2')
  await product.stop()
  product = undefined
}

/** Measures the screens of the product as `npm start` runs it, with its own stand-ins. */
async function screensInTheBrowser() {
  const { NET_PAGE_GRAPH_URL: _graph, NET_PAGE_DIALOG_URL: _dialog, ...own } = env
  product = await startProduct({ databaseUrl: database.url, dataDir: join(folder, 'screens'), env: own })
  const { largest, acts } = await measureScreens(product.url)
  for (const [name, times] of Object.entries(largest)) {
    const [low, high] = [Math.min(...times), Math.max(...times)]
    single(`LCP: ${name}`, `${round(median(times))} ms (${round(low)}..${round(high)})`, '<= 1 s')
  }
  const part = (share: number) => round(percentile(acts, share))
  single('composer, 2,000 letters: act to next paint', `p50 ${part(0.5)}, p95 ${part(0.95)} ms`, 'p95 <= 100 ms')
  await product.stop()
  product = undefined
}

/** Measures GET /posts?limit=50 with every gate, against bare node:http and pg with the same statement. */
async function listOfFifty(
  { url }: Running,
  ann: Person,
  accountId: string,
  headers: Record<string, string>,
): Promise<void> {
  for (let i = 0; i < 60; i += 1) {
    await ann.must('POST', '/posts', {
      caption: `Post ${i}: autumn in a cup, every morning from seven.`,
      targets: [accountId],
      hashtags: ['coffee', 'autumn'],
    })
  }
  await direct.query('analyze')
  const statement = whole<{
    data: string
  }>(sql`select coalesce('[' || string_agg(listed.json::text, ',') || ']', '[]') as data
    from (select ${postShape(url)} where p.workspace_id = ${ann.workspaceId} and p.deleted_at is null and true
      order by p.id desc limit 50) listed`).compile()
  const pool = openPool(database.url, 20, (error) => console.error(error.message))
  const floor = createServer((_request, response) => {
    pool.query<{ data: string }>({ text: statement.sql, values: [...statement.parameters] }).then(
      ({ rows }) =>
        response.setHeader('content-type', 'application/json').end(`{"data":${rows[0]?.data},"nextCursor":null}`),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await sleep(50)
  const floorUrl = `http://127.0.0.1:${(floor.address() as { port: number }).port}`
  const [ours, bare] = await Promise.all([fetch(`${url}/posts?limit=50`, { headers }), fetch(floorUrl)])
  const digest = async (response: Response) =>
    createHash('sha256')
      .update(JSON.stringify(((await response.json()) as { data: unknown }).data))
      .digest('hex')
  if ((await digest(ours)) !== (await digest(bare))) throw new Error('The answers differ: the comparison is none')
  const mine: number[] = []
  const its: number[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    its.push(await load(floorUrl))
    mine.push(await load(`${url}/posts?limit=50`, { headers }))
  }
  floor.close()
  await pool.end()
  compare('list of 50 posts, all gates', 'req/s', mine, its, '>= 0.5')
}

/** Measures a month of 1,000 posts, against bare node:http with the plain columns of the same rows. */
async function calendarOfThousand(
  { url }: Running,
  ann: Person,
  accountId: string,
  headers: Record<string, string>,
): Promise<void> {
  const POSTS = 1000
  const from = Date.now() + 3_600_000
  const month = 30 * 86_400_000
  await Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (let i = lane; i < POSTS; i += 8) {
        const scheduledAt = new Date(from + (month * i) / POSTS).toISOString()
        await ann.must('POST', '/posts', {
          caption: `Calendar ${i}: autumn in a cup`,
          targets: [accountId],
          scheduledAt,
        })
      }
    }),
  )
  await direct.query('analyze')
  const span = [new Date(from).toISOString(), new Date(from + month).toISOString()] as const
  const pool = openPool(database.url, 20, (error) => console.error(error.message))
  const plain = `select json_build_object('data', coalesce(json_agg(json_build_object('id', id, 'status', status, 'happensAt', happens_at,
      'scheduledAt', scheduled_at, 'caption', left(caption, 200), 'version', version) order by happens_at, id), '[]'))::text as json
    from post where workspace_id = $1 and deleted_at is null and happens_at >= $2 and happens_at < $3`
  const floor = createServer((_request, response) => {
    pool.query<{ json: string }>({ text: plain, values: [ann.workspaceId, ...span] }).then(
      ({ rows }) => response.setHeader('content-type', 'application/json').end(rows[0]?.json),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await sleep(50)
  const floorUrl = `http://127.0.0.1:${(floor.address() as { port: number }).port}`
  const ourUrl = `${url}/scheduler/calendar?from=${span[0]}&to=${span[1]}`
  const counts = await Promise.all(
    [fetch(ourUrl, { headers }), fetch(floorUrl)].map(
      async (answer) => ((await (await answer).json()) as { data: unknown[] }).data.length,
    ),
  )
  if (counts.some((count) => count !== POSTS)) throw new Error(`${counts.join(' and ')} posts`)
  const mine: number[] = []
  const its: number[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    its.push(await load(floorUrl))
    mine.push(await load(ourUrl, { headers }))
  }
  floor.close()
  await pool.end()
  compare('calendar of 1,000 posts, all gates', 'req/s', mine, its, '-')
}

/** Measures POST /posts, against a bare insert of the same rows with one commit each. */
async function createPost(
  { url }: Running,
  ann: Person,
  accountId: string,
  headers: Record<string, string>,
): Promise<void> {
  const pool = openPool(database.url, 20, (error) => console.error(error.message))
  const insert = `with saved as (insert into post (workspace_id, id, caption, status, created_by) values ($1, gen_random_uuid(), $2, 'DRAFT', $3) returning workspace_id, id),
    version as (insert into post_version (workspace_id, id, post_id, version, content, saved_by, saved_at)
      select workspace_id, gen_random_uuid(), id, 1, jsonb_build_object('caption', $2::text, 'targets', array[$4::uuid]), $3, now() from saved),
    target as (insert into delivery (workspace_id, id, post_id, account_id, position) select workspace_id, gen_random_uuid(), id, $4, 0 from saved),
    used as (update workspace_usage set used = used + 1 where workspace_id = $1 and quota_id = 'posts')
    insert into audit_entry (workspace_id, id, actor_kind, action, object) select workspace_id, gen_random_uuid(), 'user', 'post.created', '{}' from saved`
  const floor = createServer((_request, response) => {
    pool.query(insert, [ann.workspaceId, 'A post of the bench', ann.session.user.id, accountId]).then(
      () => response.writeHead(201).end('{}'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await sleep(50)
  const floorUrl = `http://127.0.0.1:${(floor.address() as { port: number }).port}`
  // Each post has a different text, as real posts do.
  const body = JSON.stringify({ caption: 'A post of the bench, [<id>]', targets: [accountId] })
  const made = (duration: number) =>
    load(`${url}/posts`, {
      method: 'POST',
      body,
      idReplacement: true,
      headers: { ...headers, 'content-type': 'application/json' },
      duration,
    })
  // Measures a product that has been used for a while, on tables whose rows the database has counted.
  await made(WARM_SECONDS)
  await direct.query('analyze')
  const mine: number[] = []
  const its: number[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    its.push(await load(floorUrl, { method: 'POST' }))
    mine.push(await made(SECONDS))
  }
  floor.close()
  await pool.end()
  compare('create a post (quota, audit, answer)', 'req/s', mine, its, '-')
}

/**
 * Measures 1,000 due posts of 20 workspaces, against a loop that only writes, calls and writes again. Each write is
 * durable.
 */
async function thousandDue(): Promise<void> {
  const POSTS = 1000
  const TURNS = 3
  const worker = await startProduct({ databaseUrl: database.url, dataDir: join(folder, 'product'), env })
  try {
    const people: { person: Person; account: string }[] = []
    for (let i = 0; i < 20; i += 1) {
      const person = await newPerson(worker.url, `Due${i}`)
      const [page] = await connectPages(person, `u${2000 + i}`)
      people.push({ person, account: page!.id })
    }
    const mine: number[] = []
    const its: number[] = []
    for (let turn = 0; turn < TURNS; turn += 1) {
      const dueAt = new Date(Date.now() + 20_000)
      await Promise.all(
        people.map(async ({ person, account }, n) => {
          for (let i = 0; i < POSTS / 20; i += 1) {
            const caption = `due ${turn} ${n} ${i}`
            await person.must<Post>('POST', '/posts', { caption, targets: [account], scheduledAt: dueAt.toISOString() })
          }
        }),
      )
      await sleep(Math.max(0, dueAt.getTime() - Date.now()))
      const ids = people.map(({ person }) => person.workspaceId)
      const done = await eventually(
        async () => {
          const { rows } = await direct.query<{ left: number; last: Date }>(
            "select count(*) filter (where status <> 'PUBLISHED') as left, max(updated_at) as last from post where workspace_id = any ($1) and scheduled_at = $2",
            [ids, dueAt],
          )
          const [found] = rows
          return found && found.left === 0 ? found.last : undefined
        },
        120_000,
        100,
      )
      mine.push(POSTS / ((done.getTime() - dueAt.getTime()) / 1000))
      its.push(await bareLoop({ direct, sandboxUrl: sandbox.url }, database.url, POSTS))
    }
    const live = [...(await liveOn(sandbox.url)).values()]
      .flat()
      .filter((post) => post.message.startsWith('due ')).length
    if (live !== POSTS * TURNS) throw new Error(`${live} of ${POSTS * TURNS} are live`)
    compare('1,000 due posts, from due to live', 'posts/s', mine, its, '>= 0.5')
  } finally {
    await worker.stop()
  }
}

/**
 * Measures 10,000 posts of 1,000 workspaces that are due at once, against the bare loop, and one workspace with 9,000
 * posts next to 99 with 10.
 */
async function tenThousandDue(): Promise<void> {
  const fleet = { direct, sandboxUrl: sandbox.url }
  const worker = await startProduct({ databaseUrl: database.url, dataDir: join(folder, 'product'), env })
  try {
    const even = await drain(
      fleet,
      'fleet',
      Array.from({ length: 1000 }, () => 10),
    )
    const bare = await bareLoop(fleet, database.url, 10_000)
    compare('10,000 due over 1,000 workspaces, from due to live', 'posts/s', [even.perSecond], [bare], '>= 0.5')
    const late = even.late.flat()
    const [early, p99] = [Math.min(...late), percentile(late, 0.99)]
    single('the same: late to PUBLISHING, p99; the earliest', `${round(p99)} ms; ${round(early)} ms`, '<= 5,000; >= 0')
    const unfair = await drain(fleet, 'unfair', [9000, ...Array.from({ length: 99 }, () => 10)])
    const small = unfair.late.slice(1).flat()
    single(
      '9,000 of one beside 99 x 10: late to PUBLISHING, p99 of the small',
      `${round(percentile(small, 0.99))} ms`,
      '<= 2,000',
    )
  } finally {
    await worker.stop()
  }
}

/** Measures the check of one post with three targets before it goes live. */
function oneCheck(): void {
  const targets: TargetAccount[] = PLATFORMS.map((platform) => {
    return { id: platform, platform, name: platform, status: 'CONNECTED', paused: false, missingScopes: [] }
  })
  const draft: PostDraft = {
    caption: `${'Autumn in a cup, every morning from seven. '.repeat(20)} https://example.test/menu @northside`,
    hashtags: ['coffee', 'autumn', 'خريف'],
    cta: 'Come by',
    mediaType: null,
    captionOverrides: { NET_PHOTO: { caption: 'For the photo network' } },
    hashtagOverrides: { NET_PHOTO: Array.from({ length: 25 }, (_, i) => `tag${i}`) },
    platformOptions: { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } },
    scheduledAt: null,
    linkTags: { on: null, campaign: null },
    targets: targets.map(({ id }) => id),
    media: [],
  }
  const times: number[] = []
  for (let i = 0; i < 20_000; i += 1) {
    const started = performance.now()
    check(draft, targets, { publicMedia: true })
    times.push((performance.now() - started) * 1000)
  }
  single(
    'check of a post for three networks: mean; p99',
    `${round(times.reduce((a, b) => a + b) / times.length, 1)} µs; ${round(percentile(times, 0.99), 1)} µs`,
    '<= 1,000',
  )
}

/** Measures the p99 at 10,000 posts of 100 workspaces, and at 1,000,000 posts of 10,000. */
async function hundredTimesAsMuch(): Promise<void> {
  const api = await startProduct({
    databaseUrl: database.url,
    dataDir: join(folder, 'product'),
    env: { ...env, ROLE: 'api' },
  })
  try {
    const ann = await newPerson(api.url)
    await grow(direct, 100, ann)
    const few = await measure(direct, database.url, ann)
    await grow(direct, 10_000, ann)
    const many = await measure(direct, database.url, ann)
    for (const what of ['list', 'calendar', 'claim'] as const) {
      const [ours, floor] = [`${round(many[what], 1)} ms`, `${round(few[what], 1)} ms`]
      const ratio = round(many[what] / few[what], 2)
      table.push({ what: `${what}, p99: 1,000,000 posts against 10,000`, ours, floor, ratio, aim: '<= 2' })
    }
  } finally {
    await api.stop()
  }
}

/**
 * Measures 300 due posts, a third on each network: a text, a picture and a video. The baseline uses the same adapters
 * in a loop that writes before and after, each write durable. Both include the time that the networks take to process.
 */
async function dueOnThree(): Promise<void> {
  const PEOPLE = 50
  const EACH = 2
  const TURNS = 3
  const SCALE = 20
  const networks = await startSandbox({ env: { TIME_SCALE: String(SCALE) } })
  const running = await startProduct({
    databaseUrl: database.url,
    dataDir: join(folder, 'product'),
    env: {
      ...env,
      NODE_ENV: 'test',
      TIME_SCALE: String(SCALE),
      NET_PAGE_GRAPH_URL: `${networks.url}/graph`,
      NET_PAGE_DIALOG_URL: `${networks.url}/dialog`,
      NET_VIDEO_API_URL: `${networks.url}/video`,
      NET_VIDEO_AUTH_URL: `${networks.url}/video-auth`,
    },
  })
  const [shown, played] = [await picture(640, 640), await video()]
  const host = await startHost({ '/a.jpg': { body: shown } })
  const pool = openPool(database.url, 20, (error) => console.error(error.message))
  try {
    const adapters = openNetworks(networks.url, SCALE)
    const media = { NET_PAGE: [], NET_PHOTO: [asPicture('a', `${host.url}/a.jpg`)], NET_VIDEO: [asVideo(played)] }
    const authors: { person: Person; targets: Record<Platform, string>; media: Record<Platform, string[]> }[] = []
    const granted = { NET_PAGE: [], NET_PHOTO: [], NET_VIDEO: [] } as Record<
      Platform,
      Awaited<ReturnType<typeof grant>>[]
    >
    for (let i = 0; i < PEOPLE; i += 1) {
      const first = authors[i - (i % 10)]
      const person = first?.person ?? (await newPerson(running.url, `Three${i}`))
      const files = first?.media ?? {
        NET_PAGE: [],
        NET_PHOTO: [(await uploadPicture(person, shown)).id],
        NET_VIDEO: [(await uploadVideo(person, played)).id],
      }
      const targets = {} as Record<Platform, string>
      for (const network of PLATFORMS) {
        const found = await connect(person, network, `u${6000 + i}`)
        targets[network] = found.find(({ externalId }) => externalId.includes(`00${6000 + i}`))!.id
        granted[network].push(await grant(adapters[network], `u${7000 + i}`))
      }
      authors.push({ person, targets, media: files })
    }
    await direct.query('create table bare_three (name text primary key, state text)')
    const floor = async (turn: number) => {
      const queue = PLATFORMS.flatMap((network) =>
        Array.from({ length: PEOPLE * EACH }, (_, i) => ({ network, i, name: `bare ${turn} ${network} ${i}` })),
      ).toSorted((a, b) => a.i - b.i)
      await direct.query("insert into bare_three select n, 'DUE' from unnest($1::text[]) n", [
        queue.map(({ name }) => name),
      ])
      const started = performance.now()
      const lane = async () => {
        for (let next = queue.shift(); next; next = queue.shift()) {
          const { network, i, name } = next
          await pool.query("update bare_three set state = 'SENT' where name = $1", [name])
          const step = newStep(granted[network][i % PEOPLE]!, name, media[network])
          await publishUnchecked(adapters[network], step, SCALE)
          await pool.query("update bare_three set state = 'LIVE' where name = $1", [name])
        }
      }
      await Promise.all(Array.from({ length: 100 }, lane))
      return (PEOPLE * EACH * 3) / ((performance.now() - started) / 1000)
    }
    const mine: number[] = []
    const its: number[] = []
    for (let turn = 0; turn < TURNS; turn += 1) {
      const dueAt = new Date(Date.now() + 10_000)
      await Promise.all(
        authors.map(async ({ person, targets, media: files }, n) => {
          for (let i = 0; i < EACH * 3; i += 1) {
            const network = PLATFORMS[i % 3]!
            await person.must<Post>('POST', '/posts', {
              caption: `three ${turn} ${n} ${i}`,
              targets: [targets[network]],
              media: files[network],
              platformOptions: { NET_VIDEO: { privacyLevel: 'MUTUAL_FOLLOW_FRIENDS', consent: true } },
              scheduledAt: dueAt.toISOString(),
            })
          }
        }),
      )
      await sleep(Math.max(0, dueAt.getTime() - Date.now()))
      const done = await eventually(
        async () => {
          const { rows } = await direct.query<{ left: number; last: Date }>(
            "select (count(*) filter (where status <> 'PUBLISHED'))::int as left, max(updated_at) as last from post where scheduled_at = $1 and caption like 'three %'",
            [dueAt],
          )
          return rows[0]?.left === 0 ? rows[0].last : undefined
        },
        120_000,
        50,
      )
      mine.push((PEOPLE * EACH * 3) / ((done.getTime() - dueAt.getTime()) / 1000))
      its.push(await floor(turn))
    }
    compare('300 due posts on three networks, from due to live', 'posts/s', mine, its, '-')
  } finally {
    await pool.end()
    await host.close()
    await running.stop()
    await networks.stop()
  }
}

/** Measures the CPU time of a start, against one without AI. */
async function startsBesideThoseWithoutAi(): Promise<void> {
  const own = await startEmbedded({ dataDir: join(folder, 'starts-database') })
  const pairs = await startsOfAi(
    { NODE_ENV: 'development', SANDBOX: 'off', DATABASE_URL: own.url, DATA_DIR: join(folder, 'starts') },
    60,
  ).finally(() => own.stop())
  table.push({
    what: 'computing at a start, beside one without AI: median of 60',
    ours: `${round(median(pairs.map(({ whole }) => whole)))} ms`,
    floor: `${round(median(pairs.map(({ without }) => without)))} ms`,
    ratio: `${round(median(pairs.map(({ whole, without }) => whole - without)))} ms more`,
    aim: '<= 20 ms more',
  })
}

/**
 * Measures what a caption costs beyond the call of the model: sign-in, reservation of credits, queue, checks, ranking,
 * charge and history. The model answers at once. Both are measured alternately.
 */
async function captionsBesideTheModel(): Promise<void> {
  const CALLS = 1_000
  const texts = [
    'Fresh bread is here, and it is still warm.',
    'Have you tried our sourdough from the wood oven?',
    'Six in the morning: the first loaves leave the oven.',
  ]
  const answer = JSON.stringify({ items: texts.map((text) => ({ text, hashtags: [], cta: null })) })
  const chunk = (choices: object[], more: object = {}) => `data: ${JSON.stringify({ id: 'c', choices, ...more })}\n\n`
  const events = [
    chunk([{ index: 0, delta: { role: 'assistant', content: answer }, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage: { prompt_tokens: 100, completion_tokens: 60 } }),
    'data: [DONE]\n\n',
  ].join('')
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const running = await startProduct({
    databaseUrl: database.url,
    dataDir: join(folder, 'captions'),
    env: { ...env, AI_BASE_URL: address, AI_CALLS_PER_MINUTE: '1000000' },
  })
  try {
    const ann = await newPerson(running.url)
    await direct.query("update plan_quota set amount = null where quota_id in ('ai_credits', 'ai_generations')")
    const named = { apiKey: undefined, model: 'm', imageModel: '' }
    const model = createModel({ provider: 'openai-compatible', baseUrl: () => address, ...named })
    const brief = briefOf('caption', BREAD, { workspace: { language: 'en', niche: '' }, voice: null, media: [] })
    const ask = {
      system: systemOf('caption'),
      prompt: JSON.stringify(brief),
      item: items.caption,
      most: 5,
      maxTokens: tokensOf(brief),
    }
    const alone = () => model.items({ ...ask, signal: AbortSignal.timeout(10_000) }, () => {})
    const whole = () => ann.must<{ options: unknown[] }>('POST', '/ai/caption/generate', BREAD)
    const timed = async (run: () => Promise<unknown>) => {
      const began = performance.now()
      await run()
      return performance.now() - began
    }
    const first = await timed(alone)
    if ((await whole()).options.length !== texts.length) throw new Error('not all options were passed on')
    for (let warm = 0; warm < 50; warm += 1) await whole()
    const [ours, floor]: [number[], number[]] = [[], []]
    for (let call = 0; call < CALLS; call += 1) {
      floor.push(await timed(alone))
      ours.push(await timed(whole))
    }
    const more = ours.map((each, at) => each - (floor[at] as number))
    const [p50, p99] = [percentile(more, 0.5), percentile(more, 0.99)]
    table.push({
      what: `POST /ai/caption/generate, p50 and p99 of ${CALLS}`,
      ours: `${round(percentile(ours, 0.5), 1)}, ${round(percentile(ours, 0.99), 1)} ms`,
      floor: `${round(percentile(floor, 0.5), 1)}, ${round(percentile(floor, 0.99), 1)} ms`,
      ratio: `${round(p50, 1)}, ${round(p99, 1)} ms more`,
      aim: '<= 10, 50 ms more',
    })
    single('first call of a model, with its library loaded', `${round(first)} ms`, '')
  } finally {
    await running.stop()
    await new Promise((done) => server.close(done))
  }
}

/**
 * Measures the p99 of list, open and search at 100,000 messages and at a hundred times as many, alternately. A tenth of
 * the messages belong to one workspace.
 */
async function inboxAtSize(): Promise<void> {
  const sizes = [100_000, Number(process.env.INBOX_MESSAGES ?? 10_000_000)]
  await sideBySide(sizes, 'inbox', async (sides) => {
    for (const { person, direct: own, size } of sides) {
      const [page] = await connectPages(person, 'u3900')
      await growInbox(own, person, page!.id, size)
    }
    // Write the new rows to disk now, so that this does not happen during the measurement.
    await direct.query('checkpoint')
    const costs: InboxCost[][] = sides.map(() => [])
    for (let turn = 0; turn < INBOX_ROUNDS; turn += 1)
      for (const [index, { person, size }] of sides.entries())
        costs[index]!.push(await measureInbox(person, size / 100))
    for (const what of ['list', 'open', 'search'] as const) {
      const [few, many] = costs.map((side) => side.map((cost) => cost[what]))
      compare(`${what} threads, p99: ${sizes[1]} messages against ${sizes[0]}`, 'ms', many!, few!, '<= 2')
    }
  })
}

/** Measures how fast the product stores readings of posts, against a bare upsert of the same rows. */
async function readingsStored(): Promise<void> {
  await migrate(database.url, join(import.meta.dirname, '..', '..', 'migrations'))
  const { ours, floor } = await readingsASecond(database.url, ROUNDS)
  compare('readings of posts stored, 100 in a list', 'readings/s', ours, floor, '>= 0.5')
}

/** Measures how late posts are while figures are read without pause, against the same posts without readings. */
async function lateBesideReadings(): Promise<void> {
  const worker = await startProduct({ databaseUrl: database.url, dataDir: join(folder, 'product'), env })
  try {
    const { without, withReadings, perSecond } = await latenessBesideReadings(
      { direct, sandboxUrl: sandbox.url },
      ROUNDS,
    )
    for (const [way, what] of [
      ['begun', 'late to PUBLISHING'],
      ['live', 'late to live'],
    ] as const) {
      const [ours, floor] = [withReadings, without].map((rounds) => rounds.map((late) => late[way]))
      compare(`due posts beside readings of figures: ${what}, p99`, 'ms', ours!, floor!, '<= 1.3')
    }
    single('readings of accounts beside them', `${round(median(perSecond), 1)} a second`, '')
  } finally {
    await worker.stop()
  }
}

/**
 * Measures the p99 of each analytics screen at 100,000 readings of posts and at a hundred times as many, alternately.
 */
async function figuresAtSize(): Promise<void> {
  const sizes = [100_000, Number(process.env.METRIC_ROWS ?? 10_000_000)]
  await sideBySide(sizes, 'metrics', async (sides) => {
    const readings: number[] = []
    for (const { person, direct: own, size } of sides)
      readings.push(await growMetrics(own, person, Math.ceil(size / READINGS_OF_ONE)))
    const [few, many] = await measureFigures(sides)
    for (const screen of FIGURE_SCREENS) {
      const [ours, floor] = [`${round(many![screen], 1)} ms`, `${round(few![screen], 1)} ms`]
      const ratio = round(many![screen] / few![screen], 2)
      table.push({
        what: `${screen} of figures, p99: ${readings[1]} readings against ${readings[0]}`,
        ours,
        floor,
        ratio,
        aim: '<= 2',
      })
    }
  })
}

/** A product with a separate database, which grows to `size`. */
interface Side {
  person: Person
  direct: pg.Client
  size: number
}

/**
 * Measures products of several sizes that run at the same time, each with a separate database. Stops them afterwards.
 */
async function sideBySide(sizes: number[], what: string, measure: (sides: Side[]) => Promise<void>): Promise<void> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    const sides: Side[] = []
    for (const size of sizes) {
      const name = `${what}_${size}`
      await direct.query(`create database ${name}`)
      ends.push(() => direct.query(`drop database ${name}`))
      const address = new URL(database.url)
      address.pathname = `/${name}`
      const api = await startProduct({
        databaseUrl: address.toString(),
        dataDir: join(folder, name),
        env: { ...env, ROLE: 'api' },
      })
      ends.push(() => api.stop())
      const own = new pg.Client({ connectionString: address.toString() })
      await own.connect()
      ends.push(() => own.end())
      sides.push({ person: await newPerson(api.url, what), direct: own, size })
    }
    await measure(sides)
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

/** Measures how long ordinary files wait while another workspace sends files that are slow or made to do harm. */
async function filesBesideHarm(): Promise<void> {
  product = await startProduct({ databaseUrl: database.url, dataDir: join(folder, 'media'), env })
  const { alone, beside, harmful } = await waitsBesideHarm(product.url)
  await product.stop()
  product = undefined
  const line = (what: string, kind: 'pictures' | 'videos', aim: string) => {
    const [ours, floor] = [percentile(beside[kind], 95), percentile(alone[kind], 95)]
    table.push({
      what,
      ours: `${round(ours)} ms`,
      floor: `${round(floor)} ms`,
      ratio: round(ours / floor, 2),
      aim,
    })
  }
  line(
    `a picture beside ${harmful} harmful files of another workspace until it is processed, p95`,
    'pictures',
    '<= 2 s',
  )
  line('a video beside them, p95', 'videos', 'one turn of 10 s more')
}

/**
 * Measures events of networks until they are acknowledged, which happens when they are stored. The baseline is a bare
 * server that verifies the same signature and inserts the same rows. The last p99 is that of a product which also
 * applies the events.
 */
async function acknowledged(): Promise<void> {
  const ours = (role: string) =>
    startProduct({ databaseUrl: database.url, dataDir: join(folder, 'ingest'), env: { ...env, ROLE: role } })
  product = await ours('api')
  const page = await pageOf(product.url)
  const address = `${product.url}/webhooks/NET_PAGE`
  const floor = await bareReceiver(direct, database.url, page)
  const mine: number[] = []
  const its: number[] = []
  try {
    await eventsASecond(address, page)
    for (let i = 0; i < ROUNDS; i += 1) {
      its.push(await eventsASecond(floor.url, page))
      mine.push(await eventsASecond(address, page))
    }
    compare('events of a network acknowledged', 'events/s', mine, its, '>= 0.8')
    const bare = await p99At(floor.url, page, 500, 10)
    const alone = await p99At(address, page, 500, 10)
    table.push({
      what: 'the same at 500 a second, p99',
      ours: `${round(alone)} ms`,
      floor: `${round(bare)} ms`,
      ratio: round(alone / bare, 2),
      aim: '<= 100 ms',
    })
  } finally {
    await floor.close()
    await product.stop()
    product = undefined
  }
  await direct.query('truncate inbound_event')
  product = await ours('all')
  const applying = `${product.url}/webhooks/NET_PAGE`
  // A process is slow just after its start, with or without events to apply.
  await p99At(applying, page, 100, 3)
  single(
    'the same while the process applies them, p99',
    `${round(await p99At(applying, page, 500, 20))} ms`,
    '<= 100 ms',
  )
  await product.stop()
  product = undefined
}

/**
 * Measures the time from a customer's message until the bot has decided to send its reply. The baseline is what a reply
 * needs in any case: both calls of a model that answers at once, and the database's time for its statements, measured
 * on the line to it.
 */
async function repliesOfTheBot(): Promise<void> {
  const model = await instantModel()
  const meter = statementMeter()
  const line = await tappedLine(database.url, meter.onPacket, meter.onAnswer)
  const { NET_PAGE_GRAPH_URL: _, NET_PAGE_DIALOG_URL: __, ...own } = env
  const ownModel = {
    AI_BASE_URL: model.address,
    AI_CALLS_PER_MINUTE: '1000000',
    CLASSIFICATIONS_PER_MINUTE: '1000000',
    NETWORK_CALLS_PER_HOUR: '100000',
  }
  try {
    product = await startProduct({ databaseUrl: line.url, dataDir: join(folder, 'bot'), env: { ...own, ...ownModel } })
    await direct.query("update plan_quota set amount = null where quota_id in ('ai_credits', 'ai_generations')")
    const where = { ann: await newPerson(product.url), databaseUrl: database.url, sandboxUrl: `${product.url}/sandbox` }
    const replies = await repliesBesideTheirParts(where, model, meter, 300)
    const both = (values: readonly number[]) =>
      [0.5, 0.99].map((share) => round(percentile(values, share), 1)).join(', ')
    const more = (floorOf: (reply: (typeof replies)[number]) => number) =>
      `${both(replies.map((reply) => reply.took - floorOf(reply)))} ms more`
    const ours = `${both(replies.map(({ took }) => took))} ms`
    table.push({
      what: `a reply of the bot until it is decided, p50 and p99 of ${replies.length}`,
      ours,
      floor: `${both(replies.map((reply) => reply.model + reply.database))} ms`,
      ratio: more((reply) => reply.model + reply.database),
      aim: '<= 15, 50 ms more',
    })
    table.push({
      what: 'the same, against its model alone',
      ours,
      floor: `${both(replies.map((reply) => reply.model))} ms`,
      ratio: more((reply) => reply.model),
      aim: '',
    })
    const trips = replies.map((reply) => reply.trips)
    single('the same: trips to the database, median and most', `${median(trips)}, ${Math.max(...trips)}`, '<= 12')
  } finally {
    await product?.stop()
    product = undefined
    await line.close()
    await model.close()
  }
}

/** Measures the first start and a warm start until the first healthy answer, and the memory of an idle process. */
async function startsAndMemory(): Promise<void> {
  const resident = (pid: number) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  for (const mode of ['on', 'off'] as const) {
    const dataDir = join(folder, `start-${mode}`)
    const begin = async () => {
      const started = performance.now()
      const running = await startProduct({ dataDir, env: { NODE_ENV: 'development', SANDBOX: mode } })
      const healthy = await fetch(`${running.url}/api/v1/health`)
      if (!healthy.ok) throw new Error('not healthy')
      return { running, seconds: (performance.now() - started) / 1000 }
    }
    const first = await begin()
    await first.running.stop()
    const warm: number[] = []
    let idle = 0
    for (let i = 0; i < 3; i += 1) {
      const again = await begin()
      warm.push(again.seconds)
      if (i === 2) {
        await sleep(8_000)
        idle = resident(again.running.pid)
      }
      await again.running.stop()
    }
    const label = mode === 'on' ? 'with the sandbox' : 'without it'
    if (mode === 'on') {
      table.push({
        what: 'first start, empty data directory',
        ours: `${round(first.seconds, 1)} s`,
        floor: '-',
        ratio: '-',
        aim: '<= 8 s',
      })
      table.push({
        what: 'warm start to the first healthy answer',
        ours: `${round(median(warm), 1)} s`,
        floor: '-',
        ratio: '-',
        aim: '<= 2.5 s',
      })
    }
    table.push({
      what: `resident when idle, ${label}`,
      ours: `${round(idle)} MB`,
      floor: '-',
      ratio: '-',
      aim: '<= 120 MB',
    })
  }
}
