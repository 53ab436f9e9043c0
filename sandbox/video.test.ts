import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { video } from '../test/video.ts'
import { addFaultTo, bearer, call, type Reply, startSandbox } from './testing.ts'

// NET_VIDEO according to its reference: PKCE in hexadecimal, rotating refresh tokens, uploads in pieces, and posts that
// get their id late.

const KEY = { client_key: 'sandbox-video-key', client_secret: 'sandbox-video-secret' }
const BACK = 'http://127.0.0.1:3000/oauth/return'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = '13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3'
const ALL = 'user.info.basic,user.info.profile,user.info.stats,video.publish,video.upload,video.list'
const JSON_TYPE = 'application/json; charset=UTF-8'
const MINUTE = 60_000

interface Tokens {
  access_token: string
  refresh_token: string
  expires_in: number
  refresh_expires_in: number
  open_id: string
  scope: string
  error: string
}
interface Answered {
  data: Record<string, never> & { publish_id: string; upload_url: string; status: string; fail_reason?: string }
  error: { code: string; message: string; log_id: string }
}

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let clip: Buffer
let users = 100
beforeAll(async () => {
  sandbox = await startSandbox({ timeScale: 20 })
  clip = await video()
})
afterAll(() => sandbox.close())
beforeEach(() => call(`${sandbox.url}/faults`, { method: 'DELETE' }))

const consentUrl = (more: Record<string, string> = {}) =>
  `${sandbox.url}/video-auth/v2/auth/authorize/?${new URLSearchParams({
    client_key: KEY.client_key,
    response_type: 'code',
    scope: ALL,
    redirect_uri: BACK,
    state: 'st4te',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...more,
  })}`

async function approve(user: string, more: Record<string, string> = {}): Promise<URLSearchParams> {
  const { headers } = await call(consentUrl({ sandbox_user: user, sandbox_approve: '1', ...more }))
  return new URL(headers.get('location') ?? '').searchParams
}
const token = (form: Record<string, string>) =>
  call<Tokens>(`${sandbox.url}/video/v2/oauth/token/`, {
    method: 'POST',
    body: new URLSearchParams({ ...KEY, ...form }),
  })
const trade = (code: string, more: Record<string, string> = {}) =>
  token({ grant_type: 'authorization_code', code, redirect_uri: BACK, code_verifier: VERIFIER, ...more })
const refresh = (refreshToken: string) => token({ grant_type: 'refresh_token', refresh_token: refreshToken })

async function creator(user = `u${(users += 1)}`, more: Record<string, string> = {}) {
  const { body } = await trade((await approve(user, more)).get('code') ?? '')
  const api = (path: string, json?: object): Promise<Reply<Answered>> =>
    call<Answered>(`${sandbox.url}/video/v2/${path}`, {
      ...(json && { json }),
      headers: { ...bearer(body.access_token), ...(json && { 'content-type': JSON_TYPE }) },
    })
  const init = (size: number, post: object = {}, source: object = {}) =>
    api('post/publish/video/init/', {
      post_info: { privacy_level: 'PUBLIC_TO_EVERYONE', title: 'Hello', ...post },
      source_info: { source: 'FILE_UPLOAD', video_size: size, chunk_size: size, total_chunk_count: 1, ...source },
    })
  const status = (id: string) => api('post/publish/status/fetch/', { publish_id: id })
  const post = async (bytes = clip, info: object = {}) => {
    const { body: begun } = await init(bytes.length, info)
    expect((await put(begun.data.upload_url, bytes)).status).toBe(201)
    return begun.data.publish_id
  }
  return { tokens: body, api, init, status, post }
}

function put(url: string, bytes: Buffer, headers: Record<string, string> = {}) {
  return call(url, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers: {
      'content-type': 'video/mp4',
      'content-range': `bytes 0-${bytes.length - 1}/${bytes.length}`,
      ...headers,
    },
  })
}
const part = (url: string, bytes: Buffer, from: number, to: number) =>
  put(url, bytes.subarray(from, to), { 'content-range': `bytes ${from}-${to - 1}/${bytes.length}` })

