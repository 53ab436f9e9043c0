import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { failuresPage } from '../../../scripts/failures-page.ts'
import { asVideo, grant, newStep, openNetworks, prepare } from '../../../test/adapters.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { long, sized } from '../../../test/tier.ts'
import { video } from '../../../test/video.ts'
import {
  addFault,
  call,
  connect,
  eventually,
  graphError,
  newPerson,
  type Person,
  uploadPicture,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Platform } from '../../networks/api.ts'
import { refusals } from '../../core/texts/failures/en.ts'
import { type ErrorKind, failures, type FailureRow, rowOf, rows } from '../../networks/failures/rules.ts'
import { NetworkError, type Step } from '../../networks/network.ts'
import { lost } from '../../networks/answers.ts'
import { sendOnce, UnansweredRequest } from '../../core/platform/send-once.ts'
import type { Post, Publication } from '../posts/api.ts'

// For each row of the failure table, the stand-ins give its answer to the real adapters, before the commit and at it.
// The tests check what happens to the publication.

const { product, sandbox, sql } = useProduct({ env: FAST })
let users = 4000

type Where = 'prepare' | 'commit'

const bodyOf = ({ place, code, subcode }: FailureRow) =>
  place === 'graph'
    ? graphError({
        message: 'Said by the network',
        code: Number(code === '*' ? 100 : code),
        ...(subcode !== null && { error_subcode: Number(subcode) }),
      })
    : { data: {}, error: { code, message: 'Said by the network', log_id: 'x' } }

interface Somebody {
  ann: Person
  picture: string
}

async function somebody(): Promise<Somebody> {
  const ann = await newPerson(product.url)
  return { ann, picture: (await uploadPicture(ann)).id }
}

/** Publishes while the network keeps giving the answer of a row. Returns the resulting publication and its account. */
async function become({ ann, picture }: Somebody, row: FailureRow, where: Where, platform: Platform) {
  const [account] = (await connect(ann, platform, `u${(users += 1)}`)).toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const own = account as SocialAccount
  const paths = {
    NET_PAGE: { prepare: `/${own.externalId}/photos`, commit: `/${own.externalId}/feed` },
    NET_PHOTO: { prepare: `/${own.externalId}/media$`, commit: `/${own.externalId}/media_publish` },
    NET_VIDEO: { prepare: '/creator_info/query/', commit: '/content/init/' },
  }
  const match = { method: 'POST', path: paths[platform][where] }
  await addFault(sandbox.url, { match, do: { status: 400, body: bodyOf(row) } })
  const { id } = await ann.must<Post>('POST', '/posts', {
    caption: `Row ${users}`,
    targets: [own.id],
    media: [picture],
    platformOptions: { NET_VIDEO: { privacyLevel: 'MUTUAL_FOLLOW_FRIENDS', consent: true } },
    action: 'publish',
  })
  // Only rows without a lease count: during a call, a target neither waits nor has an unknown outcome.
  const publication = await eventually(async () => {
    const { rows: found } = await sql.query<Pick<Publication, 'state' | 'error'> & { waitReason: string | null }>(
      `select state, error, wait_reason as "waitReason" from publication where post_id = $1 and lease_until is null
         and (state not in ('PENDING', 'PREPARING') or wait_reason in ('limit', 'backoff', 'reconnect_needed'))`,
      [id],
    )
    return found[0]
  })
  if (platform === 'NET_VIDEO') await call(sandbox.url, 'DELETE', '/faults')
  return { publication, account: await accountOf(ann, own.id) }
}

async function accountOf(ann: Person, id: string): Promise<SocialAccount> {
  const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
  return data.find((each) => each.id === id) as SocialAccount
}

/** What each kind of failure must lead to, written down independently of the machine's rules. */
const comes: Record<ErrorKind, object> = {
  AUTH: { state: 'PENDING', waitReason: 'reconnect_needed' },
  RATE_LIMIT: { state: 'PENDING', waitReason: 'limit' },
  QUOTA: { state: 'PENDING', waitReason: 'limit' },
  TRANSIENT: { state: 'PENDING', waitReason: 'backoff' },
  AMBIGUOUS: { state: 'PENDING', waitReason: 'backoff' },
  MEDIA_FETCH: { state: 'PENDING', waitReason: 'backoff' },
  PERMISSION: { state: 'FAILED' },
  CONTENT: { state: 'FAILED' },
  POLICY: { state: 'FAILED' },
  DUPLICATE: { state: 'FAILED' },
  NOT_FOUND: { state: 'FAILED' },
  WINDOW_CLOSED: { state: 'FAILED' },
  CONFIG: { state: 'FAILED' },
}

