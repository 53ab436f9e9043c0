import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import sharp from 'sharp'
import type { SocialAccount } from '../src/channels/api.ts'
import type { Session } from '../src/team/identity/api.ts'
import type { MediaFile } from '../src/publishing/media/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { video } from './video.ts'

// Creates people and their data through the public API alone.

export interface Answer<T = unknown> {
  status: number
  headers: Headers
  body: T
}

export interface Problem {
  code: string
  status: number
  requestId: string
  errors?: { path: string; code: string; message: string }[]
  [more: string]: unknown
}

export const PASSWORD = 'correct horse battery'

export interface Person {
  url: string
  session: Session
  workspaceId: string
  /** Makes a call in this person's name and workspace. Retries while the machine is too busy. */
  call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  /** Makes a call that must succeed. */
  must<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>
}

/** Makes one call. A string or form is sent as it is, any other body as JSON. */
export async function call<T>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const raw = typeof body === 'string' || body instanceof FormData
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      // The server may close an idle connection just when a slow machine reuses it. An upload keeps its connection: if
      // it were closed right after a refusal, the answer would be lost.
      ...(!(body instanceof FormData) && { connection: 'close' }),
      ...(body !== undefined && !raw && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: raw ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as T }
}

/** Repeats a request while the product is unavailable and says when to retry, up to 30 times. */
async function patient<T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
  for (let asked = 1; ; asked += 1) {
    const answer = await ask()
    const after = Number(answer.headers.get('retry-after') ?? Infinity)
    if ((answer.body as Problem | null)?.code !== 'unavailable' || after > 5 || asked > 30) return answer
    await sleep(after * 1000)
  }
}

/** The time zone of new people and their workspaces. */
export const ZONE = 'Europe/Berlin'

