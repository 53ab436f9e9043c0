import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commentsBelow, openInbox, threadOf, threadsOf } from '../../test/inbox.ts'
import { killableWorld } from '../../test/killable.ts'
import { sized } from '../../test/tier.ts'
import { addFault, asPerson, call, eventually, newPerson } from '../../test/world.ts'
import { grant, openNetworks } from '../../test/adapters.ts'
import { NetworkError } from '../networks/network.ts'
import type { OpenThread } from './threads/api.ts'

/** The control of receiving: it acknowledges on receipt, works later, and is killed in between. */
async function forgetful(sandboxUrl: string, tell: (n: number) => Promise<unknown>) {
  const seen = { acknowledged: 0, kept: 0 }
  let memory: NodeJS.Timeout[] = []
  const server = createServer((request, response) => {
    const challenge = new URL(request.url ?? '', 'http://x').searchParams.get('hub.challenge')
    if (challenge === null) {
      seen.acknowledged += 1
      memory.push(setTimeout(() => (seen.kept += 1), 50))
    }
    request.resume().on('end', () => response.end(challenge ?? ''))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const subscription = { object: 'page', callback_url: `http://127.0.0.1:${port}/`, verify_token: 'x', fields: 'feed' }
  const path = `/graph/v25.0/${APP.id}/subscriptions`
  const answer = await call(sandboxUrl, 'POST', path, { ...subscription, access_token: `${APP.id}|${APP.secret}` })
  expect(answer.status).toBe(200)
  await call(sandboxUrl, 'PUT', '/webhooks', {})
  for (let n = 0; n < 10; n += 1) {
    await tell(n)
    await eventually(() => Promise.resolve(seen.acknowledged > n))
    if (n % 5 === 4) {
      memory.forEach(clearTimeout)
      memory = []
    }
  }
  server.close()
  return seen
}

/** The control of sending: it sends again whenever it gets no response. */
async function careless(
  sandboxUrl: string,
  { user, accountId, commentId }: { user: string; accountId: string; commentId: string },
): Promise<void> {
  const network = openNetworks(sandboxUrl, 20).NET_PAGE
  const account = await grant(network, user, accountId)
  const reservation = { take() {}, report() {} }
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      await network.inbox!.reply({ account, reservation, commentId, text: 'Careless' })
      return
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
    }
  }
}

const APP = { id: 'sandbox-page-app', secret: 'sandbox-page-secret' }

test('every acknowledged event is one message, even if the product is killed while they arrive', async () => {
  const [count, kills] = [sized(40, 10_000), sized(2, 5)]
  const it = await killableWorld()
  try {
    const ann = await newPerson(it.url())
    const page = await openInbox(ann, it.sandbox.url, 'u3301')
    await call(it.sandbox.url, 'PUT', '/webhooks', { duplicate: true, shuffle: true })
    let killed: Promise<void> = Promise.resolve()
    for (let n = 0; n < count; n += 1) {
      await page.play({
        kind: 'comment',
        postId: page.postId,
        from: { name: `Customer ${n % 50}` },
        text: `Comment ${n}`,
      })
      if (n > 0 && n % Math.floor(count / (kills + 1)) === 0) {
        await killed
        killed = it.kill()
      }
    }
    await killed
    await eventually(
      async () => (await call<{ waiting: number }>(it.sandbox.url, 'GET', '/webhooks')).body.waiting === 0,
      240_000,
    )
    await eventually(async () => {
      const { rows } = await it.db.query<{ open: number }>(
        `select count(*)::int as open from inbound_event where done_at is null`,
      )
      return rows[0]!.open === 0
    }, 240_000)
    const { rows } = await it.db.query<{ all: number; different: number }>(
      `select count(*)::int as all, count(distinct text)::int as different from message where direction = 'IN'`,
    )
    expect(rows).toEqual([{ all: count, different: count }])
    const control = await forgetful(it.sandbox.url, (n) =>
      page.play({ kind: 'comment', postId: page.postId, from: { name: 'Control' }, text: `Control ${n}` }),
    )
    expect(control.kept).toBeLessThan(control.acknowledged)
  } finally {
    await it.end()
  }
}, 600_000)

/** Counts the packets of statements that store or apply an event of a workspace, or that take or end its jobs. */
function statementCounter(onCount: (count: number) => void) {
  const counted = new WeakMap<object, 'queue' | 'transaction'>()
  const seen = { workspaceId: '', id: '', count: 0 }
  const onPacket = (packet: Buffer, connection: object): void => {
    if (packet.includes('graphile_worker')) counted.set(connection, 'queue')
    if (seen.id === '') return
    const isStoring = packet.includes('parley_across') && packet.includes(seen.id)
    if (packet.includes(`'app.workspace_id', '${seen.workspaceId}'`)) counted.set(connection, 'transaction')
    if (seen.count === 0 ? isStoring : isStoring || counted.has(connection)) onCount((seen.count += 1))
    if (counted.get(connection) === 'transaction' && /\b(commit|rollback)\0/.test(packet.toString('latin1')))
      counted.delete(connection)
  }
  return { seen, onPacket }
}

