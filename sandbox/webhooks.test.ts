import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../test/world.ts'
import { addFaultTo, APP, bearer, type Body, call, connect, jpeg, startHost, startSandbox } from './testing.ts'

// What the network reports to an app, how unreliable its webhooks are, and what it enforces in conversations.

const SCOPE =
  'pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_metadata,pages_manage_engagement,pages_messaging,' +
  'instagram_basic,instagram_content_publish,instagram_manage_comments'
const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Told {
  at: number
  body: string
  signature: string
  entry: { id: string; time: number; changes?: Item[]; messaging?: Item[] }[]
}
type Item = Record<string, unknown> & {
  field?: string
  value?: Record<string, unknown>
  message?: Record<string, unknown>
}

/** Starts an app that answers the handshake, and each webhook with the set status. */
async function startApp() {
  const told: Told[] = []
  const set = { status: 200, word: 'verify me' }
  const bodyOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray()).toString()
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://app')
    if (request.method === 'GET') {
      const right = searchParams.get('hub.verify_token') === set.word
      response.writeHead(right ? 200 : 403).end(right ? searchParams.get('hub.challenge') : '')
      return
    }
    void bodyOf(request).then((body) => {
      const { entry } = JSON.parse(body) as Told
      told.push({ at: Date.now(), body, signature: String(request.headers['x-hub-signature-256']), entry })
      response.writeHead(set.status).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    told,
    set,
    close: () => new Promise((done) => server.close(done)),
  }
}

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let app: Awaited<ReturnType<typeof startApp>>
let host: Awaited<ReturnType<typeof startHost>>

beforeAll(async () => {
  sandbox = await startSandbox({ timeScale: 20 })
  app = await startApp()
  host = await startHost({ '/a.jpg': { body: await jpeg('teal') }, '/text.jpg': { body: 'no', type: 'text/plain' } })
})
afterAll(async () => {
  await sandbox?.close()
  await app?.close()
  await host?.close()
})
beforeEach(async () => {
  await call(`${sandbox.url}/webhooks`, { method: 'PUT', json: {} })
  app.set.status = 200
  // Events of earlier tests are delivered first.
  await eventually(async () => (await waiting()) === 0)
  app.told.length = 0
})

const appToken = bearer(`${APP.id}|${APP.secret}`)
const subscribe = (object: string, fields: string, word = app.set.word) =>
  call(`${sandbox.url}/graph/v25.0/${APP.id}/subscriptions`, {
    json: { object, callback_url: app.url, verify_token: word, fields },
    headers: appToken,
  })
const misbehave = (faults: object) => call(`${sandbox.url}/webhooks`, { method: 'PUT', json: faults })
const forward = (ms: number) => call(`${sandbox.url}/clock`, { json: { advanceMs: ms } })
const codeOf = ({ body: { error } }: { body: Body }) => `${error?.code}/${error?.error_subcode}`

/** Opens a page with a live post, subscribed to everything, and returns functions that play its customers. */
async function openPage(user: string) {
  const me = await connect(sandbox.url, user, { scope: SCOPE })
  await subscribe('page', 'feed,messages,message_echoes')
  await subscribe('instagram', 'comments,live_comments,messages')
  await me.graph(`${me.page.id}/subscribed_apps`, { json: { subscribed_fields: 'feed,messages,message_echoes' } })
  const post = (await me.post({ message: `Post of ${user}` })).body.id
  const play = async (act: object) => {
    const answer = await call<{ id: string; threadKey: string }>(`${sandbox.url}/inbound`, {
      json: { network: 'NET_PAGE', accountId: me.page.id, ...act },
    })
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body
  }
  const send = (message: object, more: object = {}, recipient: object = { id: '7100' }) =>
    me.graph(`${me.page.id}/messages`, { json: { recipient, message, messaging_type: 'RESPONSE', ...more } })
  const write = (text = 'Hello', more: object = {}) =>
    play({ kind: 'dm', from: { id: '7100', name: 'Mia' }, text, ...more })
  const comment = (text = 'Nice') => play({ kind: 'comment', postId: post, from: { name: 'Mia' }, text })
  const messages = async () => {
    const { body } = await call<{
      networks: { NET_PAGE: { accounts: { id: string; conversations: Conversation[] }[] } }
    }>(`${sandbox.url}/state`)
    const mine = body.networks.NET_PAGE.accounts.find(({ id }) => id === me.page.id)
    return (mine?.conversations ?? []).flatMap((each) => each.messages.map(({ text }) => text))
  }
  return { ...me, post, play, send, write, comment, messages }
}
interface Conversation {
  messages: { text: string }[]
}

