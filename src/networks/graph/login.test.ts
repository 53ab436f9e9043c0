import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openNetworks } from '../../../test/adapters.ts'
import { RENEW_COST } from './login.ts'

// A renewal looks for the account in the lists of a person's pages.

let server: Server
let url: string
let lists = 0
/** The list that has the page. */
let at = 0
beforeAll(async () => {
  server = createServer((request, reply) => {
    const isList = request.url?.includes('/me/accounts') === true
    if (isList) lists += 1
    const page = { id: lists === at ? '77' : `other ${lists}`, name: 'Page', access_token: `token ${lists}` }
    const more = { cursors: { after: `after ${lists}` }, next: `${url}/next` }
    const body = isList ? { data: [page], paging: more } : { access_token: 'renewed', expires_in: 60 }
    request.resume().on('end', () => {
      reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  lists = 0
})

/** Renews the account, and counts the calls in the budget of its person. */
async function renew() {
  let calls = 0
  const reservation = { take: () => void (calls += 1), report() {} }
  const account = { externalId: '77', userToken: 'old', refreshToken: null }
  const outcome: unknown = await openNetworks(url)
    .NET_PAGE.refresh(account, reservation)
    .catch((error: unknown) => error)
  return { outcome, calls }
}

test.each([1, 10])(
  'an account in list %i of a person’s pages is renewed with the calls that it reserves',
  async (list) => {
    at = list
    const { outcome, calls } = await renew()
    expect(outcome).toMatchObject({ accessToken: `token ${list}`, userToken: 'renewed' })
    expect(calls).toBe(1 + list)
    expect(calls).toBeLessThanOrEqual(RENEW_COST)
  },
)

test('a renewal ends after ten lists, and is tried again, since the account may be in a later one', async () => {
  at = 11
  const { outcome, calls } = await renew()
  expect(outcome).toMatchObject({ name: 'NetworkError', kind: 'TRANSIENT' })
  expect([lists, calls]).toEqual([10, RENEW_COST])
})
