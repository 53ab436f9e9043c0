import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { freePort, type Running, startProduct } from '../../../test/product.ts'
import { long } from '../../../test/tier.ts'
import { call, eventually, mailTo as mailsTo, newPerson } from '../../../test/world.ts'
import { createMail } from './mail.ts'

interface Taken {
  from: string
  to: string[]
  user: unknown
  source: string
}

const USER = 'postbox'
const SECRET = 'the-password-of-the-mail-server'
const LETTER = { subject: 'Grüße · مرحبا', text: 'Plain words', html: '<p>Words</p>' }

let taken: Taken[]
let ends: (() => Promise<unknown>)[]

beforeEach(() => {
  taken = []
  ends = []
})
afterEach(async () => {
  for (const end of ends.toReversed()) await end()
})

/** Starts a mail server that accepts messages from senders with the right password. */
async function startServer(port = 0): Promise<number> {
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) =>
      password === SECRET ? done(null, { user: username }) : done(new Error(`${username} with ${password} is nobody`)),
    onData(stream, { envelope, user }, done) {
      void text(stream).then((source) => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        taken.push({ from, to: envelope.rcptTo.map(({ address }) => address), user, source })
        done(null)
      })
    },
  })
  server.on('error', () => undefined)
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  ends.push(() => new Promise<void>((done) => server.close(done)))
  return (server.server.address() as AddressInfo).port
}

const mailTo = (port: number, password = SECRET) => {
  const url = `smtp://${USER}:${password}@127.0.0.1:${port}`
  const mail = createMail({ from: 'Parley <hello@parley.test>', url: async () => url })
  ends.push(() => mail.close())
  return mail
}

test('a letter is sent as text and HTML, with the sender, the recipient and its id', async () => {
  const mail = mailTo(await startServer())
  await mail.send('first', 'ann@example.test', LETTER)
  await mail.send('second', 'bea@example.test', LETTER)
  expect(taken.map(({ from, to, user }) => [from, to, user])).toEqual([
    ['hello@parley.test', ['ann@example.test'], USER],
    ['hello@parley.test', ['bea@example.test'], USER],
  ])
  const source = taken[0]?.source ?? ''
  expect(source).toContain('From: Parley <hello@parley.test>')
  expect(source).toContain('Message-ID: <first@parley.test>')
  expect(source).toMatch(/Subject: =\?UTF-8\?/i)
  expect(source).toContain('multipart/alternative')
  expect(source).toContain('Plain words')
  expect(source).toContain('<p>Words</p>')
})

test('the refusal of a server names neither the password nor a person', async () => {
  const mail = mailTo(await startServer(), 'not-the-password')
  const error: unknown = await mail.send('first', 'ann@example.test', LETTER).catch((reason: unknown) => reason)
  expect(String(error)).toMatch(/rejected the message: EAUTH 535/)
  expect(`${String(error)} ${JSON.stringify(error)} ${(error as Error).stack}`).not.toMatch(
    /not-the-password|postbox|ann@/,
  )
  expect((error as Error).cause).toBeUndefined()
})

test('mail works again after the server was unreachable or dropped a kept connection', async () => {
  const port = await freePort()
  const mail = mailTo(port)
  await expect(mail.send('first', 'ann@example.test', LETTER)).rejects.toThrow('rejected the message')
  await startServer(port)
  await mail.send('second', 'ann@example.test', LETTER)
  await ends.pop()?.()
  await expect(mail.send('third', 'ann@example.test', LETTER)).rejects.toThrow('rejected the message')
  await startServer(port)
  await mail.send('fourth', 'ann@example.test', LETTER)
  expect(taken).toHaveLength(2)
})

test('a server that accepts a connection but never answers is given up', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  ends.push(() => new Promise((done) => silent.close(done)))
  const mail = mailTo((silent.address() as AddressInfo).port)
  const started = performance.now()
  await expect(mail.send('first', 'ann@example.test', LETTER)).rejects.toThrow('ETIMEDOUT')
  expect(performance.now() - started).toBeLessThan(25_000)
})

