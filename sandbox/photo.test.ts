import sharp from 'sharp'
import { eventually } from '../test/world.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type VideoOptions, video } from '../test/video.ts'
import { addFaultTo, bearer, call, connect, type Init, jpeg, readState, startHost, startSandbox } from './testing.ts'

// NET_PHOTO according to its reference: private containers, finished after a while, published once.

const SCOPE = 'pages_show_list,pages_manage_posts,pages_read_engagement,instagram_basic,instagram_content_publish'
const JPEG = await jpeg('teal')
const square = (side: number) => sharp({ create: { width: side, height: side, channels: 3, background: 'teal' } })

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let host: Awaited<ReturnType<typeof startHost>>

beforeAll(async () => {
  sandbox = await startSandbox({ timeScale: 20 })
  host = await startHost({
    '/a.jpg': { body: JPEG },
    '/png.jpg': { body: await square(400).png().toBuffer() },
    '/tall.jpg': { body: await square(400).resize(320, 500, { fit: 'fill' }).jpeg().toBuffer() },
    '/wide.jpg': { body: await square(400).resize(800, 400, { fit: 'fill' }).jpeg().toBuffer() },
    '/text.jpg': { body: 'no picture', type: 'text/plain' },
  })
})
afterAll(async () => {
  await sandbox?.close()
  await host?.close()
})

/** Returns a person's first photo account, with a client of the API that acts for its page. */
async function account(user: string, more: Record<string, string> = {}) {
  const { userToken, graph, page } = await connect(sandbox.url, user, { scope: SCOPE, ...more })
  const fields = 'id,instagram_business_account{id,username,name,followers_count}'
  const accounts = await call(`${sandbox.url}/graph/v25.0/me/accounts?fields=${fields}`, { headers: bearer(userToken) })
  const linked = accounts.body.data.map(
    (each) => each['instagram_business_account'] as { id: string; username: string },
  )
  const id = linked[0]?.id ?? ''
  const make = (json: object) => graph(`${id}/media`, { json })
  const publish = (creation: string) => graph(`${id}/media_publish`, { json: { creation_id: creation } })
  const status = async (creation: string) =>
    (await graph(`${creation}?fields=status_code,status`)).body as unknown as { status_code: string; status: string }
  const finished = async (json: object) => {
    const made = await make(json)
    return eventually(async () => (await status(made.body.id)).status_code === 'FINISHED' && made.body.id)
  }
  const get = (path: string, init?: Init) => graph(path, init)
  return { id, linked, page, make, publish, status, finished, get }
}
const picture = (more: object = {}) => ({ image_url: `${host.url}/a.jpg`, ...more })
const codeOf = ({ body }: { body: { error?: { code: number; error_subcode?: number } } }) =>
  `${body.error?.code}/${body.error?.error_subcode}`

test('each page but a person’s last one has a photo account, which only the permission reveals', async () => {
  const { linked } = await account('u50')
  expect(linked[0]?.id).toMatch(/^1784\d{13}$/)
  expect(linked.at(-1)).toBeUndefined()
  const blind = await account('u51', { scope: 'pages_show_list,pages_manage_posts,pages_read_engagement' })
  expect(blind.linked).toEqual([undefined, undefined])
})

