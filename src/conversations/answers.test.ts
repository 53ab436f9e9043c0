import { createHmac } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../test/fixtures.ts'
import {
  commentsBelow,
  messagesAt,
  openInbox,
  type OpenedInbox,
  tellOfPage,
  threadOf,
  threadsOf,
} from '../../test/inbox.ts'
import { addJob } from '../../test/jobs.ts'
import { sized } from '../../test/tier.ts'
import {
  addFault,
  call,
  confirmEmail,
  eventually,
  graphError,
  join,
  newPerson,
  type Person,
  type Problem,
  skipAnswerWaits,
} from '../../test/world.ts'
import type { SocialAccount } from '../channels/api.ts'
import type { Message, OpenThread, Thread } from './threads/api.ts'

// Answers under pressure: lost responses, concurrent requests, pauses and closed windows.

const { product, sandbox, sql } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url)
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u4001')
})

const read = ({ id }: Pick<Thread, 'id'>) => ann.must<OpenThread>('GET', `/conversations/${id}`)
const answer = ({ id }: Pick<Thread, 'id'>, body: object, person = ann) =>
  person.call<Message & Problem>('POST', `/conversations/${id}/messages`, body)
const untilState = (thread: Pick<Thread, 'id'>, id: string, ...states: string[]) =>
  eventually(async () => {
    const message = (await read(thread)).messages.find((each) => each.id === id)
    return states.includes(message?.delivery?.state ?? '') && message
  })
const directThread = async (name: string) => {
  await page.play({ kind: 'dm', from: { name }, text: `from ${name}` })
  return eventually(async () => (await threadsOf(ann, `?q=from%20${name}`))[0])
}
const pause = (paused: boolean, { id } = page.account) =>
  ann.must<SocialAccount>('PATCH', `/social-accounts/${id}`, { paused })

test("a private reply whose response was lost is proven by the network's echo, and stays one message", async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Una' }, text: 'My order?' })
  const thread = await threadOf(ann, 'Una')
  const match = { network: 'NET_PAGE', method: 'POST', path: '/messages' }
  await addFault(sandbox.url, { match, do: { drop: 'after' }, times: 1 })
  const { body: sent } = await answer(thread, { text: 'It left today', privately: true })
  const done = await untilState(thread, sent.id, 'PUBLISHED')
  const there = (await messagesAt(sandbox.url, page.account.externalId)).filter(({ text }) => text === 'It left today')
  expect(there.map(({ id }) => id)).toEqual([done.externalId])
  expect((await read(thread)).messages).toHaveLength(2)
})

test('a private reply whose echo arrives before the response is one message, and opens no second thread', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Tess' }, text: 'And mine?' })
  const thread = await threadOf(ann, 'Tess')
  const match = { network: 'NET_PAGE', method: 'POST', path: '/messages' }
  await addFault(sandbox.url, { match, do: { after: true, delayMs: 60_000 }, times: 1 })
  const { body: sent } = await answer(thread, { text: 'Yours left too', privately: true })
  const done = await untilState(thread, sent.id, 'PUBLISHED')
  const texts = (await messagesAt(sandbox.url, page.account.externalId)).map(({ text }) => text)
  expect(texts.filter((text) => text === 'Yours left too')).toHaveLength(1)
  expect(done.externalId).not.toBeNull()
  expect((await read(thread)).messages).toHaveLength(2)
  const theirs = await threadsOf(ann, `?customerId=${thread.customer!.id}`)
  expect(theirs.map(({ id }) => id)).toEqual([thread.id])
})

