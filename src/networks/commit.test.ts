import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asPicture, asVideo, newStep, openNetworks } from '../../test/adapters.ts'
import { startPeer } from '../../test/openid-peer.ts'
import { createProvider } from '../team/identity/openid.ts'
import { type Connection, NetworkError, type Step } from './network.ts'

// How each adapter handles strange answers to the call that cannot be undone. The server speaks raw bytes and counts
// requests, so it detects a client that repeats a request, follows a redirect or accepts the answer of another call.

let server: Server
let url: string
let answer: (socket: Socket, good: string) => void
/** The method and path of each request. */
const requests: string[] = []
let good = ''

beforeAll(async () => {
  server = createServer((socket) => {
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      text += data.toString('latin1')
      const [head = '', ...rest] = text.split('\r\n\r\n')
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
      if (!text.includes('\r\n\r\n') || rest.join('\r\n\r\n').length < length) return
      requests.push(head.split(' ', 2).join(' '))
      text = ''
      answer(socket, good)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  requests.length = 0
})

const says = (head: string, body: string) =>
  `HTTP/1.1 ${head}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const ok = (body: object) => says('200 OK', JSON.stringify(body))

const account = { externalId: '77', accessToken: 'token' } as Connection
const stepOf = (change: Partial<Step>): Step => ({ ...newStep(account, 'Once', []), ...change })
const film = asVideo(Buffer.from('bytes'))
const place = { account, postId: '77_1', text: 'First', reservation: { take() {}, report() {} } }
const networks = () => openNetworks(url)
const renewed = { access_token: 'a', expires_in: 1, open_id: 'o', refresh_token: 'r' }

/** Every call whose effect must happen only once, with an answer that accepts it. */
const commits: [string, () => Promise<unknown>, string][] = [
  ['a post on NET_PAGE', () => networks().NET_PAGE.commit(stepOf({})), ok({ id: '77_1' })],
  [
    'a video on NET_PAGE',
    () => {
      const handles = { video: { id: '5', session: '6', from: 5, to: 5 } }
      return networks().NET_PAGE.commit(stepOf({ media: [film], handles }))
    },
    ok({ success: true }),
  ],
  [
    'a reel on NET_PAGE',
    () =>
      networks().NET_PAGE.commit(stepOf({ media: [film], handles: { video: { id: '5' } }, options: { kind: 'reel' } })),
    ok({ success: true }),
  ],
  ['a comment on NET_PAGE', () => networks().NET_PAGE.comments!.write(place), ok({ id: '1_2' })],
  [
    'a container on NET_PHOTO',
    () => networks().NET_PHOTO.commit(stepOf({ handles: { container: '8' } })),
    ok({ id: '9' }),
  ],
  ['a comment on NET_PHOTO', () => networks().NET_PHOTO.comments!.write(place), ok({ id: '12' })],
  [
    'the last piece on NET_VIDEO',
    () => {
      const handles = { publishId: 'v1', uploadUrl: `${url}/upload`, sent: 0, begunAt: 0 }
      return networks().NET_VIDEO.commit(stepOf({ media: [film], handles }))
    },
    says('201 Created', ''),
  ],
  [
    'pictures on NET_VIDEO',
    () => networks().NET_VIDEO.commit(stepOf({ media: [asPicture('1', 'http://x/1.jpg')] })),
    ok({ data: { publish_id: 'p1' }, error: { code: 'ok', message: '' } }),
  ],
  [
    'a direct message on NET_PAGE',
    () => networks().NET_PAGE.inbox!.send({ ...place, to: { personId: '5', human: false }, metadata: 'm' }),
    ok({ recipient_id: '5', message_id: 'm_1' }),
  ],
  ['a removal on NET_PAGE', () => networks().NET_PAGE.removal!.remove(place), ok({ success: true })],
  [
    'a refresh token of NET_VIDEO',
    () => networks().NET_VIDEO.refresh({ externalId: 'x', userToken: null, refreshToken: 'spent once' }),
    ok(renewed),
  ],
]

/** Errors as networks and their proxies send them, without what only the network itself adds. */
const foreignErrors = [
  { error: { code: 100, message: 'Invalid parameter' } },
  { error: { code: 'invalid_params', message: 'Invalid parameter' } },
  { error: 'invalid_request' },
]

const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)

describe.each(commits)('%s is sent once', (_name, commit, taken) => {
  beforeEach(() => void (good = taken))

  test.each(['421 Misdirected Request', '408 Request Timeout', '425 Too Early', '503 Unavailable', '307 Elsewhere'])(
    'when the answer is %s, which proves nothing',
    async (status) => {
      answer = (socket) => socket.write(says(`${status}\r\nRetry-After: 0\r\nLocation: ${url}/again`, ''))
      expect(await outcomeOf(commit())).toMatchObject({ name: 'NetworkError', committed: 'maybe' })
      expect(requests).toHaveLength(1)
    },
  )

  test('when informational answers come first', async () => {
    answer = (socket, last) =>
      socket.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n${last}`)
    expect(await outcomeOf(commit())).not.toBeInstanceOf(NetworkError)
    expect(requests).toHaveLength(1)
  })

  test('when the connection closes without an answer', async () => {
    answer = (socket) => socket.destroy()
    expect(await outcomeOf(commit())).toMatchObject({ name: 'NetworkError', committed: 'maybe' })
    expect(requests).toHaveLength(1)
  })

  test('when the server closes the connection of the previous call as the next one starts', async () => {
    answer = (socket, last) => {
      socket.write(last.replace('\r\n', '\r\nConnection: keep-alive\r\n'))
      // A client that keeps the connection sends its next request into this.
      setTimeout(() => socket.destroy(), 5)
    }
    for (let i = 0; i < 3; i += 1) expect(await outcomeOf(commit())).not.toBeInstanceOf(NetworkError)
    expect(requests).toHaveLength(3)
  })

  test('and does not mistake a second answer on its connection for its own', async () => {
    answer = (socket, last) =>
      socket.write(last + says('400 Bad Request', '{"error":{"code":368,"message":"another"}}'))
    for (let i = 0; i < 2; i += 1) expect(await outcomeOf(commit())).not.toBeInstanceOf(NetworkError)
    expect(requests).toHaveLength(2)
  })
})