const wait = (advanceMs: number) => call(`${sandbox.url}/clock`, { json: { advanceMs } })
const live = async (openId: string) => {
  const { body } = await call<{
    networks: { NET_VIDEO: { accounts: { id: string; live: { id: string; message: string; permalink: string }[] }[] } }
  }>(`${sandbox.url}/state`)
  return body.networks.NET_VIDEO.accounts.find(({ id }) => id === openId)?.live ?? []
}

describe('the consent', () => {
  test('returns code, scopes and state; the code gives tokens once, for the address and the verifier that it was made for', async () => {
    const back = await approve('u5')
    expect(back.get('state')).toBe('st4te')
    expect(back.get('scopes')).toBe(ALL)
    const code = back.get('code') ?? ''
    expect((await trade(code, { redirect_uri: `${BACK}/` })).body.error).toBe('invalid_request')
    expect((await trade(code, { code_verifier: VERIFIER.replace('d', 'e') })).body.error).toBe('invalid_request')
    expect((await trade(code, { client_secret: 'wrong' })).body.error).toBe('invalid_client')
    const made = await trade(code)
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({
      expires_in: 86_400,
      refresh_expires_in: 31_536_000,
      scope: ALL,
      token_type: 'Bearer',
    })
    expect((await trade(code)).body.error).toBe('invalid_grant')
  })

  test('requires the challenge in hexadecimal', async () => {
    const base64 = createHash('sha256').update(VERIFIER).digest('base64url')
    for (const challenge of [base64, CHALLENGE.toUpperCase(), '']) {
      expect((await call(consentUrl({ code_challenge: challenge }))).status).toBe(400)
    }
    expect((await call(consentUrl())).status).toBe(200)
  })

  test('is refused for an unknown app, permission or redirect address', async () => {
    for (const wrong of [
      { client_key: 'other' },
      { scope: 'video.unheard_of' },
      { redirect_uri: 'http://elsewhere.example/back' },
      { redirect_uri: `${BACK}?a=b` },
      { response_type: 'token' },
      { sandbox_user: 'nobody' },
    ] as Record<string, string>[]) {
      expect((await call(consentUrl(wrong))).status).toBe(400)
    }
  })

  test('by a person grants only the selected permissions, and returns a refusal as such', async () => {
    const form = (fields: Record<string, string>) =>
      call(consentUrl(), {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': 'same-origin' },
      })
    const some = new URL((await form({ decision: 'approve', scope: 'video.publish' })).headers.get('location') ?? '')
    expect(some.searchParams.get('scopes')).toBe('user.info.basic,video.publish')
    const none = new URL((await form({ decision: 'refuse' })).headers.get('location') ?? '')
    expect(Object.fromEntries(none.searchParams)).toMatchObject({ error: 'access_denied', state: 'st4te' })
  })
})

describe('tokens', () => {
  test('a refresh token works once; the next one comes with the new access token', async () => {
    const { tokens } = await creator()
    const next = await refresh(tokens.refresh_token)
    expect(next.status).toBe(200)
    expect(next.body.refresh_token).not.toBe(tokens.refresh_token)
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh(next.body.refresh_token)).status).toBe(200)
  })

  test('an access token expires after a day, and revoking the consent ends all tokens', async () => {
    const one = await creator()
    await wait(86_400_000)
    expect((await one.api('user/info/?fields=open_id')).body.error.code).toBe('access_token_invalid')
    const { body } = await refresh(one.tokens.refresh_token)
    const form = new URLSearchParams({ ...KEY, token: body.access_token })
    expect((await call(`${sandbox.url}/video/v2/oauth/revoke/`, { method: 'POST', body: form })).status).toBe(200)
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a call requires its permission', async () => {
    const one = await creator(undefined, { scope: 'user.info.basic' })
    expect((await one.api('user/info/?fields=open_id,display_name')).body.error.code).toBe('ok')
    expect(await one.api('user/info/?fields=username')).toMatchObject({
      status: 401,
      body: { error: { code: 'scope_not_authorized' } },
    })
    expect((await one.init(clip.length)).body.error.code).toBe('scope_not_authorized')
  })
})

