import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { commentsBelow, openInbox, threadOf, threadsOf } from '../../test/inbox.ts'
import { killableWorld } from '../../test/killable.ts'
import { sized } from '../../test/tier.ts'
import { addFault, asPerson, call, eventually, newPerson } from '../../test/world.ts'
import { grant, openNetworks } from '../../test/adapters.ts'
import { NetworkError } from '../networks/network.ts'
import type { OpenThread } from './api.ts'

/** The control of receiving: it acknowledges on receipt, works later, and is killed meanwhile. */
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
  for (let n = 0; n < 20; n += 1) {
    await tell(n)
    await eventually(() => Promise.resolve(seen.acknowledged > n))
    if (n % 5 === 4) {
      memory.forEach(clearTimeout)
      memory = []
    }
  }
  await sleep(100)
  server.close()
  return seen
}

/** The control of sending: it sends again whenever there was no answer. */
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

test('every acknowledged event is one message, though the product is killed while they come', async () => {
  const [count, kills] = [sized(300, 10_000), sized(2, 5)]
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

test('an answer is at the network once, though its answers are lost and the product is killed; a careless sender sends twice', async () => {
  const it = await killableWorld()
  try {
    let ann = await newPerson(it.url())
    const page = await openInbox(ann, it.sandbox.url, 'u3302')
    const texts = Array.from({ length: sized(12, 60) }, (_, n) => `Answer ${n}`)
    const lost = { match: { network: 'NET_PAGE', method: 'POST', path: '/comments' }, do: { drop: 'after' }, times: 6 }
    for (const [n] of texts.entries()) {
      await page.play({ kind: 'comment', postId: page.postId, from: { name: `Guest ${n}` }, text: `Question ${n}` })
    }
    await eventually(async () => (await threadsOf(ann, '?limit=100')).length === texts.length)
    const threads = await Promise.all(texts.map((_, n) => threadOf(ann, `Guest ${n}`)))
    await addFault(it.sandbox.url, lost)
    // The control goes on until one of its lost answers was real.
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
    // Killed between the intent and the call, an answer is proven absent: it fails, and a person sends it again.
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
  } finally {
    await it.end()
  }
}, 300_000)
