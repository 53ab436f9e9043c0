import { request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { useProduct } from './fixtures.ts'
import { newPerson, type Person, uploadPicture } from './world.ts'

// A client that disconnects before or during an answer is not our fault, so the log shows no error.

const { product } = useProduct({ env: { LOG_LEVEL: 'info' }, own: true })
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

/** Sends a request and disconnects after `after` milliseconds, or with the first bytes of the answer. */
async function breakOff(url: string, after: number | 'answer', json?: object): Promise<void> {
  const headers = { authorization: `Bearer ${ann.session.accessToken}`, 'x-workspace-id': ann.workspaceId }
  const asked = json
    ? request(url, {
        method: 'POST',
        headers: { authorization: 'Bearer sandbox-ai-key', 'content-type': 'application/json' },
      })
    : request(url, { headers })
  asked.on('error', () => undefined)
  asked.on('response', (answer) => {
    answer.on('error', () => undefined)
    if (after === 'answer') asked.destroy()
  })
  const gone = new Promise((done) => asked.on('close', done))
  asked.end(json && JSON.stringify(json))
  if (after !== 'answer') setTimeout(() => asked.destroy(), after)
  await gone
}

test('an aborted download logs no error', async () => {
  const { storageUrl } = await uploadPicture(ann)
  for (const url of [storageUrl as string, `${product.url}/api/v1/posts/export`, `${product.url}/app/`]) {
    for (const after of ['answer', 0, 1, 2, 4, 8] as const) await breakOff(url, after)
  }
  // This request is answered after the product has released the others.
  expect((await ann.call('GET', '/posts')).status).toBe(200)
  expect(product.output()).not.toMatch(/"level":(40|50|60)|FST_ERR|PREMATURE/)
})

test('an aborted call of the model stand-in logs no error, even before its first word', async () => {
  const told = await fetch(`${product.url}/sandbox/ai/behaviour`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ delayMs: 300 }),
  })
  expect(told.ok).toBe(true)
  const chat = { model: 'sandbox-writer', stream: true, messages: [{ role: 'user', content: 'bread' }] }
  const path = `${product.url}/sandbox/ai/v1/chat/completions`
  await breakOff(path, 100, chat)
  // This request is as slow and starts later: when it is answered, the stand-in has finished the first one too.
  const whole = await fetch(path, {
    method: 'POST',
    headers: { authorization: 'Bearer sandbox-ai-key', 'content-type': 'application/json' },
    body: JSON.stringify(chat),
  })
  expect(await whole.text()).toContain('[DONE]')
  expect(product.output()).not.toMatch(/"level":(40|50|60)|FST_ERR|PREMATURE/)
})