describe('an upload', () => {
  test('in one piece is posted, and gets its id after moderation, as a bare 64-bit number', async () => {
    const one = await creator()
    const id = await one.post(clip, { title: 'Autumn' })
    expect((await one.status(id)).body.data).toMatchObject({ status: 'PROCESSING_UPLOAD', uploaded_bytes: clip.length })
    expect(await live(one.tokens.open_id)).toEqual([])
    await wait(250)
    expect((await one.status(id)).body.data).toMatchObject({
      status: 'PUBLISH_COMPLETE',
      publicaly_available_post_id: [],
    })
    await wait(300)
    const told = /"publicaly_available_post_id":\[(\d+)\]/.exec((await one.status(id)).text)?.[1] ?? ''
    expect(told).toMatch(/^7\d{18}$/)
    expect(String(JSON.parse(told))).not.toBe(told)
    const [shown] = await live(one.tokens.open_id)
    expect(shown).toMatchObject({ id: told, message: 'Autumn' })
    expect((await call(shown?.permalink ?? '')).text).toContain('Autumn')
    const fields = 'fields=id,share_url,title'
    const asked = await one.api(`video/query/?${fields}`, { filters: { video_ids: [told] } })
    expect(asked.body.data).toEqual({ videos: [{ id: told, share_url: shown?.permalink, title: 'Autumn' }] })
    expect((await one.api(`video/list/?${fields}`, {})).body.data).toMatchObject({
      videos: [{ id: told }],
      has_more: false,
    })
  })

  test('that is not public never gets an id', async () => {
    const one = await creator()
    const id = await one.post(clip, { privacy_level: 'SELF_ONLY' })
    await wait(2_000)
    expect((await one.status(id)).body.data).toMatchObject({
      status: 'PUBLISH_COMPLETE',
      publicaly_available_post_id: [],
    })
    expect(await live(one.tokens.open_id)).toHaveLength(1)
  })

  test('in pieces goes in order: 206, 416 with the progress, 201 at the end, and nothing is posted before', async () => {
    const one = await creator()
    const big = Buffer.concat([clip, freeBox(12_000_000 - clip.length)])
    const { body } = await one.init(big.length, {}, { chunk_size: 5_500_000, total_chunk_count: 2 })
    const url = body.data.upload_url
    expect((await part(url, big, 5_500_000, big.length)).status).toBe(416)
    expect((await part(url, big, 0, 5_000_000)).status).toBe(400)
    expect((await part(url, big, 0, 5_500_000)).status).toBe(206)
    const again = await part(url, big, 0, 5_500_000)
    expect([again.status, again.headers.get('content-range')]).toEqual([416, `bytes 0-5500000/${big.length}`])
    expect((await one.status(body.data.publish_id)).body.data).toMatchObject({ uploaded_bytes: 5_500_000 })
    await wait(60_000)
    expect(await live(one.tokens.open_id)).toEqual([])
    expect((await part(url, big, 5_500_000, big.length)).status).toBe(201)
    expect((await part(url, big, 5_500_000, big.length)).status).toBe(416)
    await wait(250)
    expect((await one.status(body.data.publish_id)).body.data.status).toBe('PUBLISH_COMPLETE')
    expect(await live(one.tokens.open_id)).toHaveLength(1)
  })

  test('whose last piece is sent many times concurrently is posted once', async () => {
    const one = await creator()
    const { body } = await one.init(clip.length)
    const all = await Promise.all(Array.from({ length: 8 }, () => put(body.data.upload_url, clip)))
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 416),
    ])
    await wait(1_000)
    expect(await live(one.tokens.open_id)).toHaveLength(1)
  })

  test('uses an address that is valid for an hour, and requires the right length, range and type', async () => {
    const one = await creator()
    const { body } = await one.init(clip.length)
    const url = body.data.upload_url
    expect((await put(url.replace(/upload_token=\w+/, 'upload_token=0'), clip)).status).toBe(404)
    expect((await put(url, clip, { 'content-type': 'image/jpeg' })).status).toBe(400)
    expect((await put(url, clip, { 'content-range': `bytes 0-${clip.length}/${clip.length + 1}` })).status).toBe(400)
    await wait(60 * MINUTE + 1)
    expect((await put(url, clip)).status).toBe(403)
  })

  test('whose answer is lost after the effect is posted anyway', async () => {
    const one = await creator()
    const { body } = await one.init(clip.length)
    await addFaultTo(sandbox.url, { match: { network: 'NET_VIDEO', method: 'PUT' }, do: { drop: 'after' }, times: 1 })
    await expect(put(body.data.upload_url, clip)).rejects.toThrow()
    await wait(1_000)
    expect(await live(one.tokens.open_id)).toHaveLength(1)
  })

  test('survives a restart, even when half complete', async () => {
    const one = await creator()
    const big = Buffer.concat([clip, freeBox(12_000_000 - clip.length)])
    const { body } = await one.init(big.length, {}, { chunk_size: 5_500_000, total_chunk_count: 2 })
    await part(body.data.upload_url, big, 0, 5_500_000)
    await sandbox.restart()
    expect((await part(body.data.upload_url, big, 5_500_000, big.length)).status).toBe(201)
    await wait(1_000)
    await sandbox.restart()
    expect(await live(one.tokens.open_id)).toHaveLength(1)
  })
})