test('a late echo proves a message that seemed absent, so that it is not sent again', async () => {
  const text = 'from Lena'
  const { threadKey } = await page.play({ kind: 'dm', from: { name: 'Lena' }, text })
  const thread = await threadOf(ann, 'Lena')
  const match = { network: 'NET_PAGE', method: 'POST', path: '/messages' }
  await addFault(sandbox.url, { match, do: { drop: 'before' }, times: 1 })
  const { body: sent } = await answer(thread, { text: 'Here after all' })
  await eventually(async () => {
    await skipAnswerWaits(sql, page.account.id)
    return (await read(thread)).messages.at(-1)?.delivery?.state === 'FAILED'
  })
  await tellOfPage(product.url, page.account.externalId, {
    sender: { id: page.account.externalId },
    recipient: { id: threadKey.slice('dm:'.length) },
    timestamp: Date.now(),
    message: { mid: 'm_late', text: 'Here after all', is_echo: true, app_id: 1, metadata: sent.id },
  })
  expect((await untilState(thread, sent.id, 'PUBLISHED')).externalId).toBe('m_late')
  expect((await read(thread)).messages).toHaveLength(2)
  const again = await ann.call<Problem>('POST', `/conversations/${thread.id}/messages/${sent.id}/retry`)
  expect([again.status, again.body.code]).toEqual([409, 'invalid_state'])
})

test('a reaction to an answer whose response was lost is shown once the answer has its id', async () => {
  const { threadKey } = await page.play({ kind: 'dm', from: { name: 'Mona' }, text: 'from Mona' })
  const thread = await threadOf(ann, 'Mona')
  const match = { network: 'NET_PAGE', method: 'POST', path: '/messages' }
  await addFault(sandbox.url, { match, do: { drop: 'before' }, times: 1 })
  const { body: sent } = await answer(thread, { text: 'You are welcome' })
  // From here on, the call uses up the fault, whatever comes first.
  await eventually(async () => {
    const begun = `select from delivery where message_id = $1 and state = 'SUBMITTING' and intent_at is not null`
    return (await sql.query(begun, [sent.id])).rowCount === 1
  })
  const customer = { id: threadKey.slice('dm:'.length) }
  const us = { id: page.account.externalId }
  const react = (emoji: string) =>
    tellOfPage(product.url, us.id, {
      sender: customer,
      recipient: us,
      timestamp: Date.now(),
      reaction: { mid: 'm_liked', action: 'react', emoji },
    })
  await react('👍')
  const isIn = (state: string) => async () =>
    (await sql.query(`select from inbound_event where event ->> 'id' = 'm_liked' and ${state}`)).rowCount === 1
  const isParked = isIn('waits')
  await eventually(isParked)
  await tellOfPage(product.url, us.id, {
    sender: us,
    recipient: customer,
    timestamp: Date.now(),
    message: { mid: 'm_liked', text: 'You are welcome', is_echo: true, app_id: 1, metadata: sent.id },
  })
  const untilLiked = (emoji: string) =>
    eventually(async () => (await read(thread)).messages.find(({ id }) => id === sent.id)?.reaction === emoji)
  await eventually(isIn(`event ->> 'kind' = 'message' and done_at is not null`))
  expect(await isParked()).toBe(false)
  await untilLiked('👍')
  // A reaction that was parked at the moment in which the answer got its id is found by the watch.
  await sql.query(
    `update inbound_event set done_at = null, waits = true, about = 'm_liked', event = jsonb_set(event, '{reaction}', '"🎉"'), at = at + interval '1 second'
     where event ->> 'id' = 'm_liked' and event ->> 'kind' = 'reaction'`,
  )
  await addJob(sql, 'inbox-watch', {})
  await untilLiked('🎉')
})

test('a late echo of a private reply that seemed absent is applied, although another one was sent since', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Nora' }, text: 'And now?' })
  const thread = await threadOf(ann, 'Nora')
  const match = { network: 'NET_PAGE', method: 'POST', path: '/messages' }
  await addFault(sandbox.url, { match, do: { status: 400, body: graphError({ message: 'No', code: 100 }) }, times: 1 })
  const { body: first } = await answer(thread, { text: 'The first', privately: true })
  await untilState(thread, first.id, 'FAILED')
  const { body: second } = await answer(thread, { text: 'The second', privately: true })
  await untilState(thread, second.id, 'PUBLISHED')
  await tellOfPage(product.url, page.account.externalId, {
    sender: { id: page.account.externalId },
    recipient: { id: 'u_nora' },
    timestamp: Date.now(),
    message: { mid: 'm_first', text: 'The first', is_echo: true, app_id: 1, metadata: first.id },
  })
  const events = await eventually(async () => {
    const { rows } = await sql.query<{ failures: number; done: boolean }>(
      `select failures, done_at is not null as done from inbound_event where key = 'e:m_first'`,
    )
    return rows.some(({ done, failures }) => done || failures > 0) && rows
  })
  expect(events).toEqual([{ failures: 0, done: true }])
  expect((await read(thread)).messages.map(({ delivery }) => delivery?.state)).toEqual([
    undefined,
    'FAILED',
    'PUBLISHED',
  ])
})