describe('a container', () => {
  test('is private while the network processes it, then finished, then live once by its id', async () => {
    const { id, make, publish, status, finished, get } = await account('u52')
    const made = await make(picture({ caption: 'Early' }))
    expect((await status(made.body.id)).status_code).toBe('IN_PROGRESS')
    expect(codeOf(await publish(made.body.id))).toBe('9007/2207027')
    const ready = await finished(picture({ caption: 'Morning', alt_text: 'A cup' }))
    expect((await get(`${id}/media`)).body.data).toEqual([])
    const live = await publish(ready)
    expect(live.status).toBe(200)
    expect(await status(ready)).toMatchObject({ status_code: 'PUBLISHED' })
    expect(codeOf(await publish(ready))).toBe('24/2207006')
    const fields = 'id,caption,timestamp,permalink,media_type'
    const { data } = (await get(`${id}/media?fields=${fields}`)).body
    expect(data).toMatchObject([{ id: live.body.id, caption: 'Morning', media_type: 'IMAGE' }])
    const page = await call(data[0]?.['permalink'] as string)
    expect(page.text).toContain('Morning')
    expect(page.text).toContain('alt="A cup"')
    const { networks } = await readState(sandbox.url)
    expect(networks.NET_PHOTO.accounts.find((each) => each.id === id)?.live).toMatchObject([{ message: 'Morning' }])
  })

  test('of a carousel takes two to ten finished items, which are published only with it', async () => {
    const { make, finished, publish, id, get } = await account('u53')
    const items = [
      await finished(picture({ is_carousel_item: true })),
      await finished(picture({ is_carousel_item: true })),
    ]
    const children = { media_type: 'CAROUSEL', caption: 'Two' }
    expect(codeOf(await make({ ...children, children: [items[0]] }))).toBe('100/2207028')
    const early = await make(picture({ is_carousel_item: true }))
    expect(codeOf(await make({ ...children, children: [items[0], early.body.id] }))).toBe('9007/2207027')
    expect(codeOf(await make({ ...children, children: [items[0], '1'] }))).toBe('24/2207006')
    expect(codeOf(await publish(items[0] as string))).toBe('24/2207006')
    const parent = await finished({ ...children, children: items })
    expect((await publish(parent)).status).toBe(200)
    expect((await get(`${id}/media?fields=media_type`)).body.data).toMatchObject([{ media_type: 'CAROUSEL_ALBUM' }])
  })

  test('expires after a day', async () => {
    const { finished, status, publish } = await account('u54')
    const made = await finished(picture())
    await call(`${sandbox.url}/clock`, { json: { advanceMs: 86_400_001 } })
    expect((await status(made)).status_code).toBe('EXPIRED')
    expect(codeOf(await publish(made))).toBe('24/2207008')
  })

  test.each([
    ['a picture that is not a JPEG, despite its name', '/png.jpg', '36001/2207005'],
    ['one taller than 4:5', '/tall.jpg', '36003/2207009'],
    ['one wider than 1.91:1', '/wide.jpg', '36003/2207009'],
    ['one that does not exist', '/none.jpg', '9004/2207052'],
    ['one served with another type', '/text.jpg', '9004/2207052'],
  ])('is refused for %s', async (_what, path, code) => {
    const { make } = await account('u55')
    expect(codeOf(await make({ image_url: host.url + path }))).toBe(code)
  })

  test.each([
    ['2,201 characters', 'x'.repeat(2201)],
    ['31 hashtags', Array.from({ length: 31 }, (_, i) => `#a${i}`).join(' ')],
    ['21 mentions', Array.from({ length: 21 }, (_, i) => `@a${i}`).join(' ')],
  ])('is refused for a caption of %s', async (_what, caption) => {
    const { make } = await account('u55')
    expect(codeOf(await make(picture({ caption })))).toBe('36004/2207010')
  })

  test('requires the right to publish on the account: another page, or one without the permission, is refused', async () => {
    const { id } = await account('u56')
    const other = await account('u57')
    expect(codeOf(await other.get(`${id}/media`, { json: picture() }))).toBe('100/33')
    const reader = await account('u58', { scope: 'pages_show_list,pages_read_engagement,instagram_basic' })
    expect(codeOf(await reader.make(picture()))).toBe('200/undefined')
  })
})

test('an account publishes 50 posts a day, and reports how many are used', async () => {
  const { id, make, finished, publish, get } = await account('u59')
  const limit = () => get(`${id}/content_publishing_limit`).then(({ body }) => body.data[0])
  expect(await limit()).toMatchObject({ quota_usage: 0, config: { quota_total: 50, quota_duration: 86_400 } })
  const made = await Promise.all(Array.from({ length: 50 }, () => make(picture())))
  const last = await finished(picture())
  for (const { body } of made) expect((await publish(body.id)).status).toBe(200)
  expect(await limit()).toMatchObject({ quota_usage: 50 })
  expect(codeOf(await publish(last))).toBe('9/2207042')
})

