import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, call, connect, jpeg, live, startHost, startSandbox } from './testing.ts'
import type { Served } from './testing.ts'

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let host: Awaited<ReturnType<typeof startHost>>
const files: Record<string, Served> = {}
let me: Awaited<ReturnType<typeof connect>>

beforeAll(async () => {
  sandbox = await startSandbox({ fetchTimeoutMs: 2_000 })
  Object.assign(files, { '/a.jpg': { body: await jpeg('teal') }, '/b.jpg': { body: await jpeg('tomato') } })
  host = await startHost(files)
  me = await connect(sandbox.url)
})
afterAll(async () => {
  await sandbox.close()
  await host.close()
})

test('a text post is live, can be read back, and is on the public page with its line breaks', async () => {
  const message = 'Fresh beans today\n  & <b>bread</b>'
  const made = await me.graph(`${me.page.id}/feed?fields=id,permalink_url`, { json: { message, published: true } })
  expect(made.status).toBe(200)
  const read = await me.graph(`${made.body.id}?fields=message,permalink_url,status_type,application{id},is_published`)
  expect(read.body).toMatchObject({
    id: made.body.id,
    message,
    application: { id: 'sandbox-page-app' },
    is_published: true,
  })
  expect(await live(sandbox.url, me.page.id)).toContainEqual(expect.objectContaining({ id: made.body.id, message }))
  const shown = await call(made.body.permalink_url)
  expect(shown.text).toContain('<p class="text">Fresh beans today\n  &amp; &lt;b&gt;bread&lt;/b&gt;</p>')
})

test('a photo is fetched from its URL, stored byte for byte and shown', async () => {
  const made = await me.graph(`${me.page.id}/photos`, {
    json: { url: `${host.url}/a.jpg`, message: 'One', published: true },
  })
  expect(made.body).toEqual({ id: expect.any(String), post_id: expect.stringMatching(`^${me.page.id}_`) })
  const [post] = (
    await me.graph(`${me.page.id}/published_posts?fields=message,attachments{media_type,target{id}}&limit=1`)
  ).body.data
  expect(post).toEqual({
    id: made.body.post_id,
    message: 'One',
    attachments: { data: [{ media_type: 'photo', target: { id: made.body.id } }] },
  })
  const [newest] = (await live(sandbox.url, me.page.id)).slice(-1)
  const kept = await fetch(`${sandbox.url}/media/${newest?.photos[0]?.sha256}`)
  expect(Buffer.from(await kept.arrayBuffer())).toEqual(await jpeg('teal'))
})

test('photos uploaded unpublished are live only once attached, as a JSON list or as form fields', async () => {
  const upload = async (file: string) =>
    (await me.graph(`${me.page.id}/photos`, { json: { url: `${host.url}${file}`, published: false } })).body.id
  const before = (await live(sandbox.url, me.page.id)).length
  const ids = [await upload('/a.jpg'), await upload('/b.jpg')]
  expect(await live(sandbox.url, me.page.id)).toHaveLength(before)
  const json = await me.post({ message: 'Two', attached_media: ids.map((media_fbid) => ({ media_fbid })) })
  expect(json.status).toBe(200)
  const read = await me.graph(`${json.body.id}?fields=attachments{media_type,subattachments{target{id}}}`)
  expect(read.body.attachments.data[0]).toEqual({
    media_type: 'album',
    subattachments: { data: ids.map((id) => ({ target: { id } })) },
  })
  const form = new URLSearchParams({ message: 'Three' })
  form.set('attached_media[0]', JSON.stringify({ media_fbid: await upload('/a.jpg') }))
  form.set('attached_media[1]', JSON.stringify({ media_fbid: await upload('/b.jpg') }))
  const byForm = await call(`${sandbox.url}/graph/v25.0/${me.page.id}/feed`, {
    method: 'POST',
    body: form,
    headers: bearer(me.page.access_token),
  })
  expect(byForm.status).toBe(200)
  expect((await live(sandbox.url, me.page.id)).at(-1)?.photos).toHaveLength(2)
})

test('a photo in the body is published like one from a URL', async () => {
  const body = new FormData()
  body.set('source', new Blob([new Uint8Array(await jpeg('gold'))], { type: 'image/jpeg' }), 'gold.jpg')
  body.set('message', 'From the body')
  body.set('alt_text_custom', 'A golden square')
  const made = await me.graph(`${me.page.id}/photos`, { method: 'POST', body })
  expect((await me.graph(`${made.body.id}?fields=alt_text_custom,name,width`)).body).toMatchObject({
    alt_text_custom: 'A golden square',
    name: 'From the body',
    width: 320,
  })
})