/** Opens the photo account of a page, with a live story. */
async function openPhoto(user: string) {
  const page = await openPage(user)
  const fields = 'id,instagram_business_account{id,username}'
  const { body } = await call(`${sandbox.url}/graph/v25.0/me/accounts?fields=${fields}`, {
    headers: bearer(page.userToken),
  })
  const { id } = body.data[0]!['instagram_business_account'] as { id: string }
  const made = await page.graph(`${id}/media`, { json: { image_url: `${host.url}/a.jpg`, media_type: 'STORIES' } })
  const story = await eventually(async () => {
    const live = await page.graph(`${id}/media_publish`, { json: { creation_id: made.body.id } })
    return live.status === 200 && live.body.id
  })
  const play = async (act: object) => {
    const answer = await call<{ id: string; threadKey: string }>(`${sandbox.url}/inbound`, {
      json: { network: 'NET_PHOTO', accountId: id, from: { id: '7200', name: 'Noor' }, ...act },
    })
    return { status: answer.status, ...answer.body }
  }
  return { ...page, id, story, play }
}

const untilTold = (count: number) =>
  eventually(async () => app.told.length >= count && app.told.slice(0, count), 10_000, 20)
const told = async (count = 1) => (await untilTold(count)).flatMap(({ entry }) => entry)
const waiting = async () => (await call<{ waiting: number; sent: number }>(`${sandbox.url}/webhooks`)).body.waiting

describe('a callback address', () => {
  test('must pass the handshake first', async () => {
    const refused = await subscribe('page', 'feed', 'another word')
    expect(refused.body.error.message).toContain('#2200')
    expect((await subscribe('page', 'feed')).body).toEqual({ success: true })
  })

  test('receives no events of a page that has not subscribed the app', async () => {
    const me = await connect(sandbox.url, 'u4901', { scope: SCOPE })
    await subscribe('page', 'feed')
    const post = (await me.post({ message: 'Silent' })).body.id
    await call(`${sandbox.url}/inbound`, {
      json: { network: 'NET_PAGE', accountId: me.page.id, kind: 'comment', postId: post, text: 'Anybody?' },
    })
    expect(await waiting()).toBe(0)
    expect(app.told).toEqual([])
  })
})

