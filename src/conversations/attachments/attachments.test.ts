import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join as joinPath } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import {
  commentsBelow,
  messagesAt,
  type OpenedInbox,
  openInbox,
  tellOfComment,
  threadOf,
  threadsOf,
  untilEventsApplied,
} from '../../../test/inbox.ts'
import {
  addFault,
  confirmEmail,
  eventually,
  join,
  newPerson,
  type Person,
  picture,
  type Problem,
  uploadPicture,
} from '../../../test/world.ts'
import { hashSecret } from '../../core/platform/crypto.ts'
import type { Message, OpenThread } from '../threads/api.ts'

const { product, sql, sandbox } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox
let bytes: Buffer
let host: Server
let address: string
let fetched = 0

beforeAll(async () => {
  ann = await newPerson(product.url)
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u3901')
  bytes = await picture()
  host = createServer((request, response) => {
    fetched += 1
    if (request.url === '/gone') return response.writeHead(410).end()
    if (request.url === '/refused') return response.writeHead(400).end()
    const [, hops] = request.url!.match(/^\/moved\/(\d)$/) ?? []
    if (hops) return response.writeHead(302, { location: hops === '1' ? '/here' : `${Number(hops) - 1}` }).end()
    if (request.url === '/big') {
      // The response does not declare its length.
      response.writeHead(200, { 'content-type': 'image/jpeg' })
      const piece = Buffer.alloc(2 ** 20)
      for (let n = 0; n < 26; n += 1) response.write(piece)
      return response.end()
    }
    const type = request.url === '/page.html' ? 'text/html' : 'image/jpeg; charset=binary'
    return response.writeHead(200, { 'content-type': type }).end(bytes)
  }).listen(0, '127.0.0.1')
  await new Promise((done) => host.once('listening', done))
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
})
afterAll(() => host?.close())

const send = async (name: string, attachments: object[]) => {
  await page.play({ kind: 'dm', from: { name }, text: `from ${name}`, attachments })
  const thread = await eventually(async () => (await threadsOf(ann, `?q=${name}`))[0])
  return thread.id
}
const read = (id: string) => ann.must<OpenThread>('GET', `/conversations/${id}`)
const untilState = (id: string, state: string) =>
  eventually(async () => {
    const file = (await read(id)).messages[0]?.attachments[0]
    return file?.state === state && file
  })
const get = (path: string, person = ann) =>
  fetch(product.url + path, {
    headers: { authorization: `Bearer ${person.session.accessToken}`, 'x-workspace-id': ann.workspaceId },
  })

/** Returns where the file of an attachment is stored. */
const placeOf = async ({ id }: { id: string }) => {
  const { rows } = await sql.query<{ key: string }>('select storage_key as key from message_attachment where id = $1', [
    id,
  ])
  const { key } = rows[0]!
  return joinPath(product.dataDir, 'media', key.slice(0, 2), key)
}