test.each([
  { kind: 'dm', key: 'e:' },
  { kind: 'comment', key: 'c:' },
])('the event of an answer ($kind) that a person has found at the network gives it its id', async ({ kind, key }) => {
  const name = `Found ${kind}`
  await page.play({ kind, ...(kind === 'comment' && { postId: page.postId }), from: { name }, text: 'Hello?' })
  const thread = await threadOf(ann, name)
  const { body: sent } = await answer(thread, { text: 'Hello to you' })
  const { externalId } = await untilState(thread, sent.id, 'PUBLISHED')
  const event = [ann.workspaceId, `${key}${externalId}`]
  const isDone = async () => {
    const { rows } = await sql.query(
      'select from inbound_event where workspace_id = $1 and key = $2 and done_at is not null',
      event,
    )
    return rows.length === 1
  }
  await eventually(isDone)
  // The response was lost, the network could not be read, and its event is late.
  await sql.query('update message set external_id = null where id = $1', [sent.id])
  await sql.query(
    `update delivery set state = 'UNCONFIRMED', unproven = true, external_id = null, published_at = null where message_id = $1`,
    [sent.id],
  )
  await ann.must('POST', `/conversations/${thread.id}/messages/${sent.id}/resolve`, { outcome: 'live' })
  expect((await read(thread)).messages.at(-1)).toMatchObject({ externalId: null, delivery: { state: 'PUBLISHED' } })
  await sql.query('update inbound_event set done_at = null where workspace_id = $1 and key = $2', event)
  await page.play({ kind: 'dm', from: { name: `After ${kind}` }, text: 'Next' })
  await eventually(isDone)
  expect((await read(thread)).messages.map((each) => each.externalId).slice(1)).toEqual([externalId])
})

test("of two people who answer the same message at the same time, one is refused and sees the other's answer", async () => {
  const ben = await join(ann, 'Ben', 'EDITOR')
  const rounds = sized(2, 5)
  for (let round = 0; round < rounds; round += 1) {
    const name = `Vera ${round}`
    await page.play({ kind: 'comment', postId: page.postId, from: { name }, text: 'Hello?' })
    const thread = await threadOf(ann, name)
    const seen = thread.messages.at(-1)!.id
    const both = await Promise.all([
      answer(thread, { text: `Ann ${round}`, seen }),
      answer(thread, { text: `Ben ${round}`, seen }, ben),
    ])
    const [first, second] = both.toSorted((a, b) => a.status - b.status)
    expect([first?.status, second?.status, second?.body.code]).toEqual([201, 409, 'newer_message'])
    expect((second!.body as unknown as { message: Message }).message.text).toBe(first!.body.text)
    await untilState(thread, first!.body.id, 'PUBLISHED')
    const below = await commentsBelow(sandbox.url, page.postId)
    expect(below.filter(({ text }) => /^(Ann|Ben) /.test(text) && text.endsWith(` ${round}`))).toHaveLength(1)
  }
})

test('an answer whose window ends while it waits is not sent', async () => {
  const thread = await directThread('Xenia')
  await pause(true)
  const { body: sent } = await answer(thread, { text: 'Much too late' })
  await eventually(async () => (await read(thread)).messages.at(-1)?.delivery?.waitReason === 'account_paused')
  await sql.query(`update thread set window_until = app_now(), human_until = app_now() where id = $1`, [thread.id])
  await pause(false)
  expect((await untilState(thread, sent.id, 'FAILED', 'PUBLISHED')).delivery?.error?.code).toBe('window_closed')
  const texts = (await messagesAt(sandbox.url, page.account.externalId)).map(({ text }) => text)
  expect(texts).not.toContain('Much too late')
})

