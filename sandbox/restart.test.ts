import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bearer, call, connect, jpeg, live, readState, startHost } from './testing.ts'

let folder: string
let running: ChildProcess | undefined
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'sandbox-process-'))))
afterEach(async () => {
  await end('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const journal = () => join(folder, 'deep', 'journal.ndjson')

/** Starts the sandbox as a separate process and returns the address that it prints. */
async function start(): Promise<string> {
  const env = { ...process.env, PORT: '0', SANDBOX_JOURNAL: journal(), HOST: '127.0.0.1' }
  running = spawn(process.execPath, ['server/sandbox.js'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  for await (const chunk of running.stdout ?? []) {
    said += chunk
    const address = /^sandbox at (\S+)\n/.exec(said)?.[1]
    if (address) return address
  }
  throw new Error(`the sandbox did not start: ${said}`)
}

async function end(signal: NodeJS.Signals): Promise<number | null> {
  const child = running
  running = undefined
  if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
  child.kill(signal)
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

test('effects whose answer was sent or cut off survive kill -9', async () => {
  const host = await startHost({ '/a.jpg': { body: await jpeg('navy') } })
  const url = await start()
  const me = await connect(url)
  await call(`${url}/clock`, { json: { advanceMs: 86_400_000 } })
  await me.post({ message: 'before the kill' })
  await me.graph(`${me.page.id}/photos`, { json: { url: `${host.url}/a.jpg`, message: 'with a picture' } })
  const { id } = (await me.post({ message: 'kept back', published: false })).body
  await call(`${url}/faults`, { json: { match: { path: '/feed' }, do: { drop: 'after' }, times: 2 } })
  await expect(me.post({ message: 'cut off' })).rejects.toThrow('fetch failed')
  const before = await readState(url)
  await end('SIGKILL')

  const again = await start()
  const after = await readState(again)
  const moved = JSON.parse(JSON.stringify(before).replaceAll(url, again)) as typeof before
  expect(after.networks).toEqual(moved.networks)
  expect(after.faults).toEqual(before.faults)
  expect(after.users).toEqual(before.users)
  expect(Date.parse(after.now) - Date.now()).toBeGreaterThan(86_000_000)
  const [page] = after.networks.NET_PAGE.accounts
  expect(page?.live.map(({ message }) => message)).toEqual(['before the kill', 'with a picture', 'cut off'])
  expect((await fetch(`${again}/media/${page?.live[1]?.photos[0]?.sha256}`)).status).toBe(200)
  const publish = await call(`${again}/graph/v25.0/${id}`, {
    json: { is_published: true },
    headers: bearer(me.page.access_token),
  })
  expect(publish.body).toEqual({ success: true })
  await host.close()
})

test('a sandbox killed amid many posts keeps every post that it answered', async () => {
  const url = await start()
  const me = await connect(url)
  const answered: string[] = []
  const posting = Array.from({ length: 60 }, async (_none, n) => {
    const reply = await me.post({ message: `post ${n}` }).catch(() => undefined)
    if (reply?.status === 200) answered.push(reply.body.id)
    if (answered.length === 20) await end('SIGKILL')
  })
  await Promise.all(posting)
  const ids = (await live(await start(), me.page.id)).map((post) => post.id)
  expect(answered.length).toBeGreaterThanOrEqual(20)
  expect(ids).toEqual(expect.arrayContaining(answered))
})

test('a line torn by a kill is dropped, and later lines are kept', async () => {
  const me = await connect(await start())
  await me.post({ message: 'whole' })
  await end('SIGKILL')
  await appendFile(journal(), '{"type":"post.made","post":{"id":"6100')
  const url = await start()
  expect((await live(url, me.page.id)).map(({ message }) => message)).toEqual(['whole'])
  const more = await connect(url)
  await more.post({ message: 'after the tear' })
  await end('SIGKILL')
  expect(await live(await start(), me.page.id)).toHaveLength(2)
})

test('SIGTERM exits with 0', async () => {
  const url = await start()
  await readState(url)
  expect(await end('SIGTERM')).toBe(0)
})

test('a reset deletes posts and tokens for good, and reuses no id', async () => {
  const url = await start()
  const me = await connect(url)
  const { id } = (await me.post({ message: 'to be forgotten' })).body
  expect((await call(`${url}/reset`, { json: {} })).status).toBe(200)
  expect(await live(url, me.page.id)).toEqual([])
  expect((await me.graph('me')).body.error.code).toBe(190)
  const again = await connect(url)
  const other = (await again.post({ message: 'to be kept' })).body.id
  expect(BigInt(other.split('_')[1] ?? 0)).toBeGreaterThan(BigInt(id.split('_')[1] ?? 0))
  await end('SIGKILL')
  expect((await live(await start(), me.page.id)).map(({ message }) => message)).toEqual(['to be kept'])
  expect(await readFile(journal(), 'utf8')).not.toContain('to be forgotten')
})