describe('a webhook', () => {
  test('is signed over its raw bytes, with everything but ASCII escaped', async () => {
    const { comment } = await openPage('u4902')
    await comment('Grüße 🙂')
    const [{ body, signature }] = (await untilTold(1)) as [Told]
    expect(body).toContain('Gr\\u00fc\\u00dfe \\ud83d\\ude42')
    const right = createHmac('sha256', APP.secret).update(body).digest('hex')
    expect(signature).toBe(`sha256=${right}`)
    const written = JSON.stringify(JSON.parse(body))
    expect(createHmac('sha256', APP.secret).update(written).digest('hex')).not.toBe(right)
  })

  test('not answered by 200 is repeated immediately, after 5 and 30 s, then less often, for 36 h', async () => {
    const { comment } = await openPage('u4903')
    app.set.status = 500
    await comment()
    const tries = await untilTold(4)
    const gaps = tries.slice(1).map(({ at }, i) => (at - (tries[i]?.at ?? 0)) * 20)
    expect(gaps[0]).toBeLessThan(5_000)
    expect(gaps[1]).toBeGreaterThanOrEqual(4_900)
    expect(gaps[1]).toBeLessThan(30_000)
    expect(gaps[2]).toBeGreaterThanOrEqual(29_000)
    // The network's clock moves on: each try is later than the one before, until there are none.
    for (let day = 0; day < 4 && (await waiting()) > 0; day += 1) {
      const before = app.told.length
      await forward(10 * HOUR)
      await untilTold(before + 1)
    }
    expect(await eventually(async () => (await waiting()) === 0)).toBe(true)
    const last = app.told.length
    await forward(10 * DAY)
    // A further try would come before the next event.
    app.set.status = 200
    await comment('The next one')
    expect((await untilTold(last + 1)).at(-1)?.body).toContain('The next one')
    expect(app.told).toHaveLength(last + 1)
    // Each try sends the same event with the same bytes.
    expect(new Set(app.told.slice(0, last).map(({ body }) => body)).size).toBe(1)
  })

  test('can arrive twice, out of order, batched, late, never, and with a wrong signature', async () => {
    const { comment } = await openPage('u4904')
    const textsOf = (entries: Told['entry']) => entries.map(({ changes }) => changes?.[0]?.value?.['message'])

    await misbehave({ duplicate: true })
    await comment('Twice')
    expect(textsOf(await told(2))).toEqual(['Twice', 'Twice'])

    app.told.length = 0
    await misbehave({ delayMs: 60_000 })
    for (const text of ['First', 'Second', 'Third']) await comment(text)
    expect(app.told).toEqual([])
    await misbehave({ shuffle: true, batch: true })
    await forward(60_000)
    expect(textsOf(await told())).toEqual(['Third', 'Second', 'First'])
    expect(app.told).toHaveLength(1)

    app.told.length = 0
    await misbehave({ badSignature: true })
    await comment('Forged')
    const [{ body, signature }] = (await untilTold(1)) as [Told]
    expect(signature).not.toBe(`sha256=${createHmac('sha256', APP.secret).update(body).digest('hex')}`)

    app.told.length = 0
    await misbehave({ drop: true })
    await comment('Lost')
    expect(await waiting()).toBe(0)
    expect(app.told).toEqual([])
  })
})