test('an answer that waited too long is not sent: a public one after a day, a private one a week after the comment', async () => {
  const sent = await Promise.all(
    [false, true].map(async (privately) => {
      const name = `Patient ${privately}`
      await page.play({ kind: 'comment', postId: page.postId, from: { name }, text: 'Anyone?' })
      return { privately, thread: await threadOf(ann, name) }
    }),
  )
  await pause(true)
  for (const { privately, thread } of sent) {
    const { body } = await answer(thread, { text: `Late ${privately}`, privately })
    await eventually(async () => (await read(thread)).messages.at(-1)?.delivery?.waitReason === 'account_paused')
    if (privately) await sql.query(`update message set at = at - interval '7 days' where thread_id = $1`, [thread.id])
    else await sql.query(`update delivery set due_at = due_at - interval '1 day' where message_id = $1`, [body.id])
  }
  await pause(false)
  for (const { privately, thread } of sent) {
    const { id } = (await read(thread)).messages.at(-1)!
    const { delivery } = await untilState(thread, id, 'FAILED', 'PUBLISHED')
    expect(delivery?.error?.code).toBe(privately ? 'window_closed' : 'too_late')
  }
  expect((await commentsBelow(sandbox.url, page.postId)).map(({ text }) => text)).not.toContain('Late false')
  expect((await messagesAt(sandbox.url, page.account.externalId)).map(({ text }) => text)).not.toContain('Late true')
})

test('a private answer waits for its account for as long as its network accepts it, and is then sent', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Odd' }, text: 'Where is it?' })
  const threads = [await threadOf(ann, 'Odd'), await directThread('Even')]
  await pause(true)
  for (const thread of threads) {
    const isComment = thread.kind === 'COMMENT'
    const { id } = (await answer(thread, { text: 'On its way', ...(isComment && { privately: true }) })).body
    const untilHeld = () =>
      eventually(async () => {
        const { delivery } = (await read(thread)).messages.at(-1)!
        return (delivery?.state === 'FAILED' || delivery?.waitReason === 'account_paused') && delivery
      })
    await untilHeld()
    // Three days later, the delivery is checked again.
    await sql.query(
      `update delivery set due_at = due_at - interval '3 days', next_at = app_now(), wait_reason = null
       where message_id = $1`,
      [id],
    )
    expect(await untilHeld()).toMatchObject({ state: 'PENDING' })
    const { rows } = await sql.query<{ days: number }>(
      `select extract(epoch from d.next_at - q.at)::float8 / 86400 as days from delivery d
       join message q on q.thread_id = d.thread_id and q.direction = 'IN' where d.message_id = $1`,
      [id],
    )
    expect(rows[0]!.days).toBeCloseTo(7, 2)
  }
  await pause(false)
  for (const thread of threads) await untilState(thread, (await read(thread)).messages.at(-1)!.id, 'PUBLISHED')
})

test('once a pause of an account is confirmed, nothing new is sent, and everything is sent when the pause ends', async () => {
  const names = sized(['Yara', 'Zoe', 'Ada'], ['Yara', 'Zoe', 'Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo'])
  const threads = await Promise.all(names.map(directThread))
  const writing = threads.flatMap((thread, n) => [0, 1, 2].map((m) => answer(thread, { text: `Held ${n}.${m}` })))
  await Promise.any(writing)
  await pause(true)
  // Answers whose intent was written before the pause was confirmed may still arrive.
  const { rows } = await sql.query<{ text: string }>(
    `select m.text from delivery d join message m on m.id = d.message_id
      where d.account_id = $1 and m.text like 'Held %' and d.state in ('SUBMITTING', 'PUBLISHED', 'UNCONFIRMED')`,
    [page.account.id],
  )
  const begun = new Set(rows.map(({ text }) => text))
  const answers = await Promise.all(writing)
  expect(answers.every(({ status }) => status === 201)).toBe(true)
  const held = async () =>
    (await messagesAt(sandbox.url, page.account.externalId))
      .map(({ text }) => text)
      .filter((text) => /^Held /.test(text))
  // Each answer has been sent, or was looked at and held back.
  const ended = await eventually(async () => {
    const { rows: found } = await sql.query<{ text: string; state: string; reason: string | null }>(
      `select m.text, d.state, d.wait_reason as reason from delivery d join message m on m.id = d.message_id
        where d.account_id = $1 and m.text like 'Held %'`,
      [page.account.id],
    )
    const isOpen = ({ state, reason }: (typeof found)[number]) =>
      !['PUBLISHED', 'UNCONFIRMED', 'FAILED'].includes(state) && reason !== 'account_paused'
    return !found.some(isOpen) && found
  })
  expect(ended).toHaveLength(writing.length)
  expect(ended.filter(({ state }) => state === 'FAILED')).toEqual([])
  expect((await held()).filter((text) => !begun.has(text))).toEqual([])
  await pause(false)
  await eventually(async () => (await held()).length === writing.length)
  expect(new Set(await held()).size).toBe(writing.length)
})