test('a link post shows its link; an invalid URL is refused', async () => {
  const link = 'https://example.com/menu?a=1&b=2'
  const made = await me.post({ message: 'Our menu', link })
  expect(await live(sandbox.url, me.page.id)).toContainEqual(expect.objectContaining({ id: made.body.id, link }))
  const refused = await me.post({ message: 'Our menu', link: 'javascript:alert(1)' })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 2061006 } } })
})

test.each([
  [
    'a WebP declared as a JPEG',
    async () => ({
      body: await sharp(await jpeg('red'))
        .webp()
        .toBuffer(),
    }),
    1366046,
  ],
  ['text declared as a picture', async () => ({ body: 'not a picture at all' }), 1366046],
  ['a truncated JPEG', async () => ({ body: (await jpeg('red')).subarray(0, 20) }), 1366046],
  ['more than 10 MB', async () => ({ body: Buffer.concat([await jpeg('red'), Buffer.alloc(10_500_000)]) }), 1366046],
  ['an endless picture', async () => ({ body: await jpeg('red'), endless: true }), 1366046],
  ['a picture declared as text', async () => ({ body: await jpeg('red'), type: 'text/html' }), 2069019],
  ['a redirect', async () => ({ body: '', status: 302 }), 2069019],
  ['nothing', async () => ({ body: '', status: 404 }), 2069019],
  ['no answer in time', async () => ({ body: '', hang: true }), 2069019],
])('a photo URL that returns %s is refused, and nothing is live', async (_what, served, error_subcode) => {
  const before = await live(sandbox.url, me.page.id)
  files['/bad'] = await served()
  const refused = await me.graph(`${me.page.id}/photos`, { json: { url: `${host.url}/bad`, message: 'bad' } })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 324, error_subcode } } })
  expect(await live(sandbox.url, me.page.id)).toEqual(before)
})

test('a photo can be attached once, only by its own page, and only if it exists', async () => {
  const other = await connect(sandbox.url, 'u2')
  const upload = (of: typeof me) =>
    of.graph(`${of.page.id}/photos`, { json: { url: `${host.url}/a.jpg`, published: false } })
  const [mine, foreign] = [(await upload(me)).body.id, (await upload(other)).body.id]
  const attach = (id: string, message: string) => me.post({ message, attached_media: [{ media_fbid: id }] })
  expect((await attach(foreign, 'foreign')).body.error.code).toBe(100)
  expect((await attach('17000', 'unknown')).body.error.code).toBe(100)
  const twice = await me.post({ message: 'twice', attached_media: [{ media_fbid: mine }, { media_fbid: mine }] })
  expect(twice.body.error).toMatchObject({ code: 100, error_subcode: 1366051 })
  expect((await attach(mine, 'first')).status).toBe(200)
  expect((await attach(mine, 'second')).body.error).toMatchObject({ code: 100, error_subcode: 1366051 })
})

test('of many concurrent calls that attach the same photo, one succeeds', async () => {
  const { id } = (await me.graph(`${me.page.id}/photos`, { json: { url: `${host.url}/a.jpg`, published: false } })).body
  const before = (await live(sandbox.url, me.page.id)).length
  const calls = [1, 2, 3, 4, 5].map((n) => me.post({ message: `race ${n}`, attached_media: [{ media_fbid: id }] }))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(await live(sandbox.url, me.page.id)).toHaveLength(before + 1)
})

test('an empty post is refused, and one with more than 63,206 characters', async () => {
  expect((await me.post({ message: '  \n' })).body.error).toMatchObject({ code: 100, error_subcode: 1349125 })
  expect((await me.post({ message: 'é'.repeat(63_207) })).body.error.code).toBe(100)
  expect((await me.post({ message: '👋'.repeat(63_206) })).status).toBe(200)
})