describe('in the product', () => {
  let database: TestDatabase
  let product: Running
  let sql: pg.Client
  let port: number

  beforeEach(async () => {
    port = await freePort()
    database = await freshDatabase()
    ends.push(() => database.drop())
    product = await startProduct({
      databaseUrl: database.url,
      env: {
        SMTP_URL: `smtp://${USER}:${SECRET}@127.0.0.1:${port}`,
        MAIL_FROM: 'hello@parley.test',
        LOG_LEVEL: 'trace',
      },
    })
    ends.push(() => product.stop())
    sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    ends.push(() => sql.end())
  })

  /** Creates an account and returns its address, after removing the account's own first letter from the queue. */
  async function newAddress(): Promise<string> {
    const ann = await newPerson(product.url)
    await eventually(async () => {
      const { rowCount } =
        await sql.query(`delete from graphile_worker._private_jobs where payload::text like '%"kind": "one-time-code"%'
        or (payload::text like '%"kind":"one-time-code"%')`)
      return rowCount === 1
    })
    return ann.session.user.email as string
  }

  /** Waits until no letter is queued. Other jobs come at any time, by the clock. */
  const noLetterWaits = () =>
    eventually(
      async () =>
        (await sql.query(`select from graphile_worker._private_jobs where payload::text like '%password-reset%'`))
          .rowCount === 0,
    )

  test('a letter waits for an unreachable server with the reason, and is sent once when the server is back', async () => {
    const email = await newAddress()
    await call(product.url, 'POST', '/api/v1/auth/forgot-password', { email })
    const waiting = await eventually(async () => {
      const { rows } = await sql.query<{ lastError: string; payload: string }>(
        `select last_error as "lastError", payload::text from graphile_worker._private_jobs where last_error is not null`,
      )
      return rows[0]
    })
    expect(waiting.lastError).toContain('The mail server rejected the message')
    expect(waiting.payload).toContain('password-reset')
    expect(`${waiting.lastError}${waiting.payload}`).not.toMatch(new RegExp(`${email}|${SECRET}|/app/reset`))

    await startServer(port)
    await eventually(async () => taken.length > 0)
    await noLetterWaits()
    expect(taken.map(({ to }) => to)).toEqual([[email]])

    const token = /\/app\/reset\/([\w=\r\n-]+)/.exec(taken[0]?.source ?? '')?.[1]?.replaceAll(/=\r?\n/g, '') ?? ''
    expect(token.length).toBeGreaterThan(40)
    await call(product.url, 'GET', `/app/reset/${token}`)
    await eventually(async () => product.output().includes('/app/reset/[secret]'))
    const log = product.output()
    expect(log).toContain('rejected the message')
    for (const secret of [email, SECRET, token]) expect(log.includes(secret), secret.slice(0, 5)).toBe(false)
  })

  test('an expired letter is not sent', async () => {
    await call(product.url, 'POST', '/api/v1/auth/forgot-password', { email: await newAddress() })
    await eventually(
      async () =>
        (await sql.query('select from graphile_worker._private_jobs where last_error is not null')).rowCount === 1,
    )
    await sql.query(`update graphile_worker._private_jobs set run_at = now(),
      payload = jsonb_set(payload::jsonb, '{data,until}', '"2026-01-01T00:00:00.000Z"')::json
      where payload::text like '%password-reset%'`)
    await startServer(port)
    await noLetterWaits()
    await eventually(async () => product.output().includes('not sent: no mail server took it in time'))
    expect(taken).toEqual([])
  })
})

test.runIf(long)(
  'a separate worker finds the mail server of the sandbox, also after the sandbox has restarted',
  async () => {
    const database = await freshDatabase()
    ends.push(() => database.drop())
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const env = { PORT: String(port), PUBLIC_URL: url }
    let api = await startProduct({ databaseUrl: database.url, env: { ...env, ROLE: 'api' } })
    const { dataDir } = api
    ends.push(() => rm(dataDir, { recursive: true, force: true }))
    ends.push(() => api.stop())
    const workers = {
      databaseUrl: database.url,
      dataDir,
      env: { ...env, ROLE: 'worker' },
      ready: /Parley worker is ready/,
    }
    const worker = await startProduct(workers)
    ends.push(() => worker.stop())
    const ann = await newPerson(url)
    const email = ann.session.user.email as string
    const arrives = async (count: number) => {
      await call(url, 'POST', '/api/v1/auth/forgot-password', { email })
      await eventually(async () => (await mailsTo(url, email)).length === count)
    }
    await arrives(1)
    await api.kill()
    api = await startProduct({ databaseUrl: database.url, dataDir, env: { ...env, ROLE: 'api' } })
    await arrives(2)
  },
)

test.runIf(long)('without a mail server, a request for a letter is refused', async () => {
  const database = await freshDatabase()
  ends.push(() => database.drop())
  const product = await startProduct({ databaseUrl: database.url, env: { SANDBOX: 'off' } })
  ends.push(() => product.stop())
  const answer = await call<{ code: string }>(product.url, 'POST', '/api/v1/auth/forgot-password', {
    email: 'ann@example.test',
  })
  expect([answer.status, answer.body.code]).toEqual([503, 'provider_not_configured'])
})
