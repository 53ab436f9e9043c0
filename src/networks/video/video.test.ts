import { describe, expect, test } from 'vitest'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { parseJson } from './client.ts'
import { createVideo, piecesOf } from './video.ts'

const MB = 1_000_000

describe('the pieces of an upload', () => {
  test.each([1, 5 * MB, 64 * MB, 64 * MB + 1, 100 * MB, 123_456_789, 4_000 * MB])(
    'of %i bytes cover all of it, in order, within the bounds',
    (size) => {
      const pieces = piecesOf(size)
      expect(pieces[0]?.from).toBe(0)
      expect(pieces.at(-1)?.to).toBe(size)
      for (const [i, piece] of pieces.entries()) {
        if (i > 0) expect(piece.from).toBe(pieces[i - 1]?.to)
        if (pieces.length === 1) continue
        const last = i === pieces.length - 1
        expect(piece.to - piece.from).toBeGreaterThanOrEqual(5 * MB)
        expect(piece.to - piece.from).toBeLessThanOrEqual(last ? 128 * MB : 64 * MB)
      }
      expect(pieces.length).toBeLessThanOrEqual(1000)
      // The network calculates the number of pieces from the size of the first.
      const first = pieces[0] as { from: number; to: number }
      expect(pieces.length).toBe(Math.max(1, Math.floor(size / (first.to - first.from))))
    },
  )
})

test('an id beyond the safe integers keeps its digits; texts and short numbers stay unchanged', () => {
  expect(parseJson('{"ids":[7123456789012345678,-7123456789012345678],"n":12,"t":"7123456789012345678,"}')).toEqual({
    ids: ['7123456789012345678', '-7123456789012345678'],
    n: 12,
    t: '7123456789012345678,',
  })
  expect(parseJson('no json')).toBeUndefined()
})

test.each([
  ['seconds', '7', 7_000, 7_000],
  ['a time', new Date(Date.now() + 60_000).toUTCString(), 55_000, 60_000],
  ['an unreadable value, which is ignored', 'soon', undefined, undefined],
])('the wait of a rate limit is read when given as %s', async (_, said, least, most) => {
  const server = createServer((_request, reply) => {
    reply.writeHead(429, { 'content-type': 'application/json', 'retry-after': said })
    reply.end(JSON.stringify({ data: {}, error: { code: 'rate_limit_exceeded', message: 'slow down' } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const url = () => `http://127.0.0.1:${port}`
  const network = createVideo({ clientKey: 'k', clientSecret: 's', authUrl: url, apiUrl: url, timeScale: 1 })
  const reservation = { take() {}, report() {} }
  try {
    const refused = (await network
      .postingOptions?.({ externalId: 'x', accessToken: 't' }, reservation)
      .catch((error: unknown) => error)) as {
      failure: string
      retryAfterMs?: number
    }
    expect(refused.failure).toBe('rate_limit')
    if (least === undefined) expect(refused.retryAfterMs).toBeUndefined()
    else expect(refused.retryAfterMs).toBeGreaterThanOrEqual(least)
    if (most !== undefined) expect(refused.retryAfterMs).toBeLessThanOrEqual(most)
  } finally {
    server.close()
  }
})