/**
 * Whether the token is renewed, so that the next try has a new one. Before the commit the same step would be refused
 * again.
 */
const isRenewed = ({ place, failure }: FailureRow, where: Where) =>
  place === 'video' && where === 'commit' && failures[failure].kind === 'AUTH'

function expected(row: FailureRow, where: Where): object {
  const { failure, committed } = row
  const { kind, who, retryable } = failures[failure]
  if (isRenewed(row, where)) return comes.TRANSIENT
  // The network's refusal of a duplicate is final at the first try, since none of our own posts can be there yet.
  if (where === 'commit' && committed === 'maybe' && kind !== 'DUPLICATE') return { state: 'SUBMITTING', error: null }
  const ends = comes[kind]
  return 'waitReason' in ends ? ends : { ...ends, error: { code: failure, who, retryable, fix: refusals[failure].fix } }
}

const nameOf = ({ code, subcode }: FailureRow) => (subcode === null ? code : `${code}/${subcode}`)

/** Runs `work` for all items, `width` at a time, each with a different person. Returns the results in order. */
async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (who: Somebody, item: T) => Promise<R>,
): Promise<R[]> {
  const left = items.map((item, index) => ({ item, index }))
  const results: R[] = []
  const one = async () => {
    const who = await somebody()
    for (let next = left.shift(); next; next = left.shift()) results[next.index] = await work(who, next.item)
  }
  await Promise.all(Array.from({ length: width }, one))
  return results
}

/** Codes that only NET_PHOTO returns are tested there, all other Graph codes on a page. */
const platformOf = ({ place, code, subcode }: FailureRow): Platform =>
  place === 'video' ? 'NET_VIDEO' : subcode?.startsWith('2207') || code === '9007' ? 'NET_PHOTO' : 'NET_PAGE'

const unknown: FailureRow[] = [
  { ...rowOf('graph', '987654'), code: '987654' },
  { ...rowOf('video', 'never_heard_of'), code: 'never_heard_of' },
]

/**
 * A long run tests every row end to end. The usual run tests the first row of each state and wait, since failures
 * that end alike differ in their texts only, and an unknown code.
 */
function outcomes(place: FailureRow['place'], where: Where): FailureRow[] {
  const [all, further] = [rows, unknown].map((each) => each.filter((row) => row.place === place)) as [
    FailureRow[],
    FailureRow[],
  ]
  const key = (row: FailureRow) => {
    const { state, waitReason } = expected(row, where) as { state: string; waitReason?: string }
    return JSON.stringify([state, waitReason, row.committed, isRenewed(row, where)])
  }
  const first = new Map(all.toReversed().map((row) => [key(row), row]))
  return [...(long ? all : [...first.values()].toReversed()), ...further]
}

describe.each(['prepare', 'commit'] as const)('at %s', (where) => {
  test.each([
    ['the Graph API', 'graph', sized(2, 6)],
    ['NET_VIDEO', 'video', 1],
  ] as const)('every outcome of %s, and an unknown code, leads to what its row says', async (_, place, width) => {
    const asked = outcomes(place, where)
    const found = await inParallel(asked, width, async (who, row) => [
      nameOf(row),
      await become(who, row, where, platformOf(row)),
    ])
    expect(found).toMatchObject(
      asked.map((row) => [
        nameOf(row),
        {
          publication: expected(row, where),
          account: {
            status:
              failures[row.failure].kind === 'AUTH' && row.committed === 'no' && !isRenewed(row, where)
                ? 'RECONNECT_NEEDED'
                : 'CONNECTED',
          },
        },
      ]),
    )
  })
})

test('an unknown code leaves the outcome unknown at the commit and is retried before it', () => {
  for (const place of ['graph', 'video', 'video_upload'] as const) {
    expect(rowOf(place, 'nobody knows')).toMatchObject({ failure: 'ambiguous', committed: 'maybe' })
  }
  expect(rowOf('graph', '190', '1')).toMatchObject({ failure: 'auth' })
  expect(rowOf('graph', '290')).toMatchObject({ failure: 'permission' })
  expect(rowOf('graph', '7', '1366051')).toMatchObject({ failure: 'same_text' })
  expect(rowOf('video', 'spam_risk_of_tomorrow')).toMatchObject({ failure: 'policy' })
})