describe('at a statement or between answers', () => {
  let it: Awaited<ReturnType<typeof killableWorld>>
  let killAt = 0
  const kills: Promise<void>[] = []
  const { seen, onPacket } = statementCounter((count) => {
    if (count === killAt) kills.push(it.kill())
  })

  beforeAll(async () => {
    it = await killableWorld(onPacket)
  })
  afterAll(() => it.end())

  // A usual run kills the product at every third statement.
  test('an acknowledged event is processed once, at whichever statement the product is killed', async () => {
    try {
      const ann = await newPerson(it.url())
      const page = await openInbox(ann, it.sandbox.url, 'u3303')
      seen.workspaceId = ann.workspaceId
      const tell = (id: string, n: number) => {
        const value = {
          item: 'comment',
          verb: 'add',
          from: { id: `4400${n}`, name: `Guest ${n}` },
          post_id: page.postId,
          comment_id: id,
          created_time: Math.floor(Date.now() / 1000),
          message: `At ${n}`,
        }
        const entry = [{ id: page.account.externalId, time: value.created_time, changes: [{ field: 'feed', value }] }]
        const body = JSON.stringify({ object: 'page', entry })
        return call(it.url(), 'POST', '/webhooks/NET_PAGE', body, {
          'content-type': 'application/json',
          'x-hub-signature-256': `sha256=${createHmac('sha256', APP.secret).update(body).digest('hex')}`,
        }).then(
          ({ status }) => status === 200,
          () => false,
        )
      }
      const ids: string[] = []
      const step = sized(3, 1)
      for (let n = 1; ; n += step) {
        const id = `${page.postId}_88${n}_`
        ids.push(id)
        Object.assign(seen, { id, count: 0 })
        killAt = n
        const before = kills.length
        // Like a network, this resends an event only until it is acknowledged.
        while (!(await tell(id, n))) await kills.at(-1)
        await eventually(async () => {
          const { rows } = await it.db.query<{ left: number }>(
            `select ((select count(*) from inbound_event where done_at is null)
            + (select count(*) from graphile_worker.jobs where task_identifier = 'webhook-process'))::int as left`,
          )
          return rows[0]!.left === 0
        })
        if (kills.length === before) break
        await kills.at(-1)
      }
      // The last event was processed without a kill, because it needed fewer statements.
      expect(ids.length).toBeGreaterThan(12 / step)
      const { rows } = await it.db.query<{ id: string }>(
        `select m.external_id as id from message m join thread t on t.workspace_id = m.workspace_id and t.id = m.thread_id
        join audit_entry a on a.workspace_id = m.workspace_id and a.action = 'message.received'
          and a.object ->> 'messageId' = m.id::text
        where m.direction = 'IN' and t.revision = 1 and t.unanswered_at is not null`,
      )
      expect(rows.map((row) => row.id).toSorted()).toEqual(ids.toSorted())
    } finally {
      // Work in the meantime has statements too.
      Object.assign(seen, { id: '' })
      killAt = 0
      await Promise.allSettled(kills)
    }
  }, 600_000)

  test('an answer reaches the network once, even if responses are lost and the product is killed; a careless sender sends twice', async () => {
    let ann = await newPerson(it.url())
    const page = await openInbox(ann, it.sandbox.url, 'u3302')
    const texts = Array.from({ length: sized(4, 60) }, (_, n) => `Answer ${n}`)
    const lost = {
      match: { network: 'NET_PAGE', method: 'POST', path: '/comments' },
      do: { drop: 'after' },
      times: sized(2, 6),
    }
    for (const [n] of texts.entries()) {
      await page.play({ kind: 'comment', postId: page.postId, from: { name: `Guest ${n}` }, text: `Question ${n}` })
    }
    await eventually(async () => (await threadsOf(ann, '?limit=100')).length === texts.length)
    const threads = await Promise.all(texts.map((_, n) => threadOf(ann, `Guest ${n}`)))
    await addFault(it.sandbox.url, lost)
    // The id of the comment that the control answers below.
    const { rows } = await it.db.query<{ id: string }>(
      `select external_id as id from message where text = 'Question 0'`,
    )
    for (const [n, thread] of threads.entries()) {
      await ann.must('POST', `/conversations/${thread.id}/messages`, { text: texts[n]! })
      if (n === Math.floor(texts.length / 2)) {
        await it.kill()
        ann = asPerson(it.url(), ann.session)
      }
    }
    // An answer that was killed between its intent and its call is proven absent. It fails, and a person sends it
    // again.
    await eventually(async () => {
      const states = await Promise.all(
        threads.map(async ({ id }) => {
          const last = (await ann.must<OpenThread>('GET', `/conversations/${id}`)).messages.at(-1)
          const state = last?.delivery?.state
          if (state === 'FAILED') await ann.must('POST', `/conversations/${id}/messages/${last!.id}/retry`)
          return state
        }),
      )
      return states.every((state) => state === 'PUBLISHED')
    }, 120_000)
    const below = await commentsBelow(it.sandbox.url, page.postId)
    for (const text of texts)
      expect(
        below.filter((each) => each.text === text),
        text,
      ).toHaveLength(1)
    await call(it.sandbox.url, 'DELETE', '/faults', {})
    await addFault(it.sandbox.url, { ...lost, times: 3 })
    await careless(it.sandbox.url, { user: 'u3302', accountId: page.account.externalId, commentId: rows[0]!.id })
    const twice = await commentsBelow(it.sandbox.url, page.postId)
    expect(twice.filter(({ text }) => text === 'Careless').length).toBeGreaterThan(1)
  }, 300_000)
})
