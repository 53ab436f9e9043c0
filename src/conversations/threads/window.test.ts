import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { messagesAt, openInbox, type OpenedInbox, threadsOf } from '../../../test/inbox.ts'
import { call, eventually, newPerson, type Person, type Problem, untilClockKnown } from '../../../test/world.ts'
import type { Message, OpenThread, Thread } from './api.ts'

const { product, sandbox, sql } = useProduct({ env: FAST, own: true })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url)
  page = await openInbox(ann, sandbox.url, 'u3910')
})

const HOUR = 3_600_000
/** Moves the clocks of the networks and of the product. */
const pass = async (hours: number) => {
  await call(sandbox.url, 'POST', '/clock', { advanceMs: hours * HOUR })
  await sql.query('update app_clock set shift = shift + make_interval(hours => $1)', [hours])
  await untilClockKnown(sql, ann)
}
const sent = (thread: Pick<Thread, 'id'>, { id }: Message, state: string) =>
  eventually(async () => {
    const { messages } = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
    return messages.find((each) => each.id === id)?.delivery?.state === state
  })

test('a person can write normally for a day, with the human agent tag until the seventh day, and then not at all', async () => {
  await page.play({ kind: 'dm', from: { name: 'Wim' }, text: 'Is it back?' })
  const thread = await eventually(async () => (await threadsOf(ann, '?kind=DM'))[0])
  const write = (text: string) => ann.call<Message & Problem>('POST', `/conversations/${thread.id}/messages`, { text })
  const texts = async () => (await messagesAt(sandbox.url, page.account.externalId)).map(({ text }) => text)
  await sent(thread, (await write('Tomorrow')).body, 'PUBLISHED')
  await pass(25)
  // Without the tag the network would refuse this message.
  await sent(thread, (await write('It is here')).body, 'PUBLISHED')
  expect(await texts()).toEqual(['Is it back?', 'Tomorrow', 'It is here'])
  await pass(6 * 24)
  expect((await write('Too late')).body).toMatchObject({ status: 409, code: 'window_closed' })
  expect(await texts()).toHaveLength(3)
  // A message from the customer opens both windows again.
  await page.play({ kind: 'dm', from: { name: 'Wim' }, text: 'Still there?' })
  await eventually(async () => (await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)).messages.length === 4)
  await sent(thread, (await write('We are')).body, 'PUBLISHED')
}, 120_000)