test('an answer can be lost after the effect: the container shows what happened', async () => {
  const { finished, publish, status } = await account('u60')
  const made = await finished(picture({ caption: 'Lost' }))
  await addFaultTo(sandbox.url, {
    match: { network: 'NET_PHOTO', path: '/media_publish' },
    do: { drop: 'after' },
    times: 1,
  })
  await expect(publish(made)).rejects.toThrow()
  expect((await status(made)).status_code).toBe('PUBLISHED')
})

describe('a reel', () => {
  const begin = async (user: string, more: Record<string, string> = {}) => {
    const me = await account(user)
    const { body } = await me.make({ media_type: 'REELS', upload_type: 'resumable', caption: 'Reel', ...more })
    const { id, uri } = body as unknown as { id: string; uri: string }
    const send = (bytes: Buffer, headers: Record<string, string> = {}) =>
      call<{ success: boolean; debug_info: { type: string; retriable: boolean } }>(uri, {
        method: 'POST',
        body: new Uint8Array(bytes),
        headers: {
          authorization: `OAuth ${me.page.access_token}`,
          offset: '0',
          file_size: String(bytes.length),
          'content-type': 'application/octet-stream',
          ...headers,
        },
      })
    return { ...me, container: id, send }
  }
  const wait = (advanceMs: number) => call(`${sandbox.url}/clock`, { json: { advanceMs } })

  test('is in progress until its bytes have arrived and are processed, then finished, then live once by its id', async () => {
    const me = await begin('u60')
    await wait(10_000)
    expect((await me.status(me.container)).status_code).toBe('IN_PROGRESS')
    expect((await me.send(await video())).body).toMatchObject({ success: true })
    expect((await me.publish(me.container)).body.error.error_subcode).toBe(2207027)
    await wait(1_000)
    expect((await me.status(me.container)).status_code).toBe('FINISHED')
    const made = await me.publish(me.container)
    expect(made.status).toBe(200)
    expect((await me.get(`${made.body.id}?fields=media_type,media_product_type,caption`)).body).toMatchObject({
      media_type: 'VIDEO',
      media_product_type: 'REELS',
      caption: 'Reel',
    })
    expect(codeOf(await me.publish(me.container))).toBe('24/2207006')
    expect((await me.send(await video())).body.debug_info.type).toBe('ProcessingFailedError')
  })

  test('with a cover beyond its end is an error in the status; a story accepts no cover', async () => {
    const me = await begin('u63', { thumb_offset: '4000' })
    await me.send(await video())
    await wait(1_000)
    const { status, status_code: code } = await me.status(me.container)
    expect([code, status]).toEqual(['ERROR', expect.stringContaining('2207057')])
    const story = await me.make({ media_type: 'STORIES', upload_type: 'resumable', thumb_offset: '0' })
    expect(story.status).toBe(400)
  })

  test.each<[string, VideoOptions]>([
    ['is under 3 seconds', { seconds: 2 }],
    ['has under 23 frames per second', { frameRate: 12 }],
    ['has an unsupported codec', { codec: 'vp9' }],
    ['is over 1920 pixels wide', { width: 1936, height: 64 }],
  ])('that %s is an error in the status, and cannot be published', async (_what, made) => {
    const me = await begin('u61')
    await me.send(await video(made))
    await wait(1_000)
    const { status, status_code: code } = await me.status(me.container)
    expect([code, status]).toEqual(['ERROR', expect.stringContaining('2207026')])
    expect((await me.publish(me.container)).status).toBe(400)
  })

  test('accepts its bytes only from its page, whole and from the start', async () => {
    const me = await begin('u62')
    const bytes = await video({ seconds: 3 })
    expect((await me.send(bytes, { authorization: 'OAuth nobody' })).status).toBe(401)
    expect((await me.send(bytes, { offset: '10' })).body.debug_info).toMatchObject({ type: 'OffsetInvalidError' })
    expect((await me.send(bytes, { file_size: String(bytes.length + 1) })).body.debug_info.retriable).toBe(true)
    expect((await me.status(me.container)).status_code).toBe('IN_PROGRESS')
    expect((await me.send(bytes)).status).toBe(200)
  })
})
