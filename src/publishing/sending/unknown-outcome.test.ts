import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { emptyDatabase } from '../../../test/database.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import { long, sized } from '../../../test/tier.ts'
import { video } from '../../../test/video.ts'
import {
  addFault,
  asPerson,
  call,
  connect,
  connectPages,
  eventually,
  liveOn,
  newPerson,
  type Person,
  picture,
  skipWait,
  uploadPicture,
  uploadVideo,
  untilSentAgain,
  untilStatus,
  graphError,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import { backup } from '../../core/platform/backup/backup.ts'
import type { Post } from '../posts/api.ts'
import type { Workspace } from '../../team/workspaces/api.ts'

/** The list in which a lost answer is looked for, as opposed to the one that metrics use. */
const READ_BACK = '/published_posts\\?.*limit=100'

// What goes wrong apart from the network: in this service, too late, in a second workspace, or for days.

const { product, sandbox, sql, database } = useProduct({ env: { TIME_SCALE: '20' }, own: true })
let users = 700

beforeEach(() => call(sandbox.url, 'DELETE', '/faults'))

const somebody = () => `u${(users += 1)}`
const options = { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } }
const publish = (ann: Person, body: object) =>
  ann.must<Post>('POST', '/posts', { platformOptions: options, ...body, action: 'publish' })
const liveTexts = async (account: SocialAccount) =>
  ((await liveOn(sandbox.url)).get(account.externalId) ?? []).map(({ message }) => message)