describe('a file from a customer', () => {
  test('is kept before its URL expires, and served to members only', async () => {
    const id = await send('Alma', [{ type: 'image', url: `${address}/a.jpg` }])
    const file = await untilState(id, 'KEPT')
    expect(file).toMatchObject({ type: 'image', contentType: 'image/jpeg', size: bytes.length })
    const answer = await get(file.url!)
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    expect([answer.headers.get('content-type'), answer.headers.get('x-content-type-options')]).toEqual([
      'image/jpeg',
      'nosniff',
    ])
    expect((await fetch(`${product.url}/files/${basename(await placeOf(file))}`)).status).toBe(404)
    expect((await fetch(product.url + file.url!)).status).toBe(401)
    const cleo = await join(ann, 'Cleo', 'CLIENT')
    expect((await get(file.url!, cleo)).status).toBe(403)
  })

  test('is served as a download if a browser could run it', async () => {
    const id = await send('Bert', [{ type: 'file', url: `${address}/page.html` }])
    const file = await untilState(id, 'KEPT')
    const answer = await get(file.url!)
    expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
      'application/octet-stream',
      'attachment',
    ])
  })

  test('is marked as gone or too large', async () => {
    const gone = await untilState(await send('Cora', [{ type: 'image', url: `${address}/gone` }]), 'GONE')
    expect(gone.url).toBeNull()
    await untilState(await send('Rolf', [{ type: 'image', url: `${address}/refused` }]), 'GONE')
    const big = await untilState(await send('Dirk', [{ type: 'video', url: `${address}/big` }]), 'TOO_LARGE')
    const [thread] = await threadsOf(ann, '?q=Dirk')
    const answer = await get(`/api/v1/conversations/${thread!.id}/attachments/${big.id}`)
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([410, 'link_expired'])
  })

  test('is not fetched if it is a link to a page', async () => {
    const before = fetched
    const id = await send('Egon', [{ type: 'share', url: `${address}/page.html` }])
    const { messages, id: threadId } = await read(id)
    expect(messages[0]?.attachments).toMatchObject([{ type: 'share', state: 'LINK' }])
    const nothing = await get(`/api/v1/conversations/${threadId}/attachments/${messages[0]!.attachments[0]!.id}`)
    expect([nothing.status, ((await nothing.json()) as Problem).code]).toEqual([404, 'not_found'])
    await page.play({
      kind: 'dm',
      from: { name: 'Fay' },
      text: 'later',
      attachments: [{ type: 'image', url: `${address}/b` }],
    })
    await eventually(async () => fetched > before)
    expect(fetched).toBe(before + 1)
  })

  test('is skipped beyond the limits of a day, and stays a link', async () => {
    const before = fetched
    for (let n = 0; n <= 10; n += 1) {
      const many = Array.from({ length: n < 10 ? 10 : 1 }, (_, at) => ({ type: 'image', url: `${address}/${n}/${at}` }))
      await page.play({ kind: 'dm', from: { name: 'Mona' }, text: `from Mona ${n}`, attachments: many })
    }
    const [{ id }] = (await eventually(async () => {
      const found = await threadsOf(ann, '?q=Mona')
      return found.length === 1 && found
    })) as [OpenThread]
    const attachments = await eventually(async () => {
      const all = (await read(id)).messages.flatMap((message) => message.attachments)
      return all.length === 101 && all.every(({ state }) => state !== 'LINK') && all
    })
    const skipped = attachments.filter(({ state }) => state !== 'KEPT')
    expect(skipped).toEqual([
      expect.objectContaining({ state: 'SKIPPED', url: expect.stringContaining(address), size: null }),
    ])
    expect(fetched).toBe(before + 100)
    const nothing = await get(`/api/v1/conversations/${id}/attachments/${skipped[0]!.id}`)
    expect([nothing.status, ((await nothing.json()) as Problem).code]).toEqual([404, 'not_found'])
    // Others still send files, until those of the whole workspace are too many.
    await untilState(await send('Nora', [{ type: 'image', url: `${address}/n.jpg` }]), 'KEPT')
    await sql.query('update try_count set tries = 2000 where key = $1', [hashSecret(`files of ${ann.workspaceId}`)])
    const olga = await send('Olga', [{ type: 'image', url: `${address}/o.jpg` }])
    await untilState(olga, 'SKIPPED')
    // The customer may send as many as before. A customer is one person on all accounts.
    const { customer } = await read(olga)
    const tries = await sql.query('select tries from try_count where key = $1', [
      hashSecret(`files of ${customer!.id}`),
    ])
    expect(tries.rows).toEqual([{ tries: 0 }])
    await sql.query('update try_count set tries = 0 where key = $1', [hashSecret(`files of ${ann.workspaceId}`)])
  })

  test('of a customer with two accounts counts in one limit of a day', async () => {
    const other = await openInbox(ann, sandbox.url, 'u3902')
    const first = await send('Petra', [])
    await other.play({ kind: 'dm', from: { name: 'Quentin' }, text: 'from Quentin' })
    const one = (await read(first)).customer!
    const second = await threadOf(ann, 'Quentin')
    await ann.must('POST', `/audience/${one.id}/merge`, { with: second.customer!.id })
    // The file of the first account is the last that the day allows.
    await sql.query(
      `insert into try_count (key, tries, ends_at) values ($1, 99, app_now() + interval '1 hour')
        on conflict (key) do update set tries = 99`,
      [hashSecret(`files of ${one.id}`)],
    )
    const file = (name: string) => [{ type: 'image', url: `${address}/${name}.jpg` }]
    const stateIn = (id: string) =>
      eventually(async () => {
        const state = (await read(id)).messages.flatMap(({ attachments }) => attachments)[0]?.state
        return state !== 'LINK' && state
      })
    await page.play({ kind: 'dm', from: { name: 'Petra' }, text: 'the hundredth', attachments: file('p') })
    expect(await stateIn(first)).toBe('KEPT')
    await other.play({ kind: 'dm', from: { name: 'Quentin' }, text: 'one more', attachments: file('q') })
    expect(await stateIn(second.id)).toBe('SKIPPED')
  })

  test('is removed from storage with its customer', async () => {
    const id = await send('Gita', [{ type: 'image', url: `${address}/c.jpg` }])
    const file = await untilState(id, 'KEPT')
    const place = await placeOf(file)
    expect(existsSync(place)).toBe(true)
    const { customer } = await read(id)
    expect((await ann.call('DELETE', `/audience/${customer!.id}`)).status).toBe(202)
    await eventually(async () => !existsSync(place))
    expect((await get(file.url!)).status).toBe(404)
  })

  test('is removed from storage with its message', async () => {
    const id = await send('Gero', [{ type: 'image', url: `${address}/d.jpg` }])
    const file = await untilState(id, 'KEPT')
    const place = await placeOf(file)
    expect(existsSync(place)).toBe(true)
    const { externalId } = (await read(id)).messages[0]!
    await page.play({ kind: 'remove', id: externalId, from: { name: 'Gero' } })
    await eventually(async () => !existsSync(place))
    expect((await get(file.url!)).status).toBe(404)
    expect((await read(id)).messages).toMatchObject([{ text: null, attachments: [] }])
  })

  test('is kept below a post, too, such as a video', async () => {
    await tellOfComment(product.url, page.account.externalId, {
      comment_id: `${page.postId}_77`,
      post_id: page.postId,
      from: { id: 'u_video', name: 'Vera' },
      video: `${address}/film`,
    })
    const thread = await eventually(async () =>
      (await threadsOf(ann)).find(({ customer }) => customer?.name === 'Vera'),
    )
    expect(await untilState(thread.id, 'KEPT')).toMatchObject({ type: 'video', size: bytes.length })
  })

  test('is kept after three redirects, and stays a link after more', async () => {
    await untilState(await send('Sina', [{ type: 'image', url: `${address}/moved/3` }]), 'KEPT')
    const id = await send('Rosa', [{ type: 'image', url: `${address}/moved/4` }])
    await eventually(async () => {
      const jobs =
        await sql.query(`select from graphile_worker.jobs where task_identifier = 'attachment' and attempts > 0
        and last_error like '%302%'`)
      return jobs.rowCount === 1
    })
    expect((await read(id)).messages[0]?.attachments).toMatchObject([{ state: 'LINK' }])
  })
})

