import { createHmac, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { type OpenedInbox, openInbox, tellOfComment, tellOfPhotoComment, threadsOf } from '../../../test/inbox.ts'
import { call, eventually, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { FailedEvent } from '../failed-events/api.ts'
import type { OpenThread } from '../threads/api.ts'

const { product, sql, sandbox } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url)
  page = await openInbox(ann, sandbox.url, 'u3201')
})

const SECRET = 'sandbox-page-secret'
const signed = (body: string, secret = SECRET) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** Sends a webhook as the network does. With `signature` null it has none. */
const tell = (body: string, signature: string | null = signed(body)) =>
  call<Problem>(product.url, 'POST', '/webhooks/NET_PAGE', body, {
    'content-type': 'application/json',
    ...(signature !== null && { 'x-hub-signature-256': signature }),
  })

const comment = (value: object, time = 1_764_000_000) =>
  JSON.stringify({
    object: 'page',
    entry: [{ id: page.account.externalId, time, changes: [{ field: 'feed', value: { item: 'comment', ...value } }] }],
  })

const added = (id: string, text: string, from = '7001') =>
  comment({
    verb: 'add',
    comment_id: id,
    from: { id: from, name: 'Zoe' },
    post_id: page.postId,
    message: text,
    created_time: 1_764_000_000,
  })

const events = async () => {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int from inbound_event where workspace_id = $1`,
    [ann.workspaceId],
  )
  return rows[0]!.count
}

test('a signature covers the bytes: a missing or wrong one, or that of other bytes, is refused, and nothing is stored', async () => {
  const before = await events()
  const body = added(`${page.postId}_901`, 'Hé')
  for (const signature of [
    null,
    '',
    'sha256=',
    `sha256=${'0'.repeat(64)}`,
    signed(body, 'another'),
    signed(`${body} `),
    signed(body).toUpperCase(),
  ]) {
    expect((await tell(body, signature)).body, String(signature)).toMatchObject({
      status: 401,
      code: 'signature_invalid',
    })
  }
  expect(await events()).toBe(before)
  // The same JSON with escaped letters has other bytes, and so another signature.
  const escaped = body.replaceAll('é', String.raw`\u00e9`)
  expect((await tell(escaped, signed(body))).status).toBe(401)
  expect((await tell(escaped, signed(escaped))).status).toBe(200)
  await eventually(async () => (await threadsOf(ann)).some(({ lastMessage }) => lastMessage?.text === 'Hé'))
})

test('the handshake returns the challenge only for the right token', async () => {
  const asked = (token: string, mode = 'subscribe') =>
    call(product.url, 'GET', `/webhooks/NET_PAGE?hub.mode=${mode}&hub.challenge=1158201444&hub.verify_token=${token}`)
  const word = createHmac('sha256', SECRET).update('verify').digest('hex')
  const right = await asked(word)
  expect([right.status, right.body, right.headers.get('content-type')]).toEqual([200, '1158201444', 'text/plain'])
  expect((await asked('guess')).body).toMatchObject({ status: 403, code: 'verify_token_invalid' })
  expect((await asked(word, 'unsubscribe')).status).toBe(403)
  expect((await call(product.url, 'GET', '/webhooks/NET_VIDEO')).status).toBe(404)
})

test('an event of an unknown account and one that cannot be parsed are acknowledged', async () => {
  const before = await events()
  for (const body of [
    '{"broken',
    '[]',
    JSON.stringify({ object: 'page', entry: [{ id: '0', time: 1, changes: [{ field: 'feed', value: {} }] }] }),
  ]) {
    expect((await tell(body)).status, body).toBe(200)
  }
  expect(await events()).toBe(before)
})

test('an event that arrives again, even at the same time, is one message', async () => {
  const body = added(`${page.postId}_902`, 'Once')
  expect(await Promise.all(Array.from({ length: 20 }, async () => (await tell(body)).status))).toEqual(
    Array(20).fill(200),
  )
  await eventually(async () => (await threadsOf(ann)).some(({ lastMessage }) => lastMessage?.text === 'Once'))
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int from message where workspace_id = $1 and text = 'Once'`,
    [ann.workspaceId],
  )
  expect(rows).toEqual([{ count: 1 }])
  const { rows: stored } = await sql.query<{ failures: number }>(
    `select failures from inbound_event where workspace_id = $1 and event ->> 'text' = 'Once'`,
    [ann.workspaceId],
  )
  expect(stored).toEqual([{ failures: 0 }])
})

