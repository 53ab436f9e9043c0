import type { Session } from '../../../../src/team/identity/api.ts'
import { call, isProblem, problemOf } from '../../../client.ts'
import { isAway, offline } from '../../../problem-error.ts'
import { wait } from '../../../wait.ts'
import type { MakeOnce } from './making.ts'
import { DEMO_PASSWORD, VISITORS } from './visitor.ts'

/** Calls the API as one person, independently of this browser's session. `key` is an `Idempotency-Key`. */
export type DemoCall = <T>(method: string, path: string, body?: object, key?: string) => Promise<T>

/** The colleagues of a demo's owner. */
export type Colleagues = Partial<Record<DemoRole, DemoCall>>
const ROLES = ['ADMIN', 'EDITOR', 'VIEWER', 'CLIENT'] as const
export type DemoRole = (typeof ROLES)[number]
const MAIL_SECONDS = 15

export const asker = (token: string | null, ws?: string): DemoCall => {
  return async <T>(method: string, path: string, body?: object, key?: string) => {
    const response = await fetch(`/api/v1${path}`, {
      method,
      credentials: 'omit',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(ws && { 'x-workspace-id': ws }),
        ...(key && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify(body),
    }).catch((error: unknown) => {
      throw offline(error)
    })
    const text = await response.text()
    if (!response.ok) throw problemOf(response.status, text, response.headers.get('retry-after'))
    return (text ? JSON.parse(text) : null) as T
  }
}

interface Mail {
  to: string
  subject: string
  text: string
}

/** Waits for an email to an address that matches a pattern, and returns the first group. Throws if none arrives. */
async function inMail(sandbox: string, address: string, pattern: RegExp): Promise<string> {
  for (const end = Date.now() + MAIL_SECONDS * 1000; Date.now() < end; await wait(150)) {
    const response = await fetch(`${sandbox}/mail`)
    if (!response.ok) break
    const { data } = (await response.json()) as { data: Mail[] }
    for (const { to, subject, text } of data) {
      const found = to === address ? pattern.exec(`${subject}\n${text}`)?.[1] : undefined
      if (found) return found
    }
  }
  throw new Error(`No mail for ${address}`)
}

/**
 * Invites one person per role and accepts the invitations through the sandbox's mail. If that mail cannot be read from
 * here, or the plan has no room, the owner stays alone. Throws if the service is too busy, which passes.
 */
export async function inviteColleagues(
  ws: string,
  owner: string,
  names: Record<DemoRole, string>,
  more: object,
  once: MakeOnce,
): Promise<Colleagues> {
  const { sandbox: url } = await call('getConfig')
  if (!url) return {}
  // Use the path only: the page may have been opened under another host name of the same machine.
  const sandbox = new URL(url, location.href).pathname
  try {
    await once('address of the owner', async () => {
      const code = await inMail(sandbox, owner, /^(\d{6}) /)
      await call('verifyCode', { body: { email: owner, code } }).catch((error: unknown) => {
        // The answer to an earlier try was lost.
        if (!isProblem(error, 'invalid_code')) throw error
      })
    })
    const joined = await Promise.all(ROLES.map((role) => join(ws, sandbox, role, { name: names[role], ...more }, once)))
    return Object.fromEntries(ROLES.map((role, index) => [role, joined[index]]))
  } catch (error) {
    if (isAway(error) || isProblem(error, 'rate_limited')) throw error
    console.warn('The demo has no colleagues:', error)
    return {}
  }
}

async function join(ws: string, sandbox: string, role: DemoRole, more: object, once: MakeOnce): Promise<DemoCall> {
  const email = await once(
    `address of ${role}`,
    async () => `${role.toLowerCase()}-${crypto.randomUUID().slice(0, 13)}${VISITORS}`,
  )
  await once(`invitation of ${role}`, (idempotencyKey) =>
    call('inviteMember', { params: { id: ws }, workspace: ws, body: { email, role }, idempotencyKey }),
  )
  const { accessToken } = await once(`registration of ${role}`, async () => {
    const inviteToken = await inMail(sandbox, email, /\/invite\/([\w-]+)/)
    const person = { email, password: DEMO_PASSWORD, inviteToken, ...more }
    return asker(null)<Session>('POST', '/auth/register', person).catch((error: unknown) => {
      // The answer to an earlier try was lost, so they are a member already.
      if (!isProblem(error, 'invitation_expired', 'email_taken', 'already_member')) throw error
      return signIn(email)
    })
  })
  return asker(accessToken, ws)
}

const signIn = (email: string) => asker(null)<Session>('POST', '/auth/login', { email, password: DEMO_PASSWORD })

/** Signs in the colleagues who are still members of the workspace. */
export async function findColleagues(ws: string): Promise<Colleagues> {
  const { data } = await call('listMembers', { params: { id: ws }, workspace: ws })
  const found = data.flatMap(({ role, email }) =>
    email?.endsWith(VISITORS) && role && role !== 'OWNER' ? [{ role, email }] : [],
  )
  const asks = await Promise.all(
    found.map(async ({ role, email }) => {
      const { accessToken } = await signIn(email)
      return [role, asker(accessToken, ws)] as const
    }),
  )
  return Object.fromEntries(asks)
}