describe('an action of a customer', () => {
  test('is reported in the network’s own format', async () => {
    const { play, comment, write } = await openPage('u4905')
    const made = await comment()
    await play({ kind: 'edit', id: made.id, text: 'Nicer' })
    await play({ kind: 'remove', id: made.id })
    const verbs = (await told(3)).map(({ changes }) => changes?.[0]?.value?.['verb'])
    expect(verbs).toEqual(['add', 'edited', 'remove'])

    app.told.length = 0
    const from = { id: '7100', name: 'Mia' }
    const { id } = await write()
    await play({ kind: 'edit', id, text: 'Hello!', from })
    await play({ kind: 'react', id, text: '❤', from })
    await play({ kind: 'read', from })
    await play({ kind: 'echo', text: 'By phone', from })
    await play({ kind: 'remove', id, from })
    const items = (await told(6)).map(({ messaging }) => messaging?.[0] ?? {})
    expect(items).toMatchObject([
      { message: { mid: id, text: 'Hello' } },
      { message_edit: { mid: id, text: 'Hello!', num_edit: 1 } },
      { reaction: { mid: id, action: 'react', emoji: '❤' } },
      { read: { watermark: expect.any(Number) } },
      { message: { text: 'By phone', is_echo: true } },
      { message: { mid: id, is_deleted: true } },
    ])
  })

  test('an answer to a story is a message that names the story, and a comment below a broadcast has its own field', async () => {
    const { id, story, play } = await openPhoto('u4906')
    expect((await play({ kind: 'story', postId: story, text: 'Wow' })).status).toBe(201)
    expect((await play({ kind: 'live', text: 'Hi from Oslo' })).status).toBe(201)
    const [answer, comment] = (await told(2)) as [Told['entry'][0], Told['entry'][0]]
    expect(answer.messaging?.[0]?.message).toMatchObject({
      text: 'Wow',
      reply_to: { story: { id: story, url: `${sandbox.url}/feed/${id}/${story}` } },
    })
    expect(comment.changes?.[0]).toMatchObject({
      field: 'live_comments',
      value: { text: 'Hi from Oslo', media: { media_product_type: 'LIVE' } },
    })
    expect((await play({ kind: 'story', postId: 'another', text: 'Wow' })).status).toBe(404)
  })

  test('an app can read the address and fields of its events; no one else can', async () => {
    await subscribe('instagram', 'comments,messages')
    const path = `${sandbox.url}/graph/v25.0/${APP.id}/subscriptions`
    const { body } = await call(path, { headers: appToken })
    const told = { object: 'instagram', callback_url: app.url, active: true }
    expect(body.data).toContainEqual({
      ...told,
      fields: ['comments', 'messages'].map((name) => ({ name, version: 'v25.0' })),
    })
    expect((await call(path)).body.error.code).toBe(104)
  })

  test('the final figures of a story are reported once, after its day, with counts below five as -1', async () => {
    const { story, play } = await openPhoto('u4913')
    await subscribe('instagram', 'comments,live_comments,messages,story_insights')
    const ends = () =>
      app.told
        .flatMap(({ entry }) => entry.flatMap(({ changes = [] }) => changes))
        .filter(({ field, value }) => field === 'story_insights' && value?.['media_id'] === story)
    expect(ends()).toEqual([])
    await forward(DAY)
    const [end] = await eventually(async () => ends().length > 0 && ends())
    expect(end).toMatchObject({ value: { exits: -1, reach: expect.any(Number) } })
    await forward(DAY)
    await play({ kind: 'live', text: 'A day later' })
    await eventually(async () => app.told.some(({ body }) => body.includes('A day later')))
    expect(ends()).toHaveLength(1)
  })

  test('a picture in a comment of the page is fetched and reported; the photo network refuses it', async () => {
    const { post, graph, story } = await openPhoto('u4907')
    const bad = await graph(`${post}/comments`, { json: { attachment_url: `${host.url}/text.jpg` } })
    expect(bad.body.error.code).toBe(100)
    const made = await graph(`${post}/comments`, { json: { attachment_url: `${host.url}/a.jpg` } })
    const [{ changes }] = (await told()) as [Told['entry'][0]]
    expect(changes?.[0]?.value).toMatchObject({ comment_id: made.body.id, photo: `${host.url}/a.jpg` })
    const { body } = await graph(`${post}/comments?fields=id,message,attachment{media{image{src}}}`)
    expect(body.data).toMatchObject([{ attachment: { media: { image: { src: `${host.url}/a.jpg` } } } }])
    const refused = await graph(`${story}/comments`, { json: { attachment_url: `${host.url}/a.jpg` } })
    expect(refused.body.error.code).toBe(100)
  })
})