test('a character that the database cannot store is dropped, and the event blocks no other', async () => {
  const text = String.raw`Null\u0000 and half\ud800 a pair`
  const body = added(`${page.postId}_908`, 'TEXT').replace('TEXT', text)
  const others = Array.from({ length: 5 }, (_, n) => tell(added(`${page.postId}_91${n}`, `Beside ${n}`)))
  expect((await Promise.all([tell(body), ...others])).map(({ status }) => status)).toEqual(Array(6).fill(200))
  await eventually(async () =>
    (await threadsOf(ann)).some(({ lastMessage }) => lastMessage?.text?.includes('Null and half a pair')),
  )
})

test('an event that cannot be applied is retried, even if no other event arrives', async () => {
  // A sequence keeps its count even if the statement that used it fails.
  await sql.query(`create sequence failing;
    create function fail_twice() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        if nextval('failing') <= 2 then raise exception 'not yet'; end if;
        return new;
      end $$;
    create trigger fail_twice before insert on message for each row when (new.text = 'Third time lucky')
      execute function fail_twice()`)
  try {
    expect((await tell(added(`${page.postId}_903`, 'Third time lucky'))).status).toBe(200)
    await eventually(async () =>
      (await threadsOf(ann)).some(({ lastMessage }) => lastMessage?.text === 'Third time lucky'),
    )
    const { rows } = await sql.query<{ failures: number }>(
      `select failures from inbound_event where workspace_id = $1 and event ->> 'text' = 'Third time lucky'`,
      [ann.workspaceId],
    )
    expect(rows).toEqual([{ failures: 2 }])
  } finally {
    await sql.query('drop trigger fail_twice on message; drop function fail_twice; drop sequence failing')
  }
})

test('an event that failed is not retried before its time, even if other events arrive', async () => {
  const isThere = async (text: string) =>
    (await threadsOf(ann, '?limit=100')).some(({ lastMessage }) => lastMessage?.text === text)
  const tellOne = async (id: string, text: string) => {
    await tell(added(`${page.postId}_${id}`, text))
    await eventually(() => isThere(text))
  }
  await tellOne('921', 'At once')
  // Its failure was a moment ago, and its job is far away.
  await sql.query(
    `insert into inbound_event (workspace_id, id, account_id, key, at, event, via, failures, retry_at)
      select workspace_id, gen_random_uuid(), account_id, 'c:later', at - interval '1 second', event || $2, via, 1, app_now() + interval '1 hour'
      from inbound_event where workspace_id = $1 and event ->> 'text' = 'At once'`,
    [ann.workspaceId, JSON.stringify({ key: 'c:later', id: `${page.postId}_922`, text: 'Not before its time' })],
  )
  await tellOne('923', 'One more')
  expect(await isThere('Not before its time')).toBe(false)
  await sql.query(`update inbound_event set retry_at = app_now() where key = 'c:later'`)
  await tellOne('924', 'Two more')
  await eventually(() => isThere('Not before its time'))
})

test('an event that failed five times is listed, and retried on request', async () => {
  await sql.query(`create function fail_always() returns trigger language plpgsql as $$
      begin raise exception 'never'; end $$;
    create trigger fail_always before insert on message for each row when (new.text = 'Hard to take')
      execute function fail_always()`)
  const failures = async () => {
    const { rows } = await sql.query<{ failures: number }>(
      `select failures from inbound_event where workspace_id = $1 and event ->> 'text' = 'Hard to take'`,
      [ann.workspaceId],
    )
    return rows[0]?.failures ?? 0
  }
  const list = () => ann.must<{ data: FailedEvent[]; count: number }>('GET', '/conversations/failed-events')
  const retry = (id: string) => ann.call<Problem>('POST', `/conversations/failed-events/${id}/retry`)
  try {
    expect((await tell(added(`${page.postId}_904`, 'Hard to take'))).status).toBe(200)
    await eventually(async () => (await failures()) > 0)
    expect(await list()).toEqual({ data: [], nextCursor: null, count: 0 })
    await sql.query(
      `update inbound_event set failures = 4 where workspace_id = $1 and event ->> 'text' = 'Hard to take'`,
      [ann.workspaceId],
    )
    await eventually(async () => (await failures()) === 5)
    const { data, count } = await list()
    expect([data, count]).toMatchObject([
      [{ kind: 'comment', text: 'Hard to take', platform: 'NET_PAGE', failures: 5 }],
      1,
    ])
  } finally {
    await sql.query('drop trigger fail_always on message; drop function fail_always')
  }
  const [event] = (await list()).data
  expect((await retry(event!.id)).status).toBe(204)
  await eventually(async () => (await threadsOf(ann)).some(({ lastMessage }) => lastMessage?.text === 'Hard to take'))
  expect((await list()).count).toBe(0)
  expect((await retry(event!.id)).body).toMatchObject({ code: 'invalid_state', current: 'DONE' })
})

/** Returns all permutations of a list. */
const orders = <T>(list: T[]): T[][] =>
  list.length < 2 ? [list] : list.flatMap((first, i) => orders(list.toSpliced(i, 1)).map((rest) => [first, ...rest]))

