import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { messagesAt, openInbox, type OpenedInbox, threadOf } from '../../../test/inbox.ts'
import { addJob } from '../../../test/jobs.ts'
import { call, eventually, newPerson, type Person, type Problem, untilClockKnown } from '../../../test/world.ts'
import type { Message, OpenThread } from './api.ts'

// Networks that do not let people write under the tag HUMAN_AGENT.

const WITHOUT = { ...FAST, HUMAN_AGENT: 'off' }
const { product, sandbox, sql } = useProduct({ env: WITHOUT, own: true })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url)
  page = await openInbox(ann, sandbox.url, 'u3911')
})

const read = (id: string) => ann.must<OpenThread>('GET', `/conversations/${id}`)
const write = (id: string, text: string) =>
  ann.call<Message & Problem>('POST', `/conversations/${id}/messages`, { text })

test('without the tag, longer windows that another process has opened end soon', async () => {
  await page.play({ kind: 'dm', from: { name: 'Ina' }, text: 'Is it back?' })
  const { id } = await threadOf(ann, 'Ina')
  const before = await read(id)
  await sql.query(`update thread set human_until = window_until + interval '6 days' where id = $1`, [id])
  expect((await read(id)).humanUntil).not.toBe(before.humanUntil)
  await addJob(sql, 'inbox-watch', {})
  await eventually(async () => (await read(id)).humanUntil === before.humanUntil)
})

test('without the tag a person can write for a day, and then not at all', async () => {
  await page.play({ kind: 'dm', from: { name: 'Wim' }, text: 'Is it back?' })
  const { id } = await threadOf(ann, 'Wim')
  const { windowUntil, humanUntil } = await read(id)
  expect(humanUntil).toBe(windowUntil)
  await call(sandbox.url, 'POST', '/clock', { advanceMs: 25 * 3_600_000 })
  await sql.query('update app_clock set shift = shift + make_interval(hours => 25)')
  await untilClockKnown(sql, ann)
  expect((await write(id, 'It is here')).body).toMatchObject({ status: 409, code: 'window_closed' })
  // Even if the window were longer, no call has the tag, so the network refuses the message.
  await sql.query(`update thread set human_until = app_now() + interval '1 day' where id = $1`, [id])
  const { body } = await write(id, 'It is here')
  const failed = await eventually(async () => {
    const delivery = (await read(id)).messages.find((each) => each.id === body.id)?.delivery
    return delivery?.state === 'FAILED' && delivery
  })
  expect(failed.error?.code).toBe('window_closed')
  expect((await messagesAt(sandbox.url, page.account.externalId)).map(({ text }) => text)).not.toContain('It is here')
})