describe('a picture', () => {
  test('is sent once in a direct message, and its echo adds no second one', async () => {
    const id = await send('Hugo', [])
    const file = await uploadPicture(ann)
    const answer = await ann.must<Message>('POST', `/conversations/${id}/messages`, { attachments: [file.id] })
    expect(answer).toMatchObject({ text: null, attachments: [{ type: 'image', state: 'KEPT', mediaFileId: file.id }] })
    await eventually(async () => {
      const { messages } = await read(id)
      return messages.at(-1)?.delivery?.state === 'PUBLISHED' && messages.at(-1)?.externalId
    })
    const { externalId } = (await read(id)).messages.at(-1)!
    expect(
      (await messagesAt(sandbox.url, page.account.externalId)).filter((each) => each.id === externalId),
    ).toHaveLength(1)
    await untilEventsApplied(sandbox.url, sql, ann)
    expect((await read(id)).messages).toHaveLength(2)
  })

  test("is posted once below a comment, even if the network's response is lost", async () => {
    await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Kai' }, text: 'pictured' })
    const thread = await eventually(async () => (await threadsOf(ann, '?q=pictured'))[0])
    const file = await uploadPicture(ann)
    const path = { network: 'NET_PAGE', method: 'POST', path: '/comments' }
    await addFault(sandbox.url, { match: path, do: { drop: 'after' }, times: 1 })
    const sent = await ann.must<Message>('POST', `/conversations/${thread.id}/messages`, { attachments: [file.id] })
    const done = await eventually(async () => {
      const message = (await read(thread.id)).messages.find(({ id }) => id === sent.id)
      return message?.delivery?.state === 'PUBLISHED' && message.externalId !== null && message
    })
    const below = await commentsBelow(sandbox.url, page.postId)
    expect(below.filter(({ picture: shown }) => shown !== undefined)).toMatchObject([{ id: done.externalId, text: '' }])
    // The network's event about it adds no second message.
    await untilEventsApplied(sandbox.url, sql, ann)
    expect((await read(thread.id)).messages).toHaveLength(2)
  })

  test('from a customer below a post is kept', async () => {
    const picture = `${address}/below.jpg`
    await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Lia' }, text: 'broken cup', picture })
    const thread = await eventually(async () => (await threadsOf(ann, '?q=broken'))[0])
    expect(await untilState(thread.id, 'KEPT')).toMatchObject({ type: 'image', size: bytes.length })
  })

  test('is refused on a network without pictures in comments, and in a private reply', async () => {
    const photo = await openInbox(ann, sandbox.url, 'u3902', 'NET_PHOTO')
    const file = await uploadPicture(ann)
    const refused = async (word: string, body: object) => {
      const thread = await eventually(async () => (await threadsOf(ann, `?q=${word}`))[0])
      const { status, body: problem } = await ann.call<Problem>('POST', `/conversations/${thread.id}/messages`, body)
      return [status, problem.code, problem.errors]
    }
    await photo.play({ kind: 'comment', postId: photo.postId, from: { name: 'Nils' }, text: 'photographed' })
    await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Otto' }, text: 'privacy' })
    const said = (message: string) => [
      422,
      'validation_failed',
      [{ path: '/attachments', code: 'unsupported', message }],
    ]
    const attachments = [file.id]
    expect(await refused('photographed', { attachments })).toMatchObject(
      said('This network doesn’t accept pictures in comments.'),
    )
    expect(await refused('privacy', { attachments, privately: true })).toMatchObject(
      said('Private replies can’t include pictures.'),
    )
  })

  test('is refused together with a text, and if the file is not a ready picture', async () => {
    const id = await send('Ines', [])
    const file = await uploadPicture(ann)
    const refused = async (thread: string, body: object) =>
      (await ann.call<Problem>('POST', `/conversations/${thread}/messages`, body)).body.errors
    expect(await refused(id, { attachments: [file.id], text: 'Look' })).toMatchObject([{ path: '/text' }])
    expect(await refused(id, {})).toMatchObject([{ path: '/text', code: 'required' }])
    expect(await refused(id, { attachments: [id] })).toMatchObject([{ path: '/attachments/0', code: 'unknown' }])
  })
})