/**
 * Sends the parts of a message in every possible order, for each order with another message. The next part follows once
 * the one before it is applied, or waits. Returns the ids of the messages.
 */
async function tellInEveryOrder(parts: string[], bodyOf: (part: string, id: string, n: number) => string) {
  const messages = orders(parts).map((order) => ({ id: `${page.postId}_${randomUUID()}`, order }))
  for (const step of parts.keys()) {
    const told = messages.map(({ id, order }, n) => tell(bodyOf(order[step]!, id, n)))
    expect(new Set((await Promise.all(told)).map(({ status }) => status))).toEqual(new Set([200]))
    await eventually(async () => {
      const { rows } = await sql.query<{ open: number }>(
        `select count(*)::int as open from inbound_event where workspace_id = $1 and done_at is null and not waits`,
        [ann.workspaceId],
      )
      return rows[0]!.open === 0
    })
  }
  const { rows: waiting } = await sql.query(
    `select from inbound_event where workspace_id = $1 and done_at is null and about = any ($2)`,
    [ann.workspaceId, messages.map(({ id }) => id)],
  )
  expect(waiting).toEqual([])
  return messages.map(({ id }) => id)
}

/** Returns the final states of messages and their threads, each distinct state once. */
async function becameOf(ids: string[]): Promise<object[]> {
  const { rows } = await sql.query<{ json: object }>(
    `select jsonb_build_object('status', t.status, 'in', t.last_in_at, 'out', t.last_out_at, 'unanswered', t.unanswered_at,
        'window', t.window_until, 'paused', t.bot_paused_at is not null, 'hidden', m.hidden_at, 'messages', (
          select jsonb_agg(jsonb_build_array(o.direction, o.source, o.text, o.removed_at is not null) order by o.at)
          from message o where o.workspace_id = t.workspace_id and o.thread_id = t.id)) as json
      from message m join thread t on t.workspace_id = m.workspace_id and t.id = m.thread_id
      where m.workspace_id = $1 and m.external_id = any ($2)`,
    [ann.workspaceId, ids],
  )
  expect(rows).toHaveLength(ids.length)
  return [...new Set(rows.map(({ json }) => JSON.stringify(json)))].map((row) => JSON.parse(row) as object)
}

test('a comment, its edits, its hiding and its removal give the same thread in every order', async () => {
  let who = 0
  const bodyOf = (part: string, id: string, n: number) => {
    const told: Record<string, () => string> = {
      add: () => added(id, 'first', `64${who}${n}`),
      'edit 1': () => comment({ verb: 'edited', comment_id: id, message: 'second' }, 1_764_000_010),
      'edit 2': () => comment({ verb: 'edited', comment_id: id, message: 'third' }, 1_764_000_020),
      hide: () => comment({ verb: 'hide', comment_id: id }, 1_764_000_030),
      remove: () => comment({ verb: 'remove', comment_id: id }, 1_764_000_040),
    }
    return told[part]!()
  }
  const parts = ['add', 'edit 1', 'edit 2', 'hide']
  const [left, ...none] = await becameOf(await tellInEveryOrder(parts, bodyOf))
  expect(left).toMatchObject({ status: 'OPEN', out: null, messages: [['IN', 'CUSTOMER', 'third', false]] })
  expect(left).toMatchObject({ hidden: expect.any(String), unanswered: expect.any(String) })
  who = 1
  const removed = await becameOf(await tellInEveryOrder([...parts.toSpliced(1, 1), 'remove'], bodyOf))
  expect(removed).toMatchObject([{ unanswered: null, messages: [['IN', 'CUSTOMER', null, true]] }])
  expect([none, removed.slice(1)]).toEqual([[], []])
})

test('a direct message, its edits, its removal and the echo of an answer give the same thread in every order', async () => {
  let who = 0
  const bodyOf = (part: string, mid: string, n: number) => {
    const time = 1_764_000_000_000
    const theirs = { sender: { id: `65${who}${n}` }, recipient: { id: page.account.externalId } }
    const items: Record<string, object> = {
      add: { ...theirs, timestamp: time, message: { mid, text: 'first' } },
      'edit 1': { ...theirs, timestamp: time + 1_000, message_edit: { mid, text: 'second', num_edit: 1 } },
      'edit 2': { ...theirs, timestamp: time + 2_000, message_edit: { mid, text: 'third', num_edit: 2 } },
      echo: {
        sender: theirs.recipient,
        recipient: theirs.sender,
        timestamp: time + 3_000,
        message: { mid: `${mid}-echo`, text: 'Hi', is_echo: true },
      },
      remove: { ...theirs, timestamp: time + 4_000, message: { mid, is_deleted: true } },
    }
    return JSON.stringify({ object: 'page', entry: [{ id: page.account.externalId, time, messaging: [items[part]] }] })
  }
  const parts = ['add', 'edit 1', 'edit 2', 'echo']
  const answer = ['OUT', 'AGENT_MANUAL', 'Hi', false]
  const thread = { status: 'OPEN', unanswered: null, paused: true, window: expect.any(String) }
  expect(await becameOf(await tellInEveryOrder(parts, bodyOf))).toMatchObject([
    { ...thread, messages: [['IN', 'CUSTOMER', 'third', false], answer] },
  ])
  who = 1
  const withRemoval = [...parts.toSpliced(1, 1), 'remove']
  expect(await becameOf(await tellInEveryOrder(withRemoval, bodyOf))).toMatchObject([
    { ...thread, messages: [['IN', 'CUSTOMER', null, true], answer] },
  ])
})