test('an answer about to be sent when its account is paused is held back, and sent when the pause ends', async () => {
  const thread = await directThread('Gil')
  const db = await sql.connect()
  let id: string
  try {
    await db.query('begin')
    // The delivery has checked its account, and waits to reserve its calls.
    await db.query(
      'select from network_user where user_key = (select network_user from social_account where id = $1) for update',
      [page.account.id],
    )
    id = (await answer(thread, { text: 'Almost gone' })).body.id
    await eventually(async () => {
      const { rows } = await sql.query<{ state: string }>('select state from delivery where message_id = $1', [id])
      return rows[0]?.state === 'PREPARING'
    })
    await pause(true)
  } finally {
    await db.query('rollback')
    db.release()
  }
  await eventually(async () => (await read(thread)).messages.at(-1)?.delivery?.waitReason === 'account_paused')
  const there = async () => (await messagesAt(sandbox.url, page.account.externalId)).map(({ text }) => text)
  expect(await there()).not.toContain('Almost gone')
  await pause(false)
  await untilState(thread, id, 'PUBLISHED')
  expect((await there()).filter((text) => text === 'Almost gone')).toHaveLength(1)
})

test('many events of one workspace do not hold up those of another', async () => {
  const bea = await newPerson(product.url, 'Bea')
  const other = await openInbox(bea, sandbox.url, 'u4002')
  const { externalId } = page.account
  const count = sized(600, 2_000)
  const many = Array.from({ length: count }, (_, n) => ({
    id: externalId,
    time: 1_764_000_000 + n,
    changes: [
      {
        field: 'feed',
        value: {
          item: 'comment',
          verb: 'add',
          from: { id: `79${n % 400}`, name: `Crowd ${n % 400}` },
          post_id: page.postId,
          comment_id: `${page.postId}_crowd${n}`,
          created_time: 1_764_000_000 + n,
          message: `Comment ${n}`,
        },
      },
    ],
  }))
  for (const entry of [many.slice(0, count / 2), many.slice(count / 2)]) {
    const body = JSON.stringify({ object: 'page', entry })
    const signature = createHmac('sha256', 'sandbox-page-secret').update(body).digest('hex')
    const told = await call(product.url, 'POST', '/webhooks/NET_PAGE', body, {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${signature}`,
    })
    expect(told.status).toBe(200)
  }
  await other.play({ kind: 'comment', postId: other.postId, from: { name: 'Single' }, text: 'Just me' })
  await threadOf(bea, 'Single')
  const { rows } = await sql.query<{ open: number }>(
    'select count(*)::int as open from inbound_event where account_id = $1 and done_at is null',
    [page.account.id],
  )
  expect(rows[0]!.open).toBeGreaterThan(count / 4)
  // The next test does not wait for the others.
  await sql.query('delete from inbound_event where account_id = $1 and done_at is null', [page.account.id])
})

// The last test, because it disconnects the account.
test('an answer that waits for its account fails as soon as the account is disconnected', async () => {
  const thread = await directThread('Fay')
  await pause(true)
  const { id } = (await answer(thread, { text: 'Never sent' })).body
  await eventually(async () => (await read(thread)).messages.at(-1)?.delivery?.waitReason === 'account_paused')
  await ann.must('DELETE', `/social-accounts/${page.account.id}?confirm=true`)
  const failed = await untilState(thread, id, 'FAILED', 'PUBLISHED')
  expect(failed.delivery?.error?.code).toBe('account_disconnected')
})
