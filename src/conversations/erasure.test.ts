import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { behave, modelCalls } from '../../test/ai.ts'
import { FAST, useProduct } from '../../test/fixtures.ts'
import { type OpenedInbox, openInbox, tellOfPage, threadOf, threadsOf, untilEventsApplied } from '../../test/inbox.ts'
import { addJob } from '../../test/jobs.ts'
import { confirmEmail, eventually, join, newPerson, type Person, type Problem } from '../../test/world.ts'
import type { Message, OpenThread, Thread } from './threads/api.ts'

const { product, sql, sandbox } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url)
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u3601')
})

const read = ({ id }: Pick<Thread, 'id'>) => ann.must<OpenThread>('GET', `/conversations/${id}`)
const untilErased = (thread: Pick<Thread, 'id'>) => eventually(async () => (await read(thread)).customer!.erased)

/** Lists the tables of the whole database that have one of the words in a row. */
async function tablesWith(words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'graphile_worker') order by 1`,
  )
  expect(tables.length).toBeGreaterThan(40)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql.query<{ word: string }>(
      `select distinct word from ${name} x, unnest($1::text[]) word where position(word in x::text) > 0`,
      [words],
    )
    for (const { word } of rows) found.push(`${name}: ${word}`)
  }
  return found
}

test('an erased customer leaves no text, name or id in any table', async () => {
  const id = String(700_000_000_000 + Math.floor(Math.random() * 1e9))
  const word = `w${randomUUID().slice(0, 8)}`
  const name = `Zoe ${word}`
  const from = { id, name }
  const comment = await page.play({ kind: 'comment', postId: page.postId, from, text: `asks ${word}` })
  const thread = await threadOf(ann, name)
  await page.play({ kind: 'edit', id: comment.id, from, text: `asks again ${word}` })
  const dm = await page.play({ kind: 'dm', from, text: `writes ${word}` })
  await page.play({ kind: 'react', id: dm.id, from, text: '👍' })
  await page.play({ kind: 'read', from })
  const at = `/conversations/${thread.id}`
  const reply = await ann.must<Message>(
    'POST',
    `${at}/messages`,
    { text: `answers ${word}` },
    {
      'idempotency-key': randomUUID(),
    },
  )
  await eventually(async () => {
    const { messages } = await read(thread)
    return messages.find((message) => message.id === reply.id)?.delivery?.state === 'PUBLISHED'
  })
  await ann.must('POST', `${at}/notes`, { text: `a note on ${word}` }, { 'idempotency-key': randomUUID() })
  await ann.must('POST', `${at}/escalate`, { reason: `angry ${word}` }, { 'idempotency-key': randomUUID() })
  const both = await eventually(async () => {
    const found = await threadsOf(ann, `?customerId=${thread.customer!.id}`)
    return found.length === 2 && found
  })
  const words = [id, word, comment.id, dm.id]
  // The search itself works.
  expect(await tablesWith(words)).toEqual(
    expect.arrayContaining([
      `public.audience_node: ${word}`,
      `public.idempotency_key: ${word}`,
      `public.inbound_event: ${id}`,
      `public.message: ${word}`,
      `public.delivery: ${comment.id}`,
      `public.thread: ${comment.id}`,
    ]),
  )
  const eve = await join(ann, 'Eve', 'EDITOR')
  expect((await eve.call<Problem>('DELETE', `/audience/${thread.customer!.id}`)).body.code).toBe('role_required')
  expect((await ann.call('DELETE', `/audience/${thread.customer!.id}`)).status).toBe(202)
  await untilErased(thread)
  expect(await tablesWith(words)).toEqual([])

  for (const { id: threadId } of both) {
    const left = await read({ id: threadId })
    expect(left).toMatchObject({ status: 'CLOSED', customer: { name: '', erased: true }, unansweredAt: null })
    for (const message of left.messages)
      expect(message).toMatchObject({ text: null, externalId: null, attachments: [] })
  }
  const refused = await ann.call<Problem>('POST', `${at}/messages`, { text: 'Hello?' })
  expect(refused.body).toMatchObject({ code: 'invalid_state', current: 'ERASED' })
  const { rows } = await sql.query<{ action: string }>(
    `select action from audit_entry where workspace_id = $1 and object ->> 'customerId' = $2 order by id`,
    [ann.workspaceId, thread.customer!.id],
  )
  expect(rows.map(({ action }) => action)).toEqual(['customer.erasure_requested', 'customer.erased'])
  // A second erasure changes nothing.
  expect((await ann.call('DELETE', `/audience/${thread.customer!.id}`)).status).toBe(202)
  expect((await ann.call<Problem>('DELETE', `/audience/${randomUUID()}`)).body.code).toBe('not_found')
})

test('a message that its customer removed leaves no text in any table', async () => {
  const set = (config: object) => ann.must('PUT', '/ice/bot-config', config)
  const faqEntries = [{ question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' }]
  await set({ isEnabled: true, maxConfidenceForAuto: 0.1, draftsOnlyUntil: null, faqEntries })
  const word = `Z7${randomUUID().slice(0, 8)}`.toUpperCase()
  const from = { name: 'Thea' }
  const { id } = await page.play({ kind: 'dm', from, text: `About order ${word}. Do you deliver to Berlin?` })
  const thread = await eventually(async () => {
    const found = await threadOf(ann, 'Thea')
    return found.messages.some(({ delivery }) => delivery?.state === 'PUBLISHED') && found
  })
  await page.play({ kind: 'edit', id, from, text: `About order ${word}. Do you deliver to Berlin, please?` })
  // A later message is decided about with the earlier one before it.
  await set({ draftsOnlyUntil: '2099-01-01T00:00:00Z' })
  await page.play({ kind: 'dm', from, text: 'Do you deliver to Berlin?' })
  const drafted = async () => (await read(thread)).drafts.map(({ question }) => question)
  await eventually(async () => (await drafted()).length > 0)
  expect(await tablesWith([word])).toEqual([
    `public.decision: ${word}`,
    `public.inbound_event: ${word}`,
    `public.memory: ${word}`,
    `public.message: ${word}`,
  ])
  await page.play({ kind: 'remove', id, from })
  await eventually(async () => (await read(thread)).messages.some(({ removedAt }) => removedAt !== null))
  expect(await tablesWith([word])).toEqual([])
  // An edit that comes late has the text again.
  await tellOfPage(product.url, page.account.externalId, {
    sender: { id: 'u_thea' },
    recipient: { id: page.account.externalId },
    timestamp: Date.now(),
    message_edit: { mid: id, text: `About order ${word}, sorry`, num_edit: 5 },
  })
  await untilEventsApplied(sandbox.url, sql, ann)
  expect(await tablesWith([word])).toEqual([])
  // The message that stays is decided about again.
  await eventually(async () => (await drafted())[0] === 'Do you deliver to Berlin?')
  await set({ isEnabled: false })
})

test('a comment that is removed or erased stays in no decision about an answer of somebody else', async () => {
  const set = (config: object) => ann.must('PUT', '/ice/bot-config', config)
  const faqEntries = [{ question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' }]
  await set({ isEnabled: true, draftsOnlyUntil: '2099-01-01T00:00:00Z', faqEntries })
  for (const act of ['removed', 'erased']) {
    const word = `W8${randomUUID().slice(0, 8)}`
    const from = { name: `Above ${act}` }
    const text = `I would ask about ${word}`
    const { id } = await page.play({ kind: 'comment', postId: page.postId, from, text })
    const above = await threadOf(ann, from.name)
    const answer = { postId: page.postId, parentId: id, from: { name: `Below ${act}` } }
    await page.play({ kind: 'comment', ...answer, text: 'Do you deliver to Berlin?' })
    const below = await eventually(async () => {
      const found = await threadOf(ann, answer.from.name)
      return found.drafts.length > 0 && found
    })
    expect(below.contextSnapshot).toMatchObject({ told: { input: { parent: { who: 'other', text } } } })
    if (act === 'removed') {
      await page.play({ kind: 'remove', id, from })
      await eventually(async () => (await read(above)).messages.some(({ removedAt }) => removedAt !== null))
    } else {
      expect((await ann.call('DELETE', `/audience/${above.customer!.id}`)).status).toBe(202)
      await untilErased(above)
    }
    expect(await tablesWith([word])).toEqual([])
    expect((await read(below)).drafts).toHaveLength(1)
  }
  await set({ isEnabled: false })
})

test('a comment that is removed while an answer to it is decided about stays in no decision', async () => {
  const set = (config: object) => ann.must('PUT', '/ice/bot-config', config)
  const faqEntries = [{ question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' }]
  const word = `W9${randomUUID().slice(0, 8)}`
  const from = { name: 'Above meanwhile' }
  const { id } = await page.play({ kind: 'comment', postId: page.postId, from, text: `I would ask about ${word}` })
  const above = await threadOf(ann, from.name)
  await set({ isEnabled: true, draftsOnlyUntil: '2099-01-01T00:00:00Z', faqEntries })
  await behave(product.url, { delayMs: 60_000 })
  try {
    const asked = async () => (await modelCalls(product.url)).filter(({ prompt }) => prompt.includes(word)).length
    const answer = { postId: page.postId, parentId: id, from: { name: 'Below meanwhile' } }
    await page.play({ kind: 'comment', ...answer, text: 'Do you deliver to Berlin?' })
    await eventually(async () => (await asked()) > 0)
    await page.play({ kind: 'remove', id, from })
    await eventually(async () => (await read(above)).messages.some(({ removedAt }) => removedAt !== null))
    const below = await eventually(async () => {
      const found = await threadOf(ann, answer.from.name)
      return found.drafts.length > 0 && found
    })
    expect(await tablesWith([word])).toEqual([])
    expect(below.contextSnapshot).toBeNull()
  } finally {
    await behave(product.url, {})
    await set({ isEnabled: false })
  }
})

test('messages from before an erasure do not come back; later ones create a new customer', async () => {
  const from = { id: '700000004711', name: 'Yara' }
  const { id } = await page.play({ kind: 'dm', from, text: 'Before' })
  const thread = await threadOf(ann, 'Yara').catch(async () => (await threadsOf(ann, '?q=Before'))[0]!)
  const { rows: before } = await sql.query<{ event: object }>(
    `select event from inbound_event where workspace_id = $1 and event ->> 'id' = $2`,
    [ann.workspaceId, id],
  )
  await ann.call('DELETE', `/audience/${thread.customer!.id}`)
  await untilErased(thread)
  // The network reports the old message again, as when a gap is read.
  await sql.query(
    `insert into inbound_event (workspace_id, id, account_id, key, at, event, via)
      values ($1, gen_random_uuid(), $2, $3, ($4::jsonb ->> 'at')::timestamptz, $4, 'read')`,
    [ann.workspaceId, page.account.id, `m:${id}`, JSON.stringify(before[0]!.event)],
  )
  await page.play({ kind: 'dm', from, text: 'Afterwards' })
  const fresh = await eventually(async () => (await threadsOf(ann, '?q=Afterwards'))[0])
  expect(fresh.customer!.id).not.toBe(thread.customer!.id)
  const { rows: open } = await sql.query(
    `select from inbound_event where workspace_id = $1 and key = $2 and done_at is null`,
    [ann.workspaceId, `m:${id}`],
  )
  expect(open).toEqual([])
  const { messages } = await read(fresh)
  expect(messages.map(({ text }) => text)).toEqual(['Afterwards'])
})

test('an answer that is being sent ends before its customer is erased, and until then no merge changes the customer', async () => {
  for (const name of ['Wilma', 'Willa', 'Alma'])
    await page.play({ kind: 'comment', postId: page.postId, from: { name }, text: 'Open today?' })
  const thread = await threadOf(ann, 'Wilma')
  const [merged, other] = [await threadOf(ann, 'Willa'), await threadOf(ann, 'Alma')]
  const eve = await join(ann, 'Edna', 'EDITOR')
  const merge = (into: Thread, one: Thread) =>
    eve.call<Problem>('POST', `/audience/${into.customer!.id}/merge`, { with: one.customer!.id })
  expect((await merge(thread, merged)).status).toBe(200)
  await ann.must('POST', `/conversations/${thread.id}/messages`, { text: 'Yes' })
  await eventually(async () => (await read(thread)).messages.at(-1)?.delivery?.state === 'PUBLISHED')
  const setState = (state: string) =>
    sql.query(
      `update delivery set state = $2, phase = case when $2 = 'SUBMITTING' then 'commit' end, next_at = null
        where thread_id = $1`,
      [thread.id, state],
    )
  await setState('SUBMITTING')
  await ann.call('DELETE', `/audience/${thread.customer!.id}`)
  const key = `customer-erasure:${thread.customer!.id}`
  await eventually(async () => {
    const { rows } = await sql.query<{ attempts: number }>('select attempts from graphile_worker.jobs where key = $1', [
      key,
    ])
    return (rows[0]?.attempts ?? 0) > 0
  })
  expect((await read(thread)).customer).toMatchObject({ name: 'Wilma', erased: false })
  for (const { body } of [
    await merge(thread, other),
    await merge(other, thread),
    await eve.call<Problem>('POST', `/audience/${thread.customer!.id}/unmerge`),
  ])
    expect(body).toMatchObject({ code: 'invalid_state', current: 'ERASING' })
  await setState('PUBLISHED')
  await sql.query('update graphile_worker._private_jobs set run_at = now() where key = $1', [key])
  await untilErased(thread)
  expect((await read(merged)).customer).toMatchObject({ name: '', erased: true })
  expect((await read(other)).customer).toMatchObject({ name: 'Alma', erased: false })
})

test('raw events are deleted after 14 days', async () => {
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Vito' }, text: 'Old' })
  await threadOf(ann, 'Vito')
  const age = (text: string, interval: string) =>
    sql.query(
      `update inbound_event set received_at = app_now() - $3::interval where workspace_id = $1 and event ->> 'text' = $2`,
      [ann.workspaceId, text, interval],
    )
  await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Uwe' }, text: 'Young' })
  await threadOf(ann, 'Uwe')
  await age('Old', '14 days 1 minute')
  await age('Young', '13 days 23 hours')
  await addJob(sql, 'inbox-watch', {})
  const left = async () => {
    const { rows } = await sql.query<{ text: string }>(
      `select event ->> 'text' as text from inbound_event where workspace_id = $1 and event ->> 'text' in ('Old', 'Young')`,
      [ann.workspaceId],
    )
    return rows.map(({ text }) => text)
  }
  await eventually(async () => (await left()).length === 1)
  expect(await left()).toEqual(['Young'])
  expect((await read(await threadOf(ann, 'Vito'))).messages[0]?.text).toBe('Old')
})
