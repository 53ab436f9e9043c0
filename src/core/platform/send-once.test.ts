import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fetchOnce, sendOnce, UnansweredRequest } from './send-once.ts'

// A server that speaks raw bytes, because the handling of strange answers by HTTP libraries is part of the test.

let server: Server
let url: string
let answer: (socket: Socket, request: string) => void
const requests: string[] = []
let connections = 0

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      text += data.toString()
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (!text.includes('\r\n\r\n') || body.length < length) return
      requests.push(text)
      text = ''
      answer(socket, head)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/feed`
})
afterAll(() => server.close())
beforeEach(() => {
  requests.length = 0
  connections = 0
})

const post = (signal = AbortSignal.timeout(5_000)) =>
  sendOnce(url, { method: 'POST', body: '{"message":"once"}', signal })
const says =
  (head: string, body = '{}') =>
  (socket: Socket) =>
    socket.write(`HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)

describe.each([
  ['sendOnce', () => post()],
  [
    'fetchOnce',
    async () => {
      const { status, body } = await fetchOnce(url, { method: 'POST', body: '{"message":"once"}' })
      for await (const _ of body ?? []);
      return { status }
    },
  ],
] as const)('%s sends a request once', (_name, send) => {
  test.each([421, 408, 425, 429, 500, 503])('when the answer is %i', async (status) => {
    answer = says(`${status} No\r\nRetry-After: 0`)
    expect((await send()).status).toBe(status)
    expect(requests).toHaveLength(1)
  })

  test.each([301, 302, 307, 308])('and follows no redirect (%i)', async (status) => {
    answer = says(`${status} Elsewhere\r\nLocation: ${url}/again`)
    expect((await send()).status).toBe(status)
    expect(requests).toHaveLength(1)
  })

  test('when interim answers come before the final one', async () => {
    answer = (socket, head) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n')
      says('201 Created')(socket)
      expect(head).not.toMatch(/^expect:/im)
    }
    expect((await send()).status).toBe(201)
    expect(requests).toHaveLength(1)
  })

  test('when the connection closes without an answer', async () => {
    answer = (socket) => socket.destroy()
    await expect(send()).rejects.toMatchObject({ left: true, code: 'ECONNRESET' })
    expect(requests).toHaveLength(1)
  })

  test('when the answer changes the protocol', async () => {
    answer = (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    await expect(send()).rejects.toMatchObject({ left: true })
    expect(requests).toHaveLength(1)
  })

  test('over a connection of its own, even if the server would keep it open', async () => {
    // If a kept connection closes just as a client reuses it, the request is lost, and some clients then send it again.
    answer = says('200 OK\r\nConnection: keep-alive')
    for (let i = 0; i < 4; i += 1) expect((await send()).status).toBe(200)
    expect([requests.length, connections]).toEqual([4, 4])
  })
})

test('a second answer on the connection is ignored', async () => {
  answer = (socket) => {
    says('200 OK', '"mine"')(socket)
    says('200 OK', '"another’s"'.replace('’', ''))(socket)
  }
  expect((await post()).body).toBe('"mine"')
  expect((await post()).body).toBe('"mine"')
})

test.each([
  ['broken off', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id"'],
  ['garbage', 'SSH-2.0-OpenSSH_9.2\r\n'],
])('an answer that is %s does not count', async (_, text) => {
  answer = (socket) => socket.end(text)
  await expect(post()).rejects.toBeInstanceOf(UnansweredRequest)
  expect(requests).toHaveLength(1)
})

test('an answer that trickles ends at the time limit, and may have had its effect', async () => {
  answer = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{')
    const timer = setInterval(() => socket.write(' '), 10)
    socket.on('close', () => clearInterval(timer))
  }
  await expect(post(AbortSignal.timeout(100))).rejects.toMatchObject({ left: true, code: 'TIMEOUT' })
})

test('a connection that never opened has sent nothing', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as { port: number }
  closed.close()
  await once(closed, 'close')
  const signal = AbortSignal.timeout(5_000)
  await expect(sendOnce(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}', signal })).rejects.toMatchObject({
    left: false,
    code: 'ECONNREFUSED',
  })
})

test('bytes are sent while they are read, after their length', async () => {
  answer = says('201 Created')
  const bytes = Readable.from([Buffer.from('one'), Buffer.from('two')])
  const sent = await sendOnce(url, { method: 'PUT', body: { size: 6, bytes }, signal: AbortSignal.timeout(5_000) })
  expect(sent.status).toBe(201)
  expect(requests[0]).toMatch(/content-length: 6[^]*onetwo$/i)
})

/** A server in a thread of its own: it reports a request, answers it on command, and resets the connection. */
const RESETS_EARLY = `
  const { workerData, parentPort } = require('node:worker_threads')
  const steps = new Int32Array(workerData.steps)
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.pause()
      parentPort.postMessage('asked')
      Atomics.wait(steps, 0, 0)
      socket.write(workerData.answer, () => socket.resetAndDestroy())
      socket.once('close', () => {
        Atomics.store(steps, 1, 1)
        Atomics.notify(steps, 1)
      })
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

/** Sends bytes to a server that answers and resets the connection just before more bytes are written. */
async function sendIntoReset(answered: string): Promise<unknown> {
  const steps = new Int32Array(new SharedArrayBuffer(8))
  const thread = new Worker(RESETS_EARLY, { eval: true, workerData: { answer: answered, steps: steps.buffer } })
  try {
    const [port] = (await once(thread, 'message')) as [number]
    const asked = once(thread, 'message')
    const piece = Buffer.alloc(64 * 1024)
    const bytes = Readable.from(
      (async function* () {
        yield piece
        await asked
        Atomics.store(steps, 0, 1)
        Atomics.notify(steps, 0)
        // Nothing is read here: the answer and the reset have arrived, unseen, when the next byte is written.
        expect(Atomics.wait(steps, 1, 0, 5_000)).not.toBe('timed-out')
        yield piece
      })(),
    )
    return await sendOnce(`http://127.0.0.1:${port}/`, {
      method: 'PUT',
      body: { size: 1024 * piece.length, bytes },
      signal: AbortSignal.timeout(5_000),
    }).catch((error: unknown) => error)
  } finally {
    await thread.terminate()
  }
}

describe('a server that answers before it has all bytes and then resets the connection', () => {
  test('has answered: a failed write hides nothing that has arrived', async () => {
    const answered = 'HTTP/1.1 403 Over\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nover'
    expect(await sendIntoReset(answered)).toMatchObject({ status: 403, body: 'over' })
  })

  test.each([
    ['with no answer', ''],
    ['within the head', 'HTTP/1.1 403 Over\r\nContent-Le'],
    ['within the body', 'HTTP/1.1 403 Over\r\nContent-Length: 5\r\n\r\nover'],
    ['within a body of pieces', 'HTTP/1.1 403 Over\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nover\r\n'],
    ['at the end of a body that only the end of the connection ends', 'HTTP/1.1 403 Over\r\n\r\nover'],
  ])('and cuts its answer off %s has not answered', async (_, answered) => {
    expect(await sendIntoReset(answered)).toMatchObject({ name: 'UnansweredRequest', left: true })
  })
})

test('the control: fetch sends again after 421', async () => {
  answer = says('421 Misdirected Request')
  await fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined)
  expect(requests.length).toBeGreaterThan(1)
})