test.each(commits.filter(([name]) => !name.startsWith('a refresh token')))(
  '%s is not refused by an error that only looks like the network’s own',
  async (_name, commit) => {
    for (const error of foreignErrors) {
      answer = (socket) => socket.write(says('400 Bad Request', JSON.stringify(error)))
      expect(await outcomeOf(commit())).toMatchObject({ name: 'NetworkError', committed: 'maybe' })
    }
  },
)

describe('429 to a call without an effect is a limit, whatever its body says', () => {
  const graphError = { error: { message: 'Unknown', type: 'OAuthException', code: 1, fbtrace_id: 'trace' } }
  test.each<[string, () => Promise<unknown> | undefined, object]>([
    ['a read on NET_PAGE', () => networks().NET_PAGE.find(stepOf({}), since), graphError],
    [
      'a container on NET_PHOTO',
      () => networks().NET_PHOTO.find(stepOf({ handles: { container: '8' } }), since),
      graphError,
    ],
    [
      'a status on NET_VIDEO',
      () => networks().NET_VIDEO.confirm?.(stepOf({ handles: { publishId: 'v1' } })),
      { data: {}, error: { code: 'internal_error', message: '', log_id: '1' } },
    ],
    [
      'a token on NET_VIDEO',
      () => networks().NET_VIDEO.refresh({ externalId: 'x', userToken: null, refreshToken: 'spent once' }),
      { error: 'invalid_grant', error_description: 'Refresh token is invalid' },
    ],
  ])('%s', async (_name, asked, body) => {
    answer = (socket) => socket.write(says('429 Too Many Requests\r\nRetry-After: 7', JSON.stringify(body)))
    expect(await outcomeOf(asked() as Promise<unknown>)).toMatchObject({ kind: 'RATE_LIMIT', retryAfterMs: 7000 })
  })
})

test.each([
  ['421', (socket: Socket) => socket.write(says('421 Misdirected Request\r\nRetry-After: 0', ''))],
  ['408', (socket: Socket) => socket.write(says('408 Request Timeout', ''))],
  ['425', (socket: Socket) => socket.write(says('425 Too Early', ''))],
  ['a closed connection', (socket: Socket) => socket.destroy()],
])('the code of an identity provider is exchanged once when the answer is %s', async (_, reply) => {
  const peer = await startPeer()
  answer = reply
  const provider = createProvider({
    name: 'IDP_A',
    clientId: 'app',
    clientSecret: 'secret',
    issuer: () => peer.url,
    reach: (asked) => ({ url: asked.endsWith('/token') ? `${url}/token` : asked, headers: {} }),
  })
  try {
    const query = new URLSearchParams({ code: 'once', state: 'state' })
    const back = { query, state: 'state', secret: 'secret', redirectUri: 'http://127.0.0.1/back' }
    await expect(provider.identify(back)).rejects.toMatchObject({ name: 'ProviderError' })
    expect(requests).toEqual(['POST /token'])
  } finally {
    await peer.close()
  }
})

test('a post whose answer has an unreadable Date is live, without a time from the network', async () => {
  answer = (socket) => socket.write(ok({ id: '77_1' }).replace('\r\n', '\r\nDate: yesterday, about noon\r\n'))
  expect(await networks().NET_PAGE.commit(stepOf({}))).toMatchObject({ externalId: '77_1', publishedAt: null })
})