describe('the network enforces', () => {
  test('a day for any message, and seven days for one that a person wrote', async () => {
    const { write, send } = await openPage('u4908')
    expect(codeOf(await send({ text: 'Unasked' }))).toBe('100/2018001')
    await write()
    expect((await send({ text: 'In time' })).status).toBe(200)
    await forward(DAY + 1000)
    expect(codeOf(await send({ text: 'Late' }))).toBe('10/2018278')
    const byPerson = { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' }
    expect((await send({ text: 'By a person' }, byPerson)).status).toBe(200)
    await forward(6 * DAY)
    expect(codeOf(await send({ text: 'Too late' }, byPerson))).toBe('10/2018278')
  })

  test('a limit in bytes on the photo network, which also has its own code for the window', async () => {
    const { play, send } = await openPhoto('u4909')
    await play({ kind: 'dm', text: 'Hello' })
    const to = { id: '7200' }
    expect((await send({ text: 'ش'.repeat(500) }, {}, to)).status).toBe(200)
    expect((await send({ text: 'ش'.repeat(501) }, {}, to)).body.error.code).toBe(100)
    await forward(DAY + 1000)
    expect(codeOf(await send({ text: 'Late' }, {}, to))).toBe('10/2534022')
  })

  test('one private reply to a comment, within seven days', async () => {
    const { comment, send } = await openPage('u4910')
    const first = { comment_id: (await comment()).id }
    expect((await send({ text: 'Privately' }, {}, first)).status).toBe(200)
    expect((await send({ text: 'Again' }, {}, first)).body.error.message).toContain('#10900')
    const second = { comment_id: (await comment()).id }
    await forward(7 * DAY + 1000)
    expect(codeOf(await send({ text: 'Late' }, {}, second))).toBe('10/2018278')
  })

  test('two reads of conversations per second', async () => {
    const { graph, page, write } = await openPage('u4911')
    await write()
    const read = async (): Promise<number | string> =>
      (await graph(`${page.id}/conversations?fields=id`)).body.error?.code ?? 'ok'
    // A second of the network passes in 50 ms, so the three may arrive in different seconds on a busy machine.
    await eventually(async () => {
      const codes = await Promise.all([read(), read(), read()])
      return codes.filter((code) => code !== 613).length === 2
    })
    // In a later second, reading is allowed again.
    await eventually(async () => (await read()) === 'ok')
  })
})

describe('a message', () => {
  test('answered with 1/1357046 has been sent; with any other code, it has not', async () => {
    const { write, send, messages } = await openPage('u4912')
    await write()
    const nevertheless = await send({ text: 'Sent [sim:fail 1357046]' })
    expect([nevertheless.status, codeOf(nevertheless)]).toEqual([500, '1/1357046'])
    expect(codeOf(await send({ text: 'Not sent [sim:fail 551]' }))).toMatch(/^551\//)
    expect(await messages()).toEqual(['Hello', 'Sent [sim:fail 1357046]'])
  })

  test('is reported as an echo after its answer, or before it', async () => {
    const { write, send } = await openPage('u4913')
    await write()
    await untilTold(1)
    app.told.length = 0
    await misbehave({ delayMs: 3_600_000 })
    await send({ text: 'Answer first', metadata: 'ours' })
    expect(app.told).toEqual([])
    await misbehave({})
    await forward(HOUR)
    expect((await told())[0]?.messaging?.[0]?.message).toMatchObject({ is_echo: true, metadata: 'ours' })
    app.told.length = 0
    await misbehave({ echoFirst: true })
    const answer = await send({ text: 'Echo first' })
    expect(app.told.map(({ entry }) => entry[0]?.messaging?.[0]?.message?.['mid'])).toEqual([
      (answer.body as unknown as { message_id: string }).message_id,
    ])
  })

  test('can appear in lists with a delay', async () => {
    const { graph, page, write } = await openPage('u4914')
    const texts = () =>
      eventually(async () => {
        const { body } = await graph(`${page.id}/conversations?fields=id,messages{message}`)
        // Only two reads are allowed per second.
        if (body.error?.code === 613) return undefined
        return body.data.flatMap((each) =>
          (each['messages'] as { data: { message: string }[] }).data.map(({ message }) => message),
        )
      })
    await misbehave({ listedAfterMs: 60_000 })
    await write('Late in the list')
    expect(await texts()).toEqual([])
    await forward(60_000)
    expect(await texts()).toEqual(['Late in the list'])
  })

  test('whose answer is dropped after the effect exists once', async () => {
    const { write, send, messages } = await openPage('u4915')
    await write()
    await addFaultTo(sandbox.url, { match: { method: 'POST', path: '/messages' }, do: { drop: 'after' }, times: 1 })
    await expect(send({ text: 'Cut off' })).rejects.toThrow()
    expect(await messages()).toEqual(['Hello', 'Cut off'])
  })
})
