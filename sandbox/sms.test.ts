import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSms, SmsError } from '../src/core/platform/sms.ts'
import { addFaultTo, call, startSandbox } from './testing.ts'

const ACCOUNT = { accountSid: `AC${'5a'.repeat(16)}`, authToken: 'sandbox-sms-token', from: '+15005550006' }
const PHONE = '+491701234567'

let sandbox: Awaited<ReturnType<typeof startSandbox>>
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

interface Text {
  id: string
  from: string
  to: string
  text: string
}
const texts = async () => (await call<{ data: Text[] }>(`${sandbox.url}/sms`)).body.data
const smsOf = (more: Partial<typeof ACCOUNT> = {}) =>
  createSms({ ...ACCOUNT, ...more, baseUrl: () => `${sandbox.url}/sms-api` })
/** Returns the reason of a refusal, and whether a retry is safe. */
const refusal = (sent: Promise<void>) =>
  sent.then(
    () => 'sent',
    (error: unknown) => (error instanceof SmsError ? [error.message.split(': ')[1], error.again] : error),
  )
const post = (form: Record<string, string>, account = ACCOUNT, sid = account.accountSid) =>
  call<{ code: number; status: unknown; sid: string }>(
    `${sandbox.url}/sms-api/2010-04-01/Accounts/${sid}/Messages.json`,
    {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { authorization: `Basic ${btoa(`${account.accountSid}:${account.authToken}`)}` },
    },
  )

test('a sent message is available as JSON and on the page of the phone, newest first, even after a restart', async () => {
  expect((await call(sandbox.url)).text).toContain('Phones')
  await smsOf().send(PHONE, '123456 is your code · رمزك')
  await smsOf({ from: `MG${'a'.repeat(32)}` }).send(PHONE, '<script>1</script>')
  const all = await texts()
  expect(all.map(({ text }) => text)).toEqual(['<script>1</script>', '123456 is your code · رمزك'])
  expect(all[1]).toMatchObject({
    from: ACCOUNT.from,
    to: PHONE,
    id: expect.stringMatching(/^SM[0-9a-f]{32}$/) as string,
  })
  await sandbox.restart()
  expect(await texts()).toEqual(all)
  const console = await call(sandbox.url)
  expect(console.text).toContain(`/sandbox/phone/${encodeURIComponent(PHONE)}`)
  const phone = await call(`${sandbox.url}/phone/${encodeURIComponent(PHONE)}`)
  expect(phone.text).toContain('123456 is your code')
  for (const { text } of [console, phone]) expect(text).not.toContain('<script')
  expect((await call(`${sandbox.url}/phone/${encodeURIComponent('+4930123456')}`)).status).toBe(404)
  await call(`${sandbox.url}/reset`, { json: {} })
  expect(await texts()).toEqual([])
})

test('the answer has the provider’s format', async () => {
  const { status, body } = await post({ To: PHONE, From: ACCOUNT.from, Body: 'x'.repeat(200) })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    status: 'queued',
    to: PHONE,
    num_segments: '2',
    direction: 'outbound-api',
    error_code: null,
  })
})

describe('a refusal', () => {
  test.each([
    [{ From: ACCOUNT.from, Body: 'x' }, 21604],
    [{ To: PHONE, Body: 'x' }, 21603],
    [{ To: PHONE, From: '0170', Body: 'x' }, 21212],
    [{ To: '0170 1234567', From: ACCOUNT.from, Body: 'x' }, 21211],
    [{ To: PHONE, From: ACCOUNT.from }, 21602],
    [{ To: PHONE, From: ACCOUNT.from, Body: 'x'.repeat(1601) }, 21617],
    [{ To: '+15005550001', From: ACCOUNT.from, Body: 'x' }, 21211],
    [{ To: '+15005550004', From: ACCOUNT.from, Body: 'x' }, 21610],
  ])('of %j is %i', async (form, code) => {
    const answer = await post(form)
    expect([answer.status, answer.body.code]).toEqual([400, code])
    expect(await texts()).toEqual([])
  })

  test('of another account, and of a wrong password', async () => {
    expect((await post({}, { ...ACCOUNT, authToken: 'guessed' })).body).toMatchObject({ status: 401, code: 20003 })
    expect((await post({}, ACCOUNT, 'AC1')).body).toMatchObject({ status: 404, code: 20404 })
  })
})

describe('the sender', () => {
  test('marks only messages that were certainly not sent as repeatable; errors contain neither number nor text', async () => {
    expect(await refusal(smsOf({ authToken: 'wrong' }).send(PHONE, 'secret 123456'))).toEqual(['401 20003', false])
    expect(await refusal(smsOf().send('+15005550009', 'x'))).toEqual(['400 21614', false])
    await addFaultTo(sandbox.url, { match: { network: 'SMS' }, do: { status: 429 }, times: 1 })
    expect(await refusal(smsOf().send(PHONE, 'x'))).toEqual(['429 20429', true])
    await addFaultTo(sandbox.url, { match: { network: 'SMS' }, do: { status: 503 }, times: 1 })
    expect(await refusal(smsOf().send(PHONE, 'x'))).toEqual(['503 20500', false])
    await addFaultTo(sandbox.url, { match: { network: 'SMS' }, do: { drop: 'after' }, times: 1 })
    const [, again] = (await refusal(smsOf().send(PHONE, 'x'))) as [string, boolean]
    expect([again, (await texts()).length]).toEqual([false, 1])
    const nowhere = createSms({ ...ACCOUNT, baseUrl: () => 'http://127.0.0.1:28410' })
    expect(await refusal(nowhere.send(PHONE, 'x'))).toEqual(['ECONNREFUSED', true])
  })
})