const now = '2026-06-01T12:00:00+0000'
const since = { at: null, seen: null, ours: new Date(now), now: new Date(now) }
const video = { publishing_phase: { status: 'complete' }, video_status: 'ready' }

describe('an unclear read does not prove absence', () => {
  const film5 = { media: [film], handles: { video: { id: '5' } } }
  test.each<[string, () => Promise<unknown>, object]>([
    [
      'a list with another page, but no cursor',
      () => networks().NET_PAGE.find(stepOf({}), since),
      { data: [], paging: { next: 'https://x/next' } },
    ],
    [
      'a container without a status',
      () => networks().NET_PHOTO.find(stepOf({ handles: { container: '8' } }), since),
      { id: '8' },
    ],
    [
      'a container in progress',
      () => networks().NET_PHOTO.find(stepOf({ handles: { container: '8' } }), since),
      { id: '8', status_code: 'IN_PROGRESS' },
    ],
    [
      'a video without its phases',
      () => networks().NET_PAGE.find(stepOf(film5), since),
      { id: '5', status: { video_status: 'ready' } },
    ],
  ])('%s', async (_, asked, body) => {
    answer = (socket) => socket.write(ok(body))
    expect(await outcomeOf(asked())).toMatchObject({ name: 'NetworkError', committed: 'maybe' })
  })

  test('a video that is being processed counts as finished', async () => {
    answer = (socket) => socket.write(ok({ id: '5', status: { video_status: 'processing' } }))
    expect(await networks().NET_PAGE.find(stepOf(film5), since)).toBe('accepted')
  })
})

test.each([
  ['does not advance', { start_offset: '1', end_offset: '5' }],
  ['goes back', { start_offset: '0', end_offset: '5' }],
])('an upload that %s starts again, and counts a failure', async (_, moved) => {
  answer = (socket) => socket.write(ok(moved))
  const handles = { video: { id: '5', session: '6', from: 1, to: 5 } }
  const prepared = networks().NET_PAGE.prepare(stepOf({ media: [film], handles }), async () => undefined)
  expect(await outcomeOf(prepared)).toMatchObject({ name: 'NetworkError', kind: 'TRANSIENT', spoilt: true })
  expect(requests).toHaveLength(1)
})

describe('an answer to another call proves nothing', () => {
  test.each<[string, () => Promise<unknown> | undefined, object]>([
    ['the post of another page', () => networks().NET_PAGE.commit(stepOf({})), { id: '78_1' }],
    ['an id that is not of a post', () => networks().NET_PAGE.commit(stepOf({})), { id: '77' }],
    [
      'a post of a page, to NET_PHOTO',
      () => networks().NET_PHOTO.commit(stepOf({ handles: { container: '8' } })),
      { id: '77_1' },
    ],
    [
      'its own container, to NET_PHOTO',
      () => networks().NET_PHOTO.commit(stepOf({ handles: { container: '8' } })),
      { id: '8' },
    ],
    ['the post itself, to a comment', () => networks().NET_PAGE.comments!.write(place), { id: '77_1' }],
    [
      'a comment, to a video',
      () =>
        networks().NET_PAGE.commit(
          stepOf({ media: [film], handles: { video: { id: '5', session: '6', from: 5, to: 5 } } }),
        ),
      { id: '1_2' },
    ],
    ['a token, to a comment', () => networks().NET_PAGE.comments!.write(place), { id: 'user', access_token: 'x' }],
    [
      'a status, to pictures',
      () => networks().NET_VIDEO.commit(stepOf({ media: [asPicture('1', 'http://x/1.jpg')] })),
      { data: { status: 'PUBLISH_COMPLETE' }, error: { code: 'ok', message: '' } },
    ],
    [
      'the posts of another page, to a read',
      () => networks().NET_PAGE.find(stepOf({}), since),
      { data: [{ id: '78_1', message: 'Once', created_time: now, application: { id: 'sandbox-page-app' } }] },
    ],
    [
      'another container, to a read',
      () => networks().NET_PHOTO.find(stepOf({ handles: { container: '8' } }), since),
      { id: '9', status_code: 'FINISHED' },
    ],
    [
      'another video, to a read',
      () => networks().NET_PAGE.find(stepOf({ media: [film], handles: { video: { id: '5' } } }), since),
      { id: '6', status: video, post_id: '77_6' },
    ],
    [
      'another video, to a confirmation',
      () => networks().NET_PAGE.confirm?.(stepOf({ media: [film], handles: { video: { id: '5' } } })),
      { id: '6', status: video, post_id: '77_6' },
    ],
  ])('%s', async (_, asked, body) => {
    answer = (socket) => socket.write(ok(body))
    expect(await outcomeOf(asked() as Promise<unknown>)).toMatchObject({ name: 'NetworkError', committed: 'maybe' })
  })
})
