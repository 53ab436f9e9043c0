import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, call, connect, jpeg, live, startHost, startSandbox } from './testing.ts'

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let host: Awaited<ReturnType<typeof startHost>>
let me: Awaited<ReturnType<typeof connect>>

beforeAll(async () => {
  sandbox = await startSandbox()
  host = await startHost({ '/a.jpg': { body: await jpeg('teal') }, '/b.jpg': { body: await jpeg('tomato') } })
  me = await connect(sandbox.url)
})
afterAll(async () => {
  await sandbox.close()
  await host.close()
})

test('a text post is live, can be read back and stands on the public page with its line breaks', async () => {
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

test('a photo is fetched from its URL, kept with its bytes and shown', async () => {
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

test('photos uploaded unpublished are live only when they are attached, as a JSON list or as form fields', async () => {
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
