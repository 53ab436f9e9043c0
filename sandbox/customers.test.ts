import { afterAll, beforeAll, expect, test } from 'vitest'
import { liveOf } from './graph/webhooks.ts'
import { call, connect, startSandbox } from './testing.ts'
import { findPage, photoAccountOf } from './people.ts'

// The page on which a person plays the customers of an account.

let sandbox: Awaited<ReturnType<typeof startSandbox>>
beforeAll(async () => {
  sandbox = await startSandbox({ timeScale: 20 })
})
afterAll(() => sandbox.close())

const SCOPE = 'pages_show_list,pages_manage_posts,pages_read_engagement'
const at = (account: string) => `${sandbox.url}/customers/${account}`
const submit = (account: string, fields: Record<string, string>) =>
  call(at(account), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { 'sec-fetch-site': 'same-origin' },
  })
const shown = async (account: string) => (await call(at(account))).text

test('a customer of a page writes, comments, sends pictures, answers, edits and deletes', async () => {
  const { page, post } = await connect(sandbox.url, 'u4950', { scope: SCOPE })
  const { id } = (await post({ message: 'Open again' })).body
  expect((await submit(page.id, { kind: 'dm', name: 'Mia', text: 'Hello <b>there</b>' })).status).toBe(303)
  await submit(page.id, { kind: 'dm', name: 'Mia', picture: 'yes' })
  await submit(page.id, { kind: 'comment', post: id, name: 'Noor', text: 'Which one?' })
  await submit(page.id, { kind: 'comment', post: id, name: 'Noor', picture: 'yes' })
  const html = await shown(page.id)
  expect(html).toContain('Hello &lt;b&gt;there&lt;/b&gt;')
  expect(html).toContain('Which one?')
  const pictures = [...html.matchAll(/<img\s+src="([^"]+\/picture\/\d+\.png)"/g)].map(([, url]) => url as string)
  expect(pictures).toHaveLength(2)
  expect((await fetch(pictures[0]!)).headers.get('content-type')).toBe('image/png')
  const comment = new RegExp(`value="(${id}_\\d+)"`).exec(html)?.[1] ?? ''
  await submit(page.id, { kind: 'comment', parent: comment, name: 'Otto', text: 'The red one' })
  await submit(page.id, { kind: 'edit', id: comment, text: 'Which one is it?' })
  const changed = await shown(page.id)
  expect(changed).toContain('The red one')
  expect(changed).toContain('Which one is it?')
  // The page has neither scripts nor styles, which its policy forbids.
  expect(changed).not.toMatch(/<script|\sstyle=|\son[a-z]+=/)
})

test('a photo account has a live broadcast to comment on', async () => {
  const { page } = await connect(sandbox.url, 'u4951', { scope: SCOPE })
  const photo = photoAccountOf(findPage(page.id)!)!
  expect(await shown(photo.id)).toContain('Live broadcast')
  await submit(photo.id, { kind: 'live', name: 'Liv', text: 'Hi from Oslo' })
  expect(await shown(photo.id)).toContain('Hi from Oslo')
  expect((await call(`${sandbox.url}/state`)).text).not.toContain(liveOf(photo.id))
})

test('an unknown account has no customers', async () => {
  expect((await call(at('1'))).status).toBe(404)
})