test('a refusal that may come with a published post is never certain', () => {
  const graph = ['1', '2', '-1', '6001', '4/2207051', '24/2207006', '100/1363030', '506', '7/1366051']
  const asked = graph.map((code) => rowOf('graph', ...(code.split('/') as [string, string?])).committed)
  expect(asked).toEqual(graph.map(() => 'maybe'))
  const certain = ['9007/2207027', '24/2207008', '4', '190/463', '100/33'].map(
    (code) => rowOf('graph', ...(code.split('/') as [string, string?])).committed,
  )
  expect(certain).toEqual(certain.map(() => 'no'))
})

test('a subcode leaves the outcome as uncertain as its code does', () => {
  expect(rowOf('graph', '1', '1390008')).toMatchObject({ committed: 'maybe' })
  expect(rowOf('graph', '2', '1404102')).toMatchObject({ committed: 'maybe' })
  expect(rowOf('graph', '100', '1390008')).toMatchObject({ committed: 'no' })
})

test('docs/failures.md matches the table (npm run failures)', () => {
  const plain = (text: string) => text.replaceAll(/ +|-{3,}/g, ' ')
  expect(plain(readFileSync(join(import.meta.dirname, '../../../docs/failures.md'), 'utf8'))).toBe(
    plain(failuresPage()),
  )
})

test('no code has two rows', () => {
  const keys = rows.map((row) => `${row.place} ${nameOf(row)}`)
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})

