import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { asVideo, newStep } from '../../test/adapters.ts'
import { readConfig } from '../core/config.ts'
import type { Connection } from './network.ts'
import { uploadAddress } from './place.ts'
import { openNetworks } from './registry.ts'

// The addresses of the networks, as the settings replace them.

/** What the networks answer, by the end of the path. Bytes go to a host that does not exist. */
const ANSWERS: Record<string, [number, object]> = {
  '/video_reels': [200, { video_id: '5', upload_url: 'https://bytes.invalid/video-upload/v25.0/5' }],
  '/media': [200, { id: '8', uri: 'https://bytes.invalid/ig-api-upload/v25.0/8' }],
  '/upload/video-upload/v25.0/5': [200, { success: true }],
  '/upload/ig-api-upload/v25.0/8': [200, { success: true, message: 'Upload successful.' }],
  '/upload/video/': [201, {}],
  '/8': [200, { id: '8', status_code: 'IN_PROGRESS' }],
}

let server: Server
let url: string
let dataDir: string
const requests: string[] = []
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-place-'))
  server = createServer((request, reply) => {
    const path = request.url ?? ''
    requests.push(`${request.method} ${path}`)
    request.resume().on('end', () => {
      const found = Object.entries(ANSWERS).find(([end]) => path.split('?')[0]?.endsWith(end))
      const [status, body] = found?.[1] ?? [404, {}]
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
})
afterAll(async () => {
  server.close()
  await rm(dataDir, { recursive: true })
})
beforeEach(() => void (requests.length = 0))

const film = asVideo(Buffer.from('bytes'))
const account = { externalId: '77', accessToken: 'token' } as Connection

test.each(['on', 'off'])('bytes go to the upload addresses that are set, with the sandbox %s', async (sandbox) => {
  const config = readConfig({
    DATA_DIR: dataDir,
    SANDBOX: sandbox,
    NET_PAGE_GRAPH_URL: `${url}/graph`,
    NET_PAGE_UPLOAD_URL: `${url}/upload`,
    NET_VIDEO_UPLOAD_URL: `${url}/upload/`,
  })
  const networks = openNetworks(config, () => ({ address: 'http://unused.invalid', inside: 'http://unused.invalid' }))
  const save = async () => undefined
  const reel = { ...newStep(account, 'Once', [film]), options: { kind: 'reel' } }
  await networks.get('NET_PAGE').prepare(reel, save)
  await networks.get('NET_PHOTO').prepare(newStep(account, 'Once', [film]), save)
  const uploadUrl = 'https://bytes.invalid/video/?upload_id=1&upload_token=2'
  const handles = { publishId: 'v1', uploadUrl, sent: 0, begunAt: 0 }
  expect(await networks.get('NET_VIDEO').commit({ ...newStep(account, 'Once', [film]), handles })).toBe('accepted')
  expect(requests.filter((request) => request.includes('/upload/'))).toEqual([
    'POST /upload/video-upload/v25.0/5',
    'POST /upload/ig-api-upload/v25.0/8',
    'PUT /upload/video/?upload_id=1&upload_token=2',
  ])
})

test('without a setting, and below the path of one, the address of the network stays as it is', () => {
  const named = 'http://127.0.0.1:3000/sandbox/rupload/video-upload/v25.0/5?a=1'
  expect(uploadAddress(named, undefined)).toBe(named)
  expect(uploadAddress(named, 'http://127.0.0.1:3000/sandbox/rupload')).toBe(named)
  expect(uploadAddress(named, 'https://proxy.test')).toBe('https://proxy.test/sandbox/rupload/video-upload/v25.0/5?a=1')
})