test('a comment under the username of the account is its own, whatever id the network gives it', async () => {
  const photo = await openInbox(ann, sandbox.url, 'u3209', 'NET_PHOTO')
  const { externalId, username } = photo.account
  const media = { id: photo.postId }
  const said = (id: string, text: string, from: object, more: object = {}) =>
    tellOfPhotoComment(product.url, externalId, { id, text, from, media, ...more })
  const ours = { id: 'another-id', username: username!.toUpperCase() }
  await said('c-own', 'We open at nine.', ours)
  await said('c-asked', 'When do you open?', { id: 'customer', username: 'quinn' })
  const thread = await eventually(async () => (await threadsOf(ann, '?q=When do you open'))[0])
  await said('c-answer', 'At nine.', ours, { parent_id: 'c-asked' })
  const messages = await eventually(async () => {
    const found = (await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)).messages
    return found.length === 2 && found
  })
  expect(messages.map(({ text, source }) => [text, source])).toEqual([
    ['When do you open?', 'CUSTOMER'],
    ['At nine.', 'AGENT_MANUAL'],
  ])
  expect(await threadsOf(ann, '?q=We open at nine')).toEqual([])
})

test('a comment on a boosted copy of a post, or on one of its pictures, is linked to the post', async () => {
  const photo = await openInbox(ann, sandbox.url, 'u3210', 'NET_PHOTO')
  const postOf = (words: string) =>
    eventually(async () => (await threadsOf(ann, `?q=${words}`)).find(({ post }) => post !== null)?.post)
  await tellOfPhotoComment(product.url, photo.account.externalId, {
    id: 'c-boosted',
    text: 'Seen the advertisement',
    from: { id: 'customer', username: 'rhea' },
    media: { id: '17900000000000001', media_product_type: 'AD', original_media_id: photo.postId },
  })
  const boosted = await postOf('advertisement')
  expect(boosted).toMatchObject({ externalId: '17900000000000001', excerpt: 'Welcome u3210' })
  expect([boosted!.id === null, boosted!.permalink === null]).toEqual([false, false])

  const pageId = page.account.externalId
  const comment = (id: string, message: string, more: object) =>
    tellOfComment(product.url, pageId, { comment_id: id, from: { id: '8801', name: 'Sol' }, message, ...more })
  const picture = `${pageId}_777`
  await comment('777_1', 'The first picture', { post_id: picture, parent_id: picture, post: { id: page.postId } })
  await comment('778_1', 'The second picture', { post_id: `${pageId}_778`, parent_id: page.postId })
  await comment('779_1', 'Another picture', { post_id: `${pageId}_779`, parent_id: `${pageId}_779` })
  const { id } = (await postOf('first picture'))!
  expect(id).not.toBeNull()
  expect(await postOf('second picture')).toMatchObject({ id, externalId: `${pageId}_778` })
  expect(await postOf('Another picture')).toMatchObject({ id: null, externalId: `${pageId}_779` })
})

test('events of a disconnected account are dropped, and those of a paused one are stored', async () => {
  await ann.must('PATCH', `/social-accounts/${page.account.id}`, { paused: true })
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Yan' }, text: 'While paused' })
  const thread = await eventually(async () => (await threadsOf(ann, '?q=Yan'))[0])
  expect((await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)).messages).toHaveLength(1)
  await ann.must('DELETE', `/social-accounts/${page.account.id}?confirm=true`)
  const before = await events()
  expect((await tell(added(`${page.postId}_903`, 'Too late'))).status).toBe(200)
  expect(await events()).toBe(before)
  // Messages stay in the inbox, but cannot be answered.
  const refused = await ann.call<Problem>('POST', `/conversations/${thread.id}/messages`, { text: 'Sorry' })
  expect(refused.body).toMatchObject({ status: 409, code: 'invalid_state', current: 'DISCONNECTED' })
})