const statusOf = async (ann: Person, { id }: SocialAccount) =>
  (await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')).data.find((each) => each.id === id)?.status

interface Row {
  state: string
  phase: string | null
  fence: number
  tries: number
  failures: number
  absentReads: number
  waitReason: string | null
  due: boolean
  handles: object
  error: { code: string } | null
}

const rowOf = async ({ id }: Post) => {
  const { rows } = await sql.query<Row>(
    `select state, phase, fence, tries, failures, absent_reads as "absentReads", wait_reason as "waitReason", next_at <= app_now() as due, handles, error
       from publication where post_id = $1 order by position`,
    [id],
  )
  return rows[0] as Row
}

describe('a failure of this service', () => {
  test('is a failure like any other: before the intent a few retries follow, then an error', async () => {
    const ann = await newPerson(product.url)
    const [page] = await connectPages(ann, somebody())
    await sql.query("update social_account set access_token = 'v1.0.0.0.0' where id = $1", [page!.id])
    const post = await publish(ann, { caption: 'sealed with a key that is gone', targets: [page!.id] })
    expect(await eventually(async () => (await rowOf(post)).failures > 0 && rowOf(post))).toMatchObject({
      state: 'PENDING',
      waitReason: 'backoff',
    })
    await sql.query('update publication set failures = 4, next_at = app_now() where post_id = $1', [post.id])
    const failed = await untilStatus(ann, post.id, ['FAILED'])
    expect(failed.publications[0]?.error).toMatchObject({ code: 'config', who: 'operator' })
    expect(await liveTexts(page!)).toEqual([])
  })

  test('while a lost answer is read back proves nothing: reads go on, until a person decides', async () => {
    const ann = await newPerson(product.url)
    const [page] = await connectPages(ann, somebody())
    await addFault(sandbox.url, { match: { method: 'POST', path: '/feed' }, do: { drop: 'after' }, times: 1 })
    await addFault(sandbox.url, { match: { path: READ_BACK }, do: { drop: 'before' }, times: 1 })
    const post = await publish(ann, { caption: 'not to be read', targets: [page!.id] })
    await eventually(async () => (await rowOf(post)).state === 'SUBMITTING')
    await sql.query("update social_account set access_token = 'v1.0.0.0.0' where id = $1", [page!.id])
    await eventually(async () => {
      await skipWait(sql, post.id)
      return (await rowOf(post)).fence >= 6
    })
    const reads = (await rowOf(post)).fence
    await sql.query("update publication set intent_at = intent_at - interval '3 minutes' where post_id = $1", [post.id])
    await untilSentAgain(sql, ann, post.id)
    const { state, tries, fence } = await rowOf(post)
    expect([state, tries, fence > reads]).toEqual(['UNCONFIRMED', 1, true])
    expect(await liveTexts(page!)).toEqual(['not to be read'])
  })

  test('on one post does not hold up other missed or due posts', async () => {
    const ann = await newPerson(product.url)
    const [page] = await connectPages(ann, somebody())
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const [broken, missed] = [
      await ann.must<Post>('POST', '/posts', { caption: 'broken', targets: [page!.id], scheduledAt: later }),
      await ann.must<Post>('POST', '/posts', { caption: 'missed', targets: [page!.id], scheduledAt: later }),
    ]
    await sql.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
      create trigger broken before update of status on post for each row when (old.id = '${broken.id}') execute function refuse()`)
    try {
      await sql.query(
        `update post set scheduled_at = scheduled_at - interval '3 days' where id in ('${broken.id}', '${missed.id}');
         update publication set due_at = due_at - interval '3 days', next_at = next_at - interval '3 days' - case post_id
           when '${broken.id}' then interval '1 minute' else '0' end where post_id in ('${broken.id}', '${missed.id}')`,
      )
      await untilStatus(ann, missed.id, ['FAILED'], 5_000)
      const now = await publish(ann, { caption: 'due now', targets: [page!.id] })
      await untilStatus(ann, now.id, ['PUBLISHED'], 5_000)
      expect((await ann.must<Post>('GET', `/posts/${broken.id}`)).status).toBe('SCHEDULED')
    } finally {
      await sql.query('drop function refuse() cascade')
    }
    expect((await untilStatus(ann, broken.id, ['FAILED'])).publications[0]?.error?.code).toBe('missed')
    expect(await liveTexts(page!)).toEqual(['due now'])
  })
})

describe('a failing server that blames the token', () => {
  const blaming = [
    ['NET_PAGE', '/feed', graphError({ message: 'Session has expired', code: 190 })],
    [
      'NET_VIDEO',
      '/content/init',
      { data: {}, error: { code: 'access_token_invalid', message: 'Not valid.', log_id: 'x' } },
    ],
  ] as const
  test.each(long ? blaming : blaming.slice(1))(
    'leaves the outcome unknown on %s: the post is looked for, not sent again with another token',
    async (network, path, body) => {
      const ann = await newPerson(product.url)
      const [account] = await connect(ann, network, somebody())
      const media = network === 'NET_VIDEO' ? [(await uploadPicture(ann, await picture(720, 720))).id] : []
      await addFault(sandbox.url, {
        match: { method: 'POST', path },
        do: { status: 500, body, after: true },
        times: 1,
      })
      const post = await publish(ann, { caption: `blamed on ${network}`, targets: [account!.id], media })
      await untilStatus(ann, post.id, ['PUBLISHED'])
      expect((await rowOf(post)).tries).toBe(1)
      expect(await liveTexts(account!)).toHaveLength(1)
    },
  )
})

test('a slow read counts from its beginning: begun before 180 s it proves no absence', async () => {
  const ann = await newPerson(product.url)
  const [page] = await connectPages(ann, somebody())
  await addFault(sandbox.url, { match: { path: '/published_posts' }, do: { delayMs: 30_000 } })
  // A machine that stalls may begin a read later than planned. If reads counted from their end, none would count as
  // early.
  const absentReads: number[] = []
  while (absentReads.length < 3 && !absentReads.includes(0)) {
    await addFault(sandbox.url, { match: { method: 'POST', path: '/feed' }, do: { drop: 'before' }, times: 1 })
    const post = await publish(ann, { caption: `read slowly ${absentReads.length}`, targets: [page!.id] })
    await eventually(
      async () => {
        const { rowCount } = await sql.query(
          `update publication set intent_at = app_now() - interval '8.3 seconds', next_at = app_now(), fence = 100
         where post_id = $1 and state = 'SUBMITTING' and lease_until is null and turn is null`,
          [post.id],
        )
        return rowCount === 1
      },
      120_000,
      5,
    )
    const read = await eventually(
      async () => {
        const row = await rowOf(post)
        return row.fence >= 102 && row
      },
      120_000,
      5,
    )
    absentReads.push(read.absentReads)
  }
  expect(absentReads).toContain(0)
})

test('a restored backup sends nothing that went out after it: publishing is paused until a person resumes it', async () => {
  const ann = await newPerson(product.url)
  const pages = await connectPages(ann, somebody())
  const scheduledAt = new Date(Date.now() + 3_000).toISOString()
  const post = await ann.must<Post>('POST', '/posts', { caption: 'once', targets: [pages[0]!.id], scheduledAt })
  const file = join(product.dataDir, 'parley.tar')
  await backup({ url: database.url, file, mediaDir: join(product.dataDir, 'media') })
  await untilStatus(ann, post.id, ['PUBLISHED'])

  const to = await emptyDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const graph = { NET_PAGE_GRAPH_URL: `${sandbox.url}/graph`, NET_PAGE_DIALOG_URL: `${sandbox.url}/dialog` }
  let other: Running | undefined
  try {
    const { stdout } = await promisify(execFile)('npm', ['run', 'restore', '--', file], {
      env: { ...process.env, DATABASE_URL: to.url, DATA_DIR: dataDir },
    })
    expect(stdout).toContain('Publishing is paused in every workspace')
    await copyFile(join(product.dataDir, 'secrets.json'), join(dataDir, 'secrets.json'))
    other = await startProduct({ databaseUrl: to.url, dataDir, env: { TIME_SCALE: '20', ...graph } })
    const back = asPerson(other.url, ann.session)
    const path = `/workspaces/${ann.workspaceId}`
    const { publishing, bot } = await back.must<Workspace>('GET', path)
    expect(publishing).toMatchObject({ paused: true, reason: 'restored_from_backup' })
    expect(bot).toMatchObject({ paused: true, reason: 'restored_from_backup' })
    const later = await publish(back, { caption: 'later', targets: [pages[1]!.id] })
    // A post of another workspace goes out after anything that this one would have sent.
    const bob = await newPerson(other.url, 'Bob')
    const [page] = await connectPages(bob, somebody())
    await untilStatus(bob, (await publish(bob, { caption: 'not paused', targets: [page!.id] })).id, ['PUBLISHED'])
    expect((await back.must<Post>('GET', `/posts/${post.id}`)).status).toBe('SCHEDULED')
    expect([...(await liveTexts(pages[0]!)), ...(await liveTexts(pages[1]!))]).toEqual(['once'])
    await back.must('POST', `/posts/${post.id}/cancel`)
    const resumed = await back.must<Workspace>('PATCH', path, { publishing: { paused: false } })
    expect(resumed.publishing).toMatchObject({ paused: false, reason: null })
    await untilStatus(back, later.id, ['PUBLISHED'])
    expect(await liveTexts(pages[0]!)).toEqual(['once'])
  } finally {
    await other?.stop()
    await to.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test("with the same page in two workspaces, neither takes the other's post for its own", async () => {
  const people = [await newPerson(product.url), await newPerson(product.url, 'Bob')]
  const user = somebody()
  const [mine] = await connectPages(people[0]!, user)
  const theirs = (await connectPages(people[1]!, user)).find(({ externalId }) => externalId === mine!.externalId)
  const path = `${mine!.externalId}/feed`
  await addFault(sandbox.url, { match: { method: 'POST', path }, do: { drop: 'before' }, times: 1 })
  const lost = await publish(people[0]!, { caption: 'Open today', targets: [mine!.id] })
  await eventually(async () => (await rowOf(lost)).state === 'SUBMITTING')
  // The post is sent and shown by the network, but not answered yet. Until then it may belong to either workspace.
  await addFault(sandbox.url, { match: { method: 'POST', path }, do: { delayMs: 100_000, after: true }, times: 1 })
  const sent = await publish(people[1]!, { caption: 'Open today', targets: [theirs!.id] })
  await eventually(async () => (await liveTexts(mine!)).length === 1)
  const { fence } = await rowOf(lost)
  await sql.query('update publication set next_at = app_now() where post_id = $1 and lease_until is null', [lost.id])
  await eventually(async () => (await rowOf(lost)).fence >= fence + 2)
  expect((await rowOf(lost)).state).toBe('SUBMITTING')
  const post = await untilStatus(people[1]!, sent.id, ['PUBLISHED'])
  await sql.query("update publication set intent_at = intent_at - interval '9 seconds' where post_id = $1", [lost.id])
  expect(await eventually(async () => (await rowOf(lost)).state === 'PENDING' && rowOf(lost))).toMatchObject({
    waitReason: 'backoff',
  })
  expect(post.publications[0]).toMatchObject({ state: 'PUBLISHED', attempts: 1 })
})

test('a duplicate that the network names is found, even after a person has retried', async () => {
  const ann = await newPerson(product.url)
  const [page] = await connectPages(ann, somebody())
  const id = page!.externalId
  await addFault(sandbox.url, { match: { method: 'POST', path: `${id}/feed` }, do: { drop: 'after' }, times: 1 })
  await addFault(sandbox.url, { match: { path: `${id}/published_posts` }, do: { status: 200, body: { data: [] } } })
  const post = await publish(ann, { caption: 'late in the list', targets: [page!.id] })
  await eventually(async () => (await rowOf(post)).state === 'SUBMITTING')
  await sql.query(
    "update publication set intent_at = intent_at - interval '9 seconds', failures = 4 where post_id = $1",
    [post.id],
  )
  await untilSentAgain(sql, ann, post.id)
  await call(sandbox.url, 'DELETE', '/faults')
  await sql.query("update app_clock set shift = shift + interval '5 minutes'")
  await call(sandbox.url, 'POST', '/clock', { advanceMs: 300_000 })
  await ann.must('POST', `/posts/${post.id}/retry`)
  expect((await untilStatus(ann, post.id, ['PUBLISHED'])).publications[0]?.error).toBeNull()
  expect(await liveTexts(page!)).toEqual(['late in the list'])
})

test.runIf(long)(
  'a live post whose id another delivery has just taken is read again after a lease, at the pace of all waits',
  async () => {
    const ann = await newPerson(product.url)
    const [page] = await connectPages(ann, somebody())
    const id = page!.externalId
    await addFault(sandbox.url, { match: { method: 'POST', path: `${id}/feed` }, do: { drop: 'after' }, times: 1 })
    await addFault(sandbox.url, { match: { path: `${id}/published_posts` }, do: { status: 503 } })
    const post = await publish(ann, { caption: 'taken', targets: [page!.id] })
    const live = await eventually(async () => (await liveOn(sandbox.url)).get(id)?.[0])
    const taken = randomUUID()
    await sql.query(
      `insert into delivery (workspace_id, id, kind, post_id, account_id, position, after_id, content, state, external_id, published_at)
     select workspace_id, $2, 'comment', post_id, account_id, 0, id, '{}', 'PUBLISHED', $3, app_now() from delivery
     where post_id = $1`,
      [post.id, taken, live.id],
    )
    await call(sandbox.url, 'DELETE', '/faults')
    const { fence } = await rowOf(post)
    // Each read claims the target and settles it, so at least one read has met the other delivery and one came after it.
    await eventually(async () => (await rowOf(post)).fence >= fence + 5, 30_000)
    await sql.query('delete from delivery where id = $1', [taken])
    await untilStatus(ann, post.id, ['PUBLISHED'])
  },
)

test('slow calls do not lose the lease, so no other worker starts the same step', async () => {
  const ann = await newPerson(product.url)
  const [clips] = await connect(ann, 'NET_VIDEO', somebody())
  const file = await uploadVideo(ann, await video())
  await addFault(sandbox.url, { match: { path: '/creator_info/' }, do: { delayMs: 36_000 } })
  await addFault(sandbox.url, { match: { path: '/video/init/' }, do: { delayMs: 36_000 } })
  // A lease of 3 s can expire on a machine that stalls that long. Without renewal it expires every time.
  const kept: boolean[] = []
  while (kept.length < 3 && !kept.includes(true)) {
    const post = await publish(ann, { caption: `slow ${kept.length}`, targets: [clips!.id], media: [file.id] })
    await eventually(async () => (await rowOf(post)).state === 'PREPARING')
    const { fence } = await rowOf(post)
    const begun = await eventually(async () => {
      const row = await rowOf(post)
      return (Object.keys(row.handles).length > 0 || row.fence !== fence) && row
    })
    kept.push(begun.fence === fence)
    await untilStatus(ann, post.id, ['PUBLISHED'])
  }
  expect(kept).toContain(true)
})

test('a day after its time a post under way is not sent, unless the network delayed it', async () => {
  const ann = await newPerson(product.url)
  const pages = await connectPages(ann, somebody())
  const pause = (at: string) =>
    sql.query(`update workspace set publishing_paused_at = ${at} where id = $1`, [ann.workspaceId])
  await pause('now()')
  const [missed, delayed] = [
    await publish(ann, { caption: 'Only today: cake', targets: [pages[0]!.id] }),
    await publish(ann, { caption: 'One of very many', targets: [pages[1]!.id] }),
  ]
  const dayLater = `update publication set due_at = due_at - interval '25 hours', wait_reason = $2
    where post_id = $1 and state = 'PENDING'`
  expect((await sql.query(dayLater, [missed.id, 'backoff'])).rowCount).toBe(1)
  expect((await sql.query(dayLater, [delayed.id, 'limit'])).rowCount).toBe(1)
  await pause('null')
  await untilStatus(ann, delayed.id, ['PUBLISHED'])
  expect((await untilStatus(ann, missed.id, ['FAILED'])).publications[0]?.error?.code).toBe('missed')
  expect(await liveTexts(pages[0]!)).toEqual([])
  await ann.must('POST', `/posts/${missed.id}/retry`)
  await untilStatus(ann, missed.id, ['PUBLISHED'])
})

describe('a refused token', () => {
  const refused = { delayMs: 30_000, status: 400, body: graphError({ code: 190, message: 'expired' }) }

  test('says nothing about an account that has been reconnected since', async () => {
    const sent = async () => {
      const ann = await newPerson(product.url)
      const user = somebody()
      const [page] = await connectPages(ann, user)
      await addFault(sandbox.url, {
        match: { method: 'POST', path: `${page!.externalId}/feed` },
        do: refused,
        times: 1,
      })
      return { ann, user, page: page!, post: await publish(ann, { caption: 'sent', targets: [page!.id] }) }
    }
    const read = async () => {
      const ann = await newPerson(product.url)
      const user = somebody()
      const [page] = await connectPages(ann, user)
      const path = page!.externalId
      await addFault(sandbox.url, { match: { method: 'POST', path: `${path}/feed` }, do: { drop: 'after' }, times: 1 })
      await addFault(sandbox.url, { match: { path: `${path}/published_posts` }, do: refused, times: 1 })
      const post = await publish(ann, { caption: 'read', targets: [page!.id] })
      await eventually(async () => (await rowOf(post)).state === 'SUBMITTING')
      return { ann, user, page: page!, post }
    }
    for (const { ann, user, page, post } of await Promise.all(sized([sent], [sent, read]).map((begin) => begin()))) {
      // The network has been asked, and will soon refuse.
      await eventually(async () => {
        const { body } = await call<{ faults: { match: { path: string }; do: object; used: number }[] }>(
          sandbox.url,
          'GET',
          '/state',
        )
        return body.faults.some(
          ({ match, do: does, used }) => match.path.startsWith(page.externalId) && 'delayMs' in does && used === 1,
        )
      })
      await connectPages(ann, user)
      const live = await untilStatus(ann, post.id, ['PUBLISHED'])
      expect([await statusOf(ann, page), live.publications[0]?.error]).toEqual(['CONNECTED', null])
      expect(await liveTexts(page)).toEqual([post.caption])
    }
  })

  test('after the network accepted a video asks for a reconnection, then the video is uploaded again', async () => {
    const ann = await newPerson(product.url)
    const user = somebody()
    const [clips] = await connect(ann, 'NET_VIDEO', user)
    const file = await uploadVideo(ann, await video())
    const caption = 'taken [sim:fail auth_removed]'
    const post = await publish(ann, { caption, targets: [clips!.id], media: [file.id] })
    const waiting = () => eventually(async () => (await rowOf(post)).waitReason === 'reconnect_needed' && rowOf(post))
    const held = await waiting()
    expect(held).toMatchObject({ state: 'PENDING', handles: {} })
    expect(await statusOf(ann, clips!)).toBe('RECONNECT_NEEDED')
    await connect(ann, 'NET_VIDEO', user)
    await eventually(async () => (await rowOf(post)).tries > held.tries)
  })
})
