import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import Fastify from 'fastify'
import sharp from 'sharp'
import { createSandbox } from './sandbox.ts'
import type { SandboxOptions } from './sandbox.ts'

/** Shared by the sandbox's own tests: a listening sandbox, a client of the Graph API, and a host of pictures. */

export const APP = { id: 'sandbox-page-app', secret: 'sandbox-page-secret' }
export const RETURN = 'http://127.0.0.1:3000/oauth/return?from=page'
const SCOPES =
  'pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_metadata,pages_read_user_content,read_insights'

/** The bodies that the tests examine. A field is present if the answer has it. */
export type Body = {
  id: string
  post_id: string
  access_token: string
  expires_in: number
  permalink_url: string
  success: boolean
  data: Record<string, unknown>[]
  paging: { cursors: { before: string; after: string }; next?: string; previous?: string }
  attachments: { data: Record<string, unknown>[] }
  error: { message: string; code: number; error_subcode?: number; fbtrace_id: string; type: string }
}
export type ShownState = {
  now: string
  networks: {
    NET_PAGE: { accounts: { id: string; live: LivePost[]; deleted: number; unpublished: number }[] }
    NET_PHOTO: { accounts: { id: string; live: LivePost[] }[] }
  }
  users: { id: string; calls: number; maxInHour: number }[]
  faults: { id: string; seen: number; used: number }[]
  refused: { path: string; code: number }[]
}
export type LivePost = {
  id: string
  message: string
  permalink: string
  photos: { id: string; sha256: string }[]
  link?: string
}

/** A request. `json` is sent as a JSON body, by POST. */
export type Init = Omit<RequestInit, 'headers'> & { json?: unknown; headers?: Record<string, string> }
export type Reply<T = Body> = { status: number; headers: Headers; text: string; body: T }

/** Starts a sandbox that listens under `/sandbox`, which is the end of `url`. */
export async function startSandbox(options: Partial<SandboxOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  const journal = join(folder, 'journal.ndjson')
  const listen = async (port: number) => {
    const made = Fastify({ forceCloseConnections: true })
    await made.register(await createSandbox({ journal, ...options }), { prefix: '/sandbox' })
    return { made, at: await made.listen({ host: '127.0.0.1', port }) }
  }
  const { made, at } = await listen(0)
  let app = made
  return {
    url: `${at}/sandbox`,
    journal,
    /** Stops the sandbox and restarts it from its journal at the same address. */
    async restart() {
      await app.close()
      app = (await listen(Number(new URL(at).port))).made
    },
    async close() {
      await app.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function call<T = Body>(address: string, init: Init = {}): Promise<Reply<T>> {
  const { json, ...rest } = init
  const response = await fetch(address, {
    redirect: 'manual',
    ...rest,
    ...(json !== undefined && {
      method: rest.method ?? 'POST',
      body: JSON.stringify(json),
      headers: { 'content-type': 'application/json', ...rest.headers },
    }),
  })
  const text = await response.text()
  const isJson = (response.headers.get('content-type') ?? '').includes('json')
  return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : {}) as T }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export function dialogUrl(url: string, more: Record<string, string> = {}): string {
  const query = {
    client_id: APP.id,
    redirect_uri: RETURN,
    state: 'st4te',
    response_type: 'code',
    scope: SCOPES,
    ...more,
  }
  return `${url}/dialog/v25.0/dialog/oauth?${new URLSearchParams(query)}`
}

/** Returns the code of the dialog for a person who approves everything. */
export async function approve(url: string, user = 'u1', more: Record<string, string> = {}): Promise<string> {
  const { headers } = await call(dialogUrl(url, { sandbox_user: user, sandbox_approve: '1', ...more }))
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
}

export function exchange(url: string, form: Record<string, string>): Promise<Reply> {
  const body = new URLSearchParams({ client_id: APP.id, client_secret: APP.secret, ...form })
  return call(`${url}/graph/v25.0/oauth/access_token`, { method: 'POST', body })
}

/** Returns a person who has granted everything, with their pages and tokens. */
export async function connect(url: string, user = 'u1', more: Record<string, string> = {}) {
  const short = await exchange(url, { code: await approve(url, user, more), redirect_uri: RETURN })
  const long = await exchange(url, { grant_type: 'fb_exchange_token', fb_exchange_token: short.body.access_token })
  const userToken = long.body.access_token
  const accounts = await call(`${url}/graph/v25.0/me/accounts?fields=id,name,access_token`, {
    headers: bearer(userToken),
  })
  const pages = accounts.body.data as { id: string; name: string; access_token: string }[]
  const [page] = pages
  if (!page) throw new Error(`no page in ${JSON.stringify(accounts.body)}`)
  const graph = (path: string, init: Init = {}) =>
    call(`${url}/graph/v25.0/${path}`, { ...init, headers: { ...bearer(page.access_token), ...init.headers } })
  return { userToken, pages, page, graph, post: (json: object) => graph(`${page.id}/feed`, { json }) }
}

export async function addFaultTo(url: string, fault: object): Promise<void> {
  const answer = await call(`${url}/faults`, { json: fault })
  if (answer.status !== 201) throw new Error(answer.text)
}

export const readState = async (url: string) => (await call<ShownState>(`${url}/state`)).body

/** Returns the live posts of a page, from the control route. */
export async function live(url: string, pageId: string): Promise<LivePost[]> {
  const { networks } = await readState(url)
  return networks.NET_PAGE.accounts.find(({ id }) => id === pageId)?.live ?? []
}

export const jpeg = (background: string) =>
  sharp({ create: { width: 320, height: 200, channels: 3, background } })
    .jpeg()
    .toBuffer()

export type Served = { body: Buffer | string; type?: string; status?: number; hang?: boolean; endless?: boolean }

/** Repeats a file in large pieces, so that the size limit is reached before the time limit on a slow machine too. */
async function* repeat(file: Buffer) {
  const piece = Buffer.concat(Array.from({ length: Math.ceil(1_000_000 / file.length) }, () => file))
  while (true) yield piece
}

/** Starts a host of media that serves the given file for each path. */
export async function startHost(files: Record<string, Served>) {
  const server = createServer((request, response) => {
    const file = files[request.url ?? '']
    if (file?.hang) return
    response.writeHead(file ? (file.status ?? 200) : 404, {
      'content-type': file?.type ?? 'image/jpeg',
      location: '/a.jpg',
    })
    if (file?.endless) return void Readable.from(repeat(Buffer.from(file.body))).pipe(response)
    response.end(file?.body ?? '')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
