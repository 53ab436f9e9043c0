import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPublicWeb, EVERYWHERE, isPublicAddress, NotReached } from './public-web.ts'

describe('an address', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.63.255.255', '2606:4700::1111', '2a00:1450:4001::8a'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.1.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'localhost',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))
})

describe('a page that a person names is read', () => {
  const servers: Server[] = []
  const asked: string[] = []
  let [here, inside] = ['', '']

  const serve = async (address: string, answer: RequestListener) => {
    const server = createServer((request, response) => {
      asked.push(`${request.headers.host}${request.url}`)
      answer(request, response)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, address, resolve))
    return `http://${address}:${(server.address() as AddressInfo).port}`
  }

  beforeAll(async () => {
    inside = await serve('127.0.0.2', (_, response) => response.end('secret'))
    here = await serve('127.0.0.1', ({ url = '' }, response) => {
      const to = /^\/to\?(.*)$/.exec(url)?.[1]
      if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) }).end()
      else if (url === '/long') response.end('a'.repeat(100_000))
      else if (url === '/zip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
      else if (url === '/gone') response.writeHead(404).end('x')
      else if (url === '/slow') response.write('a')
      else response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('hello')
    })
  })
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  /** May reach the first server, but not the second. */
  const web = createPublicWeb({ mayReach: (address) => address === '127.0.0.1', anyPort: true })
  const wanted = { accept: 'text/plain', most: 1_000 }
  const to = (where: string) => `${here}/to?${encodeURIComponent(where)}`

  test('with its type and its final address, through redirects', async () => {
    const { url, type, bytes } = await web.get(to(to('/')), wanted)
    expect([url.href, type, bytes.toString()]).toEqual([`${here}/`, 'text/plain; charset=utf-8', 'hello'])
  })

  test('cut off or refused if it is too long', async () => {
    expect((await web.get(`${here}/long`, { ...wanted, cut: true })).bytes.toString()).toBe('a'.repeat(1_000))
    await expect(web.get(`${here}/long`, wanted)).rejects.toThrow(NotReached)
  })

  test.each(['/zip', '/gone', 'ftp://127.0.0.1/', 'http://ann:secret@127.0.0.1/', 'https://127.0.0.1:1/'])(
    'never if it is %s',
    (where) => expect(web.get(new URL(where, here), wanted)).rejects.toThrow(NotReached),
  )

  test('for at most five seconds', async () => {
    const begun = performance.now()
    await expect(web.get(`${here}/slow`, wanted)).rejects.toThrow(NotReached)
    expect(performance.now() - begun).toBeLessThan(8_000)
  })

  test('through at most three redirects', async () => {
    await web.get(to(to(to('/'))), wanted)
    await expect(web.get(to(to(to(to('/')))), wanted)).rejects.toThrow(NotReached)
  })

  test('never from elsewhere, neither by address, nor by name, nor through a redirect', async () => {
    const port = new URL(inside).port
    asked.length = 0
    const elsewhere = createPublicWeb({ mayReach: (address) => address === '127.0.0.9', anyPort: true })
    await expect(elsewhere.get(`http://localhost:${new URL(here).port}/`, wanted)).rejects.toThrow(NotReached)
    await expect(web.get(inside, wanted)).rejects.toThrow(NotReached)
    await expect(web.get(`http://2130706434:${port}/`, wanted)).rejects.toThrow(NotReached)
    expect(asked).toEqual([])
    await expect(web.get(to(inside), wanted)).rejects.toThrow(NotReached)
    await expect(web.get(to(to('http://[::ffff:7f00:2]/')), wanted)).rejects.toThrow(NotReached)
    expect(asked.filter((each) => !each.includes('/to?'))).toEqual([])
    // The control: the page is there for a client that may reach it.
    expect((await createPublicWeb(EVERYWHERE).get(to(inside), wanted)).bytes.toString()).toBe('secret')
  })

  /** Ways to write addresses of this machine, of private networks and of the metadata of clouds. */
  const PRIVATE = [
    '127.0.0.1',
    '127.0.1',
    '127.1',
    '127.0.0.2',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0x7f.1',
    '0177.0.0.1',
    '0177.0.0.01',
    '017700000001',
    '00000177.0.0.1',
    '0',
    '0.0.0.0',
    '0x0',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127%2e0%2e0%2e1',
    '%31%32%37.0.0.1',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'loc%61lhost',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '[::]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:7F00:0001]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001::7f00:1]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '100.100.100.200',
    '192.0.0.192',
    '10.0.0.1',
    '10.1',
    '167772161',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '3232235521',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ]

  test('never from a private address, however it is written, with a user before it, or behind a redirect', async () => {
    const port = new URL(here).port
    const redirecting = await serve('127.0.0.9', ({ url = '' }, response) => {
      // A header holds bytes, so a name with other letters is sent as UTF-8.
      const location = Buffer.from(decodeURIComponent(url.slice(2))).toString('latin1')
      response.writeHead(302, { location }).end()
    })
    const mayReach = (address: string) => address === '127.0.0.9' || isPublicAddress(address)
    const strict = createPublicWeb({ mayReach, anyPort: true })
    asked.length = 0
    for (const host of PRIVATE) {
      const direct = `http://${host}:${port}/`
      for (const each of [direct, `http://8.8.8.8@${host}:${port}/`, `${redirecting}/?${encodeURIComponent(direct)}`])
        await expect(strict.get(each, wanted), each).rejects.toThrow(NotReached)
    }
    for (const other of ['file:///etc/passwd', 'data:text/plain,a', `gopher://127.0.0.1:${port}/`, 'javascript:1'])
      for (const each of [other, `${redirecting}/?${encodeURIComponent(other)}`])
        await expect(strict.get(each, wanted), each).rejects.toThrow(NotReached)
    expect(asked.filter((each) => !each.startsWith('127.0.0.9'))).toEqual([])
  })

  test('only from the ports of web sites and from public addresses, unless a test allows more', async () => {
    asked.length = 0
    await expect(createPublicWeb().get(here, wanted)).rejects.toThrow(NotReached)
    await expect(createPublicWeb().get('http://localhost/', wanted)).rejects.toThrow(NotReached)
    expect(asked).toEqual([])
  })
})