/** Registers a new account with its workspace. */
export async function newPerson(url: string, name = 'Ann'): Promise<Person> {
  const email = `${name.toLowerCase()}-${randomUUID()}@example.test`
  const person = { email, password: PASSWORD, name, timezone: ZONE }
  const answer = await patient(() => call<Session>(url, 'POST', '/api/v1/auth/register', person))
  if (answer.status !== 201) throw new Error(`register answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return asPerson(url, answer.body)
}

export function asPerson(url: string, session: Session, workspaceId = session.workspaces[0]!.id): Person {
  const own = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': workspaceId }
  let renewing: Promise<void> | undefined
  const signInAgain = async () => {
    const known = { email: session.user.email, password: PASSWORD }
    const again = await patient(() => call<Session>(url, 'POST', '/api/v1/auth/login', known))
    if (again.status !== 200) throw new Error(`login answered ${again.status}`)
    own.authorization = `Bearer ${again.body.accessToken}`
  }
  const person: Person = {
    url,
    session,
    workspaceId,
    async call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const ask = () => patient(() => call<T>(url, method, path, body, { ...own, ...headers }))
      const answer = await ask()
      if (answer.status !== 401 || (answer.body as Problem).code !== 'token_expired') return answer
      // The test moved the clock or takes long. The person signs in again, once for all requests that need it.
      renewing ??= signInAgain().finally(() => (renewing = undefined))
      await renewing
      return ask()
    },
    async must<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const answer = await person.call<T>(method, path, body, headers)
      if (answer.status >= 300)
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
  }
  return person
}

/** Creates a person who accepts an invitation. Returns them as a member of the owner's workspace. */
export async function join(owner: Person, name: string, role: string): Promise<Person> {
  const { url, workspaceId } = owner
  const person = await newPerson(url, name)
  await confirmEmail(person)
  const email = person.session.user.email ?? ''
  await owner.must('POST', `/workspaces/${workspaceId}/members`, { email, role })
  const token = await eventually(async () =>
    (await mailTo(url, email)).flatMap(({ text }) => /\/invite\/([\w-]+)/.exec(text)?.[1] ?? []).at(0),
  )
  await person.must('POST', `/invitations/${token}/accept`)
  return asPerson(url, person.session, workspaceId)
}

/**
 * Connects the accounts of a sandbox person on one network through the consent page and returns them. Retries after a
 * timeout, because timeouts in tests are a fraction of the real ones.
 */
export async function connect(
  person: Person,
  network: SocialAccount['platform'],
  sandboxUser: string,
  tries = 3,
): Promise<SocialAccount[]> {
  const started = await person.call<{ authorizationUrl: string }>(
    'GET',
    `/api/v1/auth/oauth/${network}?redirect=/app/accounts`,
    undefined,
    {
      accept: 'application/json',
    },
  )
  if (started.status !== 200) throw new Error(`connecting answered ${started.status}: ${JSON.stringify(started.body)}`)
  const cookie = started.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ')
  const consent = await fetch(`${started.body.authorizationUrl}&sandbox_approve=1&sandbox_user=${sandboxUser}`, {
    redirect: 'manual',
  })
  const back = new URL(consent.headers.get('location') ?? '')
  const done = await call<string>(person.url, 'GET', back.pathname + back.search, undefined, { cookie })
  const where = done.headers.get('location') ?? ''
  if (where.includes('network_error') && tries > 1) return connect(person, network, sandboxUser, tries - 1)
  if (!where.includes('connected=')) throw new Error(`connecting ended at ${where} (${done.status})`)
  const { data } = await person.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
  return data.filter((account) => account.platform === network)
}

/** Connects the pages of a sandbox person. */
export const connectPages = (person: Person, sandboxUser = 'u1') => connect(person, 'NET_PAGE', sandboxUser)

/** Makes a real picture of one colour. */
export const picture = (width = 800, height = 600, background = '#3b82f6') =>
  sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer()

/** Uploads a picture and waits until it is ready. */
export const uploadPicture = async (person: Person, bytes?: Buffer, fileName = 'coffee.jpg'): Promise<MediaFile> =>
  uploadFile(
    person,
    bytes ?? (await picture()),
    fileName,
    `image/${fileName.split('.').at(-1)?.replace('jpg', 'jpeg')}`,
  )

export { video } from './video.ts'

/** Uploads a video and waits until it is ready or rejected. */
export const uploadVideo = async (person: Person, bytes?: Buffer, fileName = 'coffee.mp4'): Promise<MediaFile> =>
  uploadFile(person, bytes ?? (await video()), fileName, fileName.endsWith('.mov') ? 'video/quicktime' : 'video/mp4')

async function uploadFile(person: Person, bytes: Buffer, fileName: string, type: string): Promise<MediaFile> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)], { type }), fileName)
  // This renews an expired token, so that the upload is not refused early and needs no connection that stays open (see
  // `call`).
  await person.must('GET', '/api/v1/auth/me')
  const file = await person.must<MediaFile>('POST', '/media', form, { connection: 'close' })
  return eventually(async () => {
    const found = await person.must<MediaFile>('GET', `/media/${file.id}`)
    return found.state === 'PROCESSING' ? undefined : found
  })
}

/** Calls `look` until it returns something, less often the longer it takes. Fails after the limit. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false>,
  limit = 120_000,
  every = 50,
): Promise<T> {
  const end = Date.now() + limit
  for (let pause = every; ; pause = Math.max(every, Math.min(pause * 1.2, 400))) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (Date.now() > end) throw new Error(`It did not come about within ${limit} ms: ${look.toString()}`)
    await sleep(pause)
  }
}

/** Waits until a statement waits for a lock that this connection holds. */
export async function untilWaitedFor(sql: Pick<Pool, 'query'>, holder: Pick<Pool, 'query'>): Promise<void> {
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  await eventually(async () => {
    const waiting = 'select from pg_locks where not granted and $1::int = any(pg_blocking_pids(pid))'
    return (await sql.query(waiting, [rows[0]!.pid])).rowCount !== 0
  })
}

/** Waits until the process uses the moved clock of the database, as the time in its tokens shows. */
export const untilClockKnown = (sql: Pick<Pool, 'query'>, person: Person): Promise<true> =>
  eventually(async () => {
    const login = { email: person.session.user.email, password: PASSWORD }
    const { body } = await call<Session>(person.url, 'POST', '/api/v1/auth/login', login)
    const [, claims = ''] = body.accessToken.split('.')
    const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number }
    const { rows } = await sql.query<{ near: boolean }>(
      'select abs(extract(epoch from app_now()) - $1::float8) < 30 as near',
      [iat],
    )
    return rows[0]!.near
  })

/** Returns the post once it has one of these statuses. */
export const untilStatus = (person: Person, id: string, statuses: Post['status'][], limit?: number) =>
  eventually(async () => {
    const post = await person.must<Post>('GET', `/posts/${id}`)
    return statuses.includes(post.status) ? post : undefined
  }, limit)

/**
 * Returns the post once it has ended, without the waits of the publishing machine. Time passes for this post alone, up
 * to its next read after a lost answer, or to its next try. Each read is still made when it is due.
 */
export const untilSentAgain = (sql: Pick<Pool, 'query'>, person: Person, id: string): Promise<Post> =>
  eventually(async () => {
    await skipWait(sql, id)
    const post = await person.must<Post>('GET', `/posts/${id}`)
    return ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED'].includes(post.status) && post
  })

/** Makes the next read or try of a post, its first comment or its removal due now. */
export const skipWait = (sql: Pick<Pool, 'query'>, id: string, kind: 'post' | 'comment' | 'remove' = 'post') =>
  makeDue(sql, 'post_id = $1 and kind = $2', [id, kind])

/** Makes the next read or try of each answer of an account due now. */
export const skipAnswerWaits = (sql: Pick<Pool, 'query'>, accountId: string) =>
  makeDue(sql, `account_id = $1 and message_id is not null`, [accountId])

/** Moves the waits of deliveries, and has the product notice it at once instead of within a second. */
async function makeDue(sql: Pick<Pool, 'query'>, which: string, values: string[]): Promise<void> {
  const { rowCount } = await sql.query(
    `update delivery set next_at = app_now(), intent_at = intent_at - (next_at - app_now()),
      first_intent_at = first_intent_at - (next_at - app_now()), absent_at = absent_at - (next_at - app_now()),
      late_read_at = late_read_at - (next_at - app_now())
    where ${which} and state in ('SUBMITTING', 'PENDING') and turn is null and lease_until is null
      and next_at > app_now()`,
    values,
  )
  if (rowCount) await wake(sql)
}

/** Has the product look for due deliveries at once, as an event of another process does. */
export const wake = (sql: Pick<Pool, 'query'>) => sql.query(`select pg_notify('parley_events', '[["", "post", ""]]')`)

export interface LivePost {
  id: string
  message: string
  permalink: string
  photos: { id: string; sha256: string }[]
  /** The kind of a post that is not a usual one. */
  kind?: string
  comments?: { text: string }[]
}

interface SandboxState {
  networks: Record<string, { accounts: { id: string; live: LivePost[] }[] }>
  users: { id: string; calls: number; maxInHour: number }[]
}

/** Returns the live posts on the stand-ins, by account. */
export async function liveOn(sandboxUrl: string): Promise<Map<string, LivePost[]>> {
  const { body } = await call<SandboxState>(sandboxUrl, 'GET', '/state')
  const accounts = Object.values(body.networks).flatMap((network) => network.accounts)
  return new Map(accounts.map((account) => [account.id, account.live]))
}

/** Returns the most calls that any one person made within an hour, as counted by the network. */
export async function maxCallsInHour(sandboxUrl: string): Promise<number> {
  const { body } = await call<SandboxState>(sandboxUrl, 'GET', '/state')
  return Math.max(0, ...body.users.map((user) => user.maxInHour))
}

/** A refusal in the own envelope of NET_PAGE and NET_PHOTO, for `addFault`. Without it, a commit is not refused. */
export const graphError = (error: {
  code: number
  message?: string
  error_subcode?: number
  error_user_msg?: string
}) => ({
  error: { message: '', type: 'OAuthException', fbtrace_id: 'trace', ...error },
})

/** Makes the stand-ins fail. */
export async function addFault(
  sandboxUrl: string,
  fault: { match: object; do: object; times?: number },
): Promise<void> {
  const answer = await call(sandboxUrl, 'POST', '/faults', fault)
  if (answer.status >= 300) throw new Error(`the fault was refused: ${JSON.stringify(answer.body)}`)
}

export interface SentMail {
  id: string
  from: string
  to: string
  subject: string
  text: string
  html: string
  at: string
}

/** Returns the newest code mailed to an address, once there are `count`. */
export const codeByMail = (productUrl: string, address: string, count = 1): Promise<string> =>
  eventually(async () => {
    const codes = (await allMailTo(productUrl, address)).map(codeIn).filter(Boolean)
    return codes.length >= count && codes[0]
  })

/** Confirms the address with which a person registered, using the mailed code. */
export async function confirmEmail(person: Person, productUrl = person.url): Promise<void> {
  const email = person.session.user.email as string
  await person.must('POST', '/api/v1/auth/otp/verify', { email, code: await codeByMail(productUrl, email) })
}

export interface SentText {
  id: string
  from: string
  to: string
  text: string
  at: string
}

/** Returns the text messages to a number that the stand-in received, newest first. */
export async function textsTo(productUrl: string, number: string): Promise<SentText[]> {
  const { body } = await call<{ data: SentText[] }>(productUrl, 'GET', `/sandbox/sms?to=${encodeURIComponent(number)}`)
  return body.data
}

/** Returns the newest code sent to a phone, once there are `count`. */
export const codeBySms = (productUrl: string, number: string, count = 1): Promise<string> =>
  eventually(async () => {
    const texts = await textsTo(productUrl, number)
    return texts.length >= count && /\d{6}/.exec(texts[0]?.text ?? '')?.[0]
  })

/**
 * Returns the mail to an address that the stand-in received, newest first. One-time codes are left out, since everyone
 * gets them.
 */
export const mailTo = async (productUrl: string, address: string): Promise<SentMail[]> =>
  (await allMailTo(productUrl, address)).filter((mail) => !codeIn(mail))

async function allMailTo(productUrl: string, address: string): Promise<SentMail[]> {
  const { body } = await call<{ data: SentMail[] }>(
    productUrl,
    'GET',
    `/sandbox/mail?to=${encodeURIComponent(address)}`,
  )
  return body.data
}

const codeIn = ({ subject }: SentMail) => /^\d{6}(?= )/.exec(subject)?.[0]
