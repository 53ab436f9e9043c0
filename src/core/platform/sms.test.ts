import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { beside, type Running, startProduct, startSandbox } from '../../../test/product.ts'
import { addFault, call, eventually, type SentText } from '../../../test/world.ts'

let database: TestDatabase
let sandbox: Running
let product: Running
let sql: pg.Client
let env: Record<string, string>

beforeAll(async () => {
  database = await freshDatabase()
  sandbox = await startSandbox({ env: { TIME_SCALE: '20' } })
  env = {
    ...beside(sandbox),
    SMS_ACCOUNT_SID: `AC${'5a'.repeat(16)}`,
    SMS_AUTH_TOKEN: 'sandbox-sms-token',
    SMS_FROM: '+15005550006',
    SMS_BASE_URL: `${sandbox.url}/sms-api`,
  }
  product = await startProduct({ databaseUrl: database.url, env })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})

afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await sandbox?.stop()
  await database?.drop()
})

beforeEach(() => call(sandbox.url, 'DELETE', '/faults'))

const requestCode = async (phone: string) =>
  expect((await call(product.url, 'POST', '/api/v1/auth/otp/send', { phone })).status).toBe(202)

const texts = async (phone: string) =>
  (await call<{ data: SentText[] }>(sandbox.url, 'GET', `/sms?to=${encodeURIComponent(phone)}`)).body.data.length

const jobsDone = () =>
  eventually(async () => {
    const { rows } = await sql.query(
      `select from graphile_worker.jobs where task_identifier in ('sms', 'one-time-code')`,
    )
    return rows.length === 0
  })

test('a message that the provider took before the process was killed is not sent again', async () => {
  const phone = '+491701234501'
  await addFault(sandbox.url, { match: { network: 'SMS' }, do: { delayMs: 200_000, after: true }, times: 1 })
  await requestCode(phone)
  await eventually(async () => (await texts(phone)) === 1)
  const { dataDir } = product
  await product.kill()
  product = await startProduct({ databaseUrl: database.url, dataDir, env })
  await jobsDone()
  expect(await texts(phone)).toBe(1)
})

test('a message that the provider refused for its limit is tried again', async () => {
  const phone = '+491701234502'
  await addFault(sandbox.url, { match: { network: 'SMS' }, do: { status: 429 }, times: 1 })
  await requestCode(phone)
  await jobsDone()
  expect(await texts(phone)).toBe(1)
})

test('a code whose job runs twice is one message', async () => {
  const phone = '+491701234503'
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  try {
    await holder.query('begin')
    // The job waits here with its record, unlike the request.
    await holder.query('lock table security_event in exclusive mode')
    await requestCode(phone)
    const { rows } = await holder.query<{ payload: object }>(
      `select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'one-time-code'`,
    )
    expect(rows).toHaveLength(1)
    const again = `select graphile_worker.add_job('one-time-code', $1::json)`
    await holder.query(again, [JSON.stringify(rows[0]!.payload)])
    await holder.query('commit')
  } finally {
    await holder.end()
  }
  await jobsDone()
  expect(await texts(phone)).toBe(1)
})