describe('a later answer', () => {
  const of = (place: FailureRow['place']) => rows.filter((row) => row.place === place)
  const named = (row: FailureRow) => ({ failure: row.failure, spoilt: row.spoilt, kind: failures[row.failure].kind })
  const thrown = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    )

  async function stepOf(platform: Platform) {
    const network = openNetworks(sandbox.url, 20)[platform]
    const clip = asVideo(await video())
    const step: Step = newStep(await grant(network, `u${(users += 1)}`), `Row ${users}`, [clip])
    return { network, step }
  }
  const fault = async (match: object, body: unknown, status = 200) => {
    await call(sandbox.url, 'DELETE', '/faults')
    await addFault(sandbox.url, { match, do: { status, body } })
  }

  test('of a container says why it failed', async () => {
    const { network, step } = await stepOf('NET_PHOTO')
    await prepare(network, step, 20)
    const { container } = step.handles as { container: string }
    step.now = new Date(Date.now() + 31 * 60_000)
    const found: unknown[] = []
    for (const { code } of of('container')) {
      const body = /^\d/.test(code)
        ? { status_code: 'ERROR', status: `Error: the file was refused with ${code}` }
        : { status_code: code, status: 'Error: no reason' }
      await fault({ method: 'GET', path: `/${container}` }, body)
      found.push(await thrown(network.prepare(step, async () => undefined)))
    }
    expect(found).toMatchObject(of('container').map(named))
  })

  test('about a video on a page matches its row', async () => {
    const { network, step } = await stepOf('NET_PAGE')
    await prepare(network, step, 20)
    const { video: begun } = step.handles as { video: { id: string } }
    const found: unknown[] = []
    for (const { code } of of('page_video')) {
      await fault({ method: 'GET', path: `/${begun.id}` }, { id: begun.id, status: { video_status: code } })
      found.push(await network.confirm?.(step))
    }
    expect(found).toMatchObject(of('page_video').map(named))
  })

  test('about a post that NET_VIDEO gave up, or a piece that it refused, matches its row', async () => {
    const { network, step } = await stepOf('NET_VIDEO')
    await prepare(network, step, 20)
    const found: unknown[] = []
    for (const { code } of of('video_post')) {
      const body = { data: { status: 'FAILED', fail_reason: code }, error: { code: 'ok', message: '' } }
      await fault({ path: '/status/fetch/' }, body)
      found.push(await network.confirm?.(step))
    }
    expect(found).toMatchObject(of('video_post').map((row) => ({ ...named(row), committed: 'no' })))
    const big = asVideo(Buffer.alloc(0), {
      size: 70_000_000,
      read: (start, end) => Readable.from([Buffer.alloc(end - start)]),
    })
    const upload: Step = { ...step, media: [big], handles: {} }
    const pieces: unknown[] = []
    for (const { code } of of('video_upload')) {
      await fault({ method: 'PUT' }, '', Number(code))
      const save = async (handles: Step['handles']) => void (upload.handles = handles)
      pieces.push(await thrown(network.prepare(upload, save)))
    }
    expect(pieces).toMatchObject(of('video_upload').map(named))
  })

  const foreign = [
    ['an empty body', ''],
    ['a page', '<html><body>400 Bad Request</body></html>'],
    ['JSON of somebody else', { error: { code: 'invalid_params', message: 'no' } }],
    [
      'an envelope that lacks the number of the network',
      { data: {}, error: { code: 'invalid_params', message: 'no' } },
    ],
    ['an envelope without data', { error: { code: 'invalid_params', message: 'no', log_id: 'x' } }],
    ['JSON that repeats the status', { data: {}, error: { code: '400', message: 'no', log_id: 'x' } }],
  ] as const
  test.each(foreign)('to the last piece is no refusal if it has only an error status and %s', async (_, body) => {
    const { network, step } = await stepOf('NET_VIDEO')
    await prepare(network, step, 20)
    for (const status of long ? [400, 401, 403, 404, 409, 410, 416, 418, 429, 500, 302] : [400, 403]) {
      await fault({ method: 'PUT' }, body, status)
      expect(await thrown(network.commit(step)), String(status)).toMatchObject({ committed: 'maybe', spoilt: false })
    }
    const refused = { data: {}, error: { code: 'invalid_params', message: 'no', log_id: 'x' } }
    for (const status of [302, 500]) {
      await fault({ method: 'PUT' }, refused, status)
      expect(await thrown(network.commit(step)), String(status)).toMatchObject({ committed: 'maybe' })
    }
    await fault({ method: 'PUT' }, refused, 400)
    expect(await thrown(network.commit(step))).toMatchObject({ failure: 'content', committed: 'no', said: 'no' })
  })

  test.each((['NET_PAGE', 'NET_PHOTO'] as const).slice(0, sized(1, 2)))(
    "to a commit on %s is a refusal only in the network's own envelope",
    async (platform) => {
      const network = openNetworks(sandbox.url, 20)[platform]
      const account = await grant(network, `u${(users += 1)}`)
      const step = { ...newStep(account, 'Foreign', []), handles: { container: '1' } }
      const foreign: [number, unknown][] = [
        [400, ''],
        [403, '<html>Forbidden</html>'],
        [403, { error: 'forbidden' }],
        [403, { error: { code: 403, message: 'Forbidden', status: 'PERMISSION_DENIED' } }],
        [404, { message: 'no route matches' }],
        [429, 'slow down'],
        [200, { id: 'x', ok: true }],
        [302, ''],
        [200, { error: { code: 200, message: 'OK' } }],
      ]
      for (const [status, body] of foreign) {
        await fault({ method: 'POST', path: 'feed|media_publish' }, body, status)
        expect(await thrown(network.commit(step)), JSON.stringify(body)).toMatchObject({ committed: 'maybe' })
      }
      await fault({ method: 'POST', path: 'feed|media_publish' }, { error: { code: 368, message: 'Blocked' } }, 400)
      expect(await thrown(network.commit(step))).toMatchObject({ committed: 'maybe' })
      await fault({ method: 'POST', path: 'feed|media_publish' }, graphError({ code: 368, message: 'Blocked' }), 400)
      expect(await thrown(network.commit(step))).toMatchObject({ failure: 'policy', committed: 'no', said: 'Blocked' })
      await call(sandbox.url, 'DELETE', '/faults')
    },
  )

  test('to a token renewal matches its row', async () => {
    const { network } = await stepOf('NET_VIDEO')
    const found: unknown[] = []
    for (const { code } of of('video_tokens')) {
      await fault({ path: '/oauth/token/' }, { error: code, error_description: 'no' }, 400)
      found.push(await thrown(network.refresh({ externalId: 'x', userToken: null, refreshToken: 'y' })))
    }
    expect(found).toMatchObject(of('video_tokens').map(named))
    await call(sandbox.url, 'DELETE', '/faults')
  })

  test('from a failed connection proves that nothing was sent only if the connection was never made', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    const signal = AbortSignal.timeout(5_000)
    const refused = lost(await thrown(sendOnce(`http://127.0.0.1:${port}/`, { method: 'GET', signal })))
    expect(refused).toMatchObject({ failure: 'transient', networkCode: 'ECONNREFUSED', committed: 'no', said: null })
    const cut = lost(new UnansweredRequest(true, Object.assign(new Error('no'), { code: 'ECONNRESET' })))
    expect(cut).toBeInstanceOf(NetworkError)
    expect(cut).toMatchObject({ failure: 'transient', committed: 'maybe' })
  })
})