describe('the network refuses', () => {
  test.each([
    ['a title over 2200 UTF-16 units', { title: `${'😀'.repeat(1100)}a` }, {}, 400, 'invalid_params'],
    [
      'an audience that the creator does not offer',
      { privacy_level: 'FOLLOWER_OF_CREATOR' },
      {},
      403,
      'privacy_level_option_mismatch',
    ],
    ['no audience', { privacy_level: undefined }, {}, 400, 'invalid_params'],
    [
      'branded content that only the creator sees',
      { privacy_level: 'SELF_ONLY', brand_content_toggle: true },
      {},
      400,
      'invalid_params',
    ],
    [
      'pieces below 5 MB',
      {},
      { video_size: 20_000_000, chunk_size: 4_000_000, total_chunk_count: 5 },
      400,
      'invalid_params',
    ],
    [
      'pieces over 64 MB',
      {},
      { video_size: 200_000_000, chunk_size: 65_000_000, total_chunk_count: 3 },
      400,
      'invalid_params',
    ],
    [
      'a wrong count of pieces',
      {},
      { video_size: 25_000_000, chunk_size: 10_000_000, total_chunk_count: 3 },
      400,
      'invalid_params',
    ],
    [
      'more than 4 GB',
      {},
      { video_size: 4_000_000_001, chunk_size: 10_000_000, total_chunk_count: 400 },
      400,
      'invalid_params',
    ],
    [
      'a video on an unverified domain',
      {},
      {
        source: 'PULL_FROM_URL',
        video_url: 'https://a.example/v.mp4',
        video_size: undefined,
        chunk_size: undefined,
        total_chunk_count: undefined,
      },
      403,
      'url_ownership_unverified',
    ],
    ['an unknown field', { music: 1 }, {}, 400, 'invalid_params'],
  ])('%s', async (_what, post, source, status, code) => {
    const one = await creator()
    expect(await one.init(clip.length, post, source)).toMatchObject({ status, body: { error: { code } } })
  })

  test('JSON that is not declared as UTF-8', async () => {
    const { tokens } = await creator()
    const answer = await call<Answered>(`${sandbox.url}/video/v2/post/publish/creator_info/query/`, {
      json: {},
      headers: bearer(tokens.access_token),
    })
    expect(answer.body.error.code).toBe('invalid_params')
  })

  test.each([
    ['a video under 3 seconds', { seconds: 2 }, 'duration_check_failed'],
    ['a frame rate under 23', { frameRate: 12 }, 'frame_rate_check_failed'],
    ['a side under 360 pixels', { height: 240 }, 'picture_size_check_failed'],
    ['an unknown codec', { codec: 'av1' as const, width: 160, height: 90 }, 'file_format_check_failed'],
  ])('%s, after processing', async (_what, made, reason) => {
    const one = await creator()
    const id = await one.post(await video(made))
    await wait(1_000)
    expect((await one.status(id)).body.data).toMatchObject({ status: 'FAILED', fail_reason: reason })
    expect(await live(one.tokens.open_id)).toEqual([])
  })

  test('a file that is not a video, and one that fails moderation', async () => {
    const one = await creator()
    const [noise, spam] = [
      await one.post(Buffer.alloc(5000, 'x')),
      await one.post(clip, { title: '[sim:fail spam_risk]' }),
    ]
    await wait(1_000)
    expect((await one.status(noise)).body.data.fail_reason).toBe('file_format_check_failed')
    expect((await one.status(spam)).body.data.fail_reason).toBe('spam_risk')
    // A refused file is no post, no matter how long ago.
    await wait(60 * MINUTE)
    expect((await one.api('video/list/?fields=id', {})).body.data).toMatchObject({ videos: [] })
  })

  test('the seventh upload started in a minute, the sixth that waits for its bytes, and the sixteenth video of a day', async () => {
    const one = await creator()
    for (let begun = 0; begun < 5; begun += 1) expect((await one.init(clip.length)).status).toBe(200)
    expect((await one.init(clip.length)).body.error.code).toBe('spam_risk_too_many_pending_share')
    expect(await one.init(clip.length)).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })

    const many = await creator()
    for (let made = 0; made < 15; made += 1) {
      await many.post()
      await wait(MINUTE)
    }
    expect((await many.init(clip.length)).body.error.code).toBe('spam_risk_too_many_posts')
    await wait(86_400_000)
    const next = await refresh(many.tokens.refresh_token)
    expect(next.status).toBe(200)
  })

  test('options that a private or a restricted creator does not allow', async () => {
    const info = async (user: string) =>
      (await (await creator(user)).api('post/publish/creator_info/query/', {})).body.data as Record<string, unknown>
    expect(await info('u97')).toMatchObject({
      privacy_level_options: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      duet_disabled: true,
      stitch_disabled: true,
      comment_disabled: false,
    })
    expect(await info('u89')).toMatchObject({ comment_disabled: true, max_video_post_duration_sec: 60 })
    // A café of the demo whose number is a multiple of 89 and 97.
    const cafe = await info('u900007516')
    expect(cafe.privacy_level_options).toContain('PUBLIC_TO_EVERYONE')
    expect(cafe).toMatchObject({ comment_disabled: false, max_video_post_duration_sec: 60 })
    expect((await (await creator('u97')).init(clip.length)).body.error.code).toBe('privacy_level_option_mismatch')
  })

  test('reading the upload of another creator', async () => {
    const [one, other] = [await creator(), await creator()]
    const { body } = await one.init(clip.length)
    expect((await other.status(body.data.publish_id)).body.error.code).toBe(
      'token_not_authorized_for_specified_publish_id',
    )
    expect((await one.status('v_pub_file~v2-1.0')).body.error.code).toBe('invalid_publish_id')
  })
})

/** Returns a box that players skip. */
function freeBox(size: number): Buffer {
  const box = Buffer.alloc(size)
  box.writeUInt32BE(size, 0)
  box.write('free', 4)
  return box
}
