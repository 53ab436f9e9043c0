import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../../test/fixtures.ts'
import { openInbox, threadOf } from '../../../../test/inbox.ts'
import { confirmEmail, join, newPerson, type Person, type Problem } from '../../../../test/world.ts'
import type { OpenThread } from '../../threads/api.ts'
import type { ReplyStats } from '../../stats/api.ts'
import type { SentReply } from './api.ts'

const { product, sandbox, sql } = useProduct({ env: FAST })
let ann: Person
let thread: OpenThread

beforeAll(async () => {
  ann = await newPerson(product.url, 'Ann')
  await confirmEmail(ann)
  const page = await openInbox(ann, sandbox.url, 'u5931')
  await page.play({ kind: 'dm', from: { name: 'Sam' }, text: 'When are you open?' })
  thread = await threadOf(ann, 'Sam')
})

const isSampled = (id: string) =>
  createHash('sha256')
    .update(Buffer.from(id.replaceAll('-', ''), 'hex'))
    .digest()[0]! < 13

/** Adds decisions about the thread whose replies were sent, after a disclosure, or held. Returns their ids. */
async function addDecisions(count: number, verdict: 'SENT' | 'HELD'): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `insert into decision (workspace_id, id, kind, thread_id, message_id, revision, state, verdict, reply, confidence, ended_at)
      select $1, gen_random_uuid(), 'bot', $2, $3, $4 - n, 'DONE', $5, 'We are open daily.', 0.85, app_now()
      from generate_series(1, $6) n returning id`,
    [ann.workspaceId, thread.id, thread.messages[0]!.id, verdict === 'SENT' ? -10_000 : -20_000, verdict, count],
  )
  if (verdict === 'SENT')
    await sql.query(
      `insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at, decision_id)
        select d.workspace_id, gen_random_uuid(), d.thread_id, t.account_id, 'DM', 'OUT', 'BOT_AUTO', 'I am a bot.' || E'\n\n' || d.reply,
          app_now(), d.id
        from decision d join thread t on t.workspace_id = d.workspace_id and t.id = d.thread_id where d.id = any ($1::uuid[])`,
      [rows.map(({ id }) => id)],
    )
  return rows.map(({ id }) => id)
}

async function listAll(person = ann): Promise<SentReply[]> {
  const all: SentReply[] = []
  for (let cursor = ''; ;) {
    const { data, nextCursor } = await person.must<{ data: SentReply[]; nextCursor: string | null }>(
      'GET',
      `/ice/sent-replies?limit=100${cursor && `&cursor=${cursor}`}`,
    )
    all.push(...data)
    if (nextCursor === null) return all
    cursor = nextCursor
  }
}
const check = (id: string, flag: string | null, person = ann) =>
  person.call<Problem>('POST', `/ice/sent-replies/${id}/check`, { flag })

test('people check about 5 % of the sent replies, each once, and the calibration counts what they say', async () => {
  const sent = await addDecisions(2_000, 'SENT')
  const held = await addDecisions(200, 'HELD')
  const listed = await listAll()
  expect(listed.map(({ id }) => id).toSorted()).toEqual(sent.filter(isSampled).toSorted())
  expect(listed.length).toBeGreaterThan(60)
  expect(listed.length).toBeLessThan(150)
  expect(listed[0]).toMatchObject({
    conversationId: thread.id,
    customer: 'Sam',
    question: 'When are you open?',
    text: 'I am a bot.\n\nWe are open daily.',
    confidence: 0.85,
    check: null,
  })

  const calibration = async () => (await ann.must<ReplyStats>('GET', '/ice/stats')).calibration
  expect((await calibration()).labelled).toBe(0)
  const [right, wrong] = listed as [SentReply, SentReply]
  const vic = await join(ann, 'Vic', 'VIEWER')
  expect((await check(right.id, null, vic)).body.code).toBe('role_required')
  expect((await check(right.id, null)).body).toMatchObject({ check: { flag: null, by: { name: 'Ann' } } })
  expect((await check(wrong.id, 'unsafe')).body).toMatchObject({ check: { flag: 'unsafe' } })
  expect((await calibration()).bins[8]).toMatchObject({ labelled: 2, unchanged: 1, calibrated: 0.5 })
  expect((await listAll(vic)).map(({ id }) => id)).toEqual(listed.slice(2).map(({ id }) => id))

  const [, , removed] = listed as [SentReply, SentReply, SentReply]
  await sql.query('update message set text = null, removed_at = app_now() where decision_id = $1', [removed.id])
  expect((await listAll(vic)).map(({ id }) => id)).toEqual(listed.slice(3).map(({ id }) => id))
  expect((await check(removed.id, null)).status).toBe(404)

  const again = await check(right.id, 'wrong')
  expect([again.status, again.body]).toMatchObject([409, { code: 'invalid_state', current: 'CHECKED' }])
  for (const id of [sent.find((one) => !isSampled(one))!, held.find(isSampled) ?? held[0]!])
    expect((await check(id, null)).status).toBe(404)
  const { rows } = await sql.query<{ detail: object }>(
    `select detail from audit_entry where workspace_id = $1 and action = 'reply.checked' order by id`,
    [ann.workspaceId],
  )
  expect(rows).toEqual([{ detail: { flag: null } }, { detail: { flag: 'unsafe' } }])
})
