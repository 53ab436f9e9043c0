import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMail } from '../src/core/platform/mail.ts'
import { createSandbox } from './sandbox.ts'
import { call } from './testing.ts'

interface Mails {
  data: { id: string; from: string; to: string; subject: string; text: string; html: string; at: string }[]
}

let folder: string
let stop: () => Promise<unknown>
let url: string

async function start() {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(await createSandbox({ journal: join(folder, 'journal.ndjson') }), { prefix: '/sandbox' })
  url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/sandbox`
  stop = () => app.close()
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-mail-'))
  await start()
})
afterEach(async () => {
  await stop()
  await rm(folder, { recursive: true, force: true })
})

async function send(subject: string, text = 'Words', html = '<p>Words</p>') {
  const server = async () => (await call<{ url: string }>(`${url}/smtp`)).body.url
  const mail = createMail({ from: 'Parley <hello@parley.test>', url: server })
  await mail.send(subject.slice(0, 3), 'ann@example.test', { subject, text, html })
  await mail.close()
}
const mails = async () => (await call<Mails>(`${url}/mail`)).body.data

test('mail accepted by SMTP is available as JSON, newest first, even after a restart', async () => {
  expect(await mails()).toEqual([])
  await send('One · أهلا', 'Grüße\n'.repeat(40))
  await send('Two')
  const [two, one] = await mails()
  expect(two).toMatchObject({ subject: 'Two', to: 'ann@example.test', from: 'Parley <hello@parley.test>' })
  expect(two).toMatchObject({
    text: expect.stringContaining('Words') as string,
    html: expect.stringContaining('<p>') as string,
  })
  expect(one).toMatchObject({ id: 'One@parley.test', subject: 'One · أهلا' })
  expect(one?.text.trim()).toBe('Grüße\n'.repeat(40).trim())
  expect(Math.abs(Date.parse(two?.at ?? '') - Date.now())).toBeLessThan(10_000)
  await stop()
  await start()
  expect(await mails()).toEqual([two, one])
  await call(`${url}/reset`, { json: {} })
  expect(await mails()).toEqual([])
})

test('the console lists a message; its page shows the text with links, and runs no script', async () => {
  expect((await call(url)).text).toContain('No mail yet.')
  await send(
    '<script>1</script>',
    'Go to http://127.0.0.1:3000/app/reset/abc\n<script>2</script>',
    '<script>3</script>',
  )
  const [mail] = await mails()
  const shown = (await call(url)).text
  expect(shown).toContain(`href="/sandbox/mail/${encodeURIComponent(mail?.id ?? '')}"`)
  const page = await call(`${url}/mail/${encodeURIComponent(mail?.id ?? '')}`)
  expect(page.text).toContain('<a href="http://127.0.0.1:3000/app/reset/abc">')
  for (const text of [shown, page.text]) expect(text).not.toContain('<script')
  expect((await call(`${url}/mail/nothing`)).status).toBe(404)
})