test('the same text twice in a row is refused, even concurrently; not after another text, or with other pictures', async () => {
  const twins = await Promise.all([me.post({ message: 'Twin' }), me.post({ message: 'Twin' })])
  expect(twins.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
  expect((await me.post({ message: 'Twin' })).body.error).toMatchObject({ code: 506, error_subcode: 1455006 })
  const photo = (file: string) =>
    me.graph(`${me.page.id}/photos`, { json: { url: `${host.url}${file}`, message: 'Twin' } })
  expect((await photo('/a.jpg')).status).toBe(200)
  expect((await photo('/a.jpg')).body.error.code).toBe(506)
  expect((await photo('/b.jpg')).status).toBe(200)
  expect((await me.post({ message: 'Twin' })).status).toBe(200)
})

test('an unpublished post is invisible until is_published, and publishing it again has no effect', async () => {
  const before = (await live(sandbox.url, me.page.id)).length
  const { id } = (await me.post({ message: 'Later', published: false })).body
  expect(await live(sandbox.url, me.page.id)).toHaveLength(before)
  expect((await call(`${sandbox.url}/feed/${me.page.id}/${id.split('_')[1]}`)).status).toBe(404)
  expect((await me.graph(`${id}?fields=is_published`)).body).toEqual({ id, is_published: false })
  for (const _again of [1, 2]) {
    expect((await me.graph(id, { json: { is_published: true } })).body).toEqual({ success: true })
  }
  expect((await live(sandbox.url, me.page.id)).filter((post) => post.id === id)).toHaveLength(1)
})

test('a post can be edited and deleted; a deleted post is unknown', async () => {
  const { id } = (await me.post({ message: 'Opne at nine' })).body
  expect((await me.graph(id, { json: { message: 'Open at nine' } })).body).toEqual({ success: true })
  expect((await me.graph(`${id}?fields=message`)).body).toEqual({ id, message: 'Open at nine' })
  expect((await me.graph(id, { method: 'DELETE' })).body).toEqual({ success: true })
  expect((await me.graph(id)).body.error).toMatchObject({ code: 100, error_subcode: 33, type: 'GraphMethodException' })
  expect((await live(sandbox.url, me.page.id)).map((post) => post.id)).not.toContain(id)
})

test('published_posts can be read to its end by cursors, newest first, while posts are added and removed', async () => {
  const u5 = await connect(sandbox.url, 'u5')
  const oldest = (await u5.post({ message: 'number 0' })).body.id
  for (const n of [1, 2, 3, 4, 5]) await u5.post({ message: `number ${n}` })
  const read = (query: string) => u5.graph(`${u5.page.id}/published_posts?fields=message&limit=2${query}`)
  const first = await read('')
  expect(first.body.data.map(({ message }) => message)).toEqual(['number 5', 'number 4'])
  await u5.post({ message: 'number 6' })
  await u5.graph(String(first.body.data[1]?.['id']), { method: 'DELETE' })
  await u5.graph(oldest, { method: 'DELETE' })
  const second = await read(`&after=${first.body.paging.cursors.after}`)
  expect(second.body.data.map(({ message }) => message)).toEqual(['number 3', 'number 2'])
  const last = await call(second.body.paging.next ?? '', { headers: bearer(u5.page.access_token) })
  expect(last.body.data.map(({ message }) => message)).toEqual(['number 1'])
  expect(last.body.paging.next).toBeUndefined()
  const back = await read(`&before=${second.body.paging.cursors.before}`)
  expect(back.body.data.map(({ message }) => message)).toEqual(['number 6', 'number 5'])
  expect((await u5.graph(`${u5.page.id}/feed?limit=101`)).body.error.code).toBe(100)
})

test('since and until limit the list', async () => {
  const u6 = await connect(sandbox.url, 'u6')
  await u6.post({ message: 'before' })
  await call(`${sandbox.url}/clock`, { json: { advanceMs: 3_600_000 } })
  await u6.post({ message: 'after' })
  const { body } = await u6.graph(`${u6.page.id}/published_posts?fields=created_time`)
  const times = body.data.map(({ created_time }) => Date.parse(String(created_time)) / 1000)
  expect(body.data[0]?.['created_time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)
  const messages = async (query: string) =>
    (await u6.graph(`${u6.page.id}/published_posts?fields=message&${query}`)).body.data.map(({ message }) => message)
  expect(await messages(`since=${times[0]}`)).toEqual(['after'])
  expect(await messages(`until=${(times[1] ?? 0) + 60}`)).toEqual(['before'])
})

test('unknown or unreadable fields are refused without any effect', async () => {
  const { id } = (await me.post({ message: 'fields' })).body
  expect((await me.graph(`${id}?fields=id,likes_of_mum`)).body.error.message).toContain(
    'nonexisting field (likes_of_mum)',
  )
  expect((await me.graph(`${id}?fields=id{`)).body.error.code).toBe(2500)
  const before = await live(sandbox.url, me.page.id)
  expect((await me.graph(`${me.page.id}/feed?fields=nonsense`, { json: { message: 'not made' } })).status).toBe(400)
  const photo = { url: `${host.url}/a.jpg`, message: 'not made' }
  expect((await me.graph(`${me.page.id}/photos?fields=nonsense`, { json: photo })).status).toBe(400)
  expect(await live(sandbox.url, me.page.id)).toEqual(before)
})
