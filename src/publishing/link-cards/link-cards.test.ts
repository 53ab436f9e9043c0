import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { LinkCard } from './api.ts'
import { PAGES_PER_MINUTE } from './link-cards.ts'

const asked: string[] = []
let server: Server
let site: string

beforeAll(async () => {
  const picture = await sharp({ create: { width: 1_200, height: 630, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const page = (picture: string) =>
    `<!doctype html><title>Old</title><meta property="og:title" content="A bag of beans &amp; a story">
     <meta property="og:description" content="Natural, from Guji."><meta property="og:image" content="${picture}">`
  server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (url === '/beans.png') return response.writeHead(200, { 'content-type': 'image/png' }).end(picture)
    if (url === '/no.png') return response.writeHead(200, { 'content-type': 'image/png' }).end('<svg/>')
    if (url === '/file') return response.writeHead(200, { 'content-type': 'application/pdf' }).end('<title>x</title>')
    if (url === '/gone') return response.writeHead(410).end()
    if (url === '/arabic')
      return response
        .writeHead(200, { 'content-type': 'text/html; charset=windows-1256' })
        .end(Buffer.concat([Buffer.from('<title>'), Buffer.from([0xe5, 0xcf, 0xed, 0xc9]), Buffer.from('</title>')]))
    return response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(page(url === '/bare' ? '/no.png' : '/beans.png'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const cardOf = (person: Person, url: string) =>
  person.must<LinkCard>('GET', `/link-card?url=${encodeURIComponent(url)}`)

describe('a link card', () => {
  const { product } = useProduct({ env: { PRIVATE_LINKS: 'on' } })
  let ann: Person
  beforeAll(async () => void (ann = await newPerson(product.url)))

  test('has the texts and the scaled picture of its page, which is read once', async () => {
    asked.length = 0
    const cards = await Promise.all([1, 2].map(() => cardOf(ann, `${site}/shop?a=1#top`)))
    expect(cards[0]).toMatchObject({
      url: `${site}/shop?a=1#top`,
      host: site.slice('http://'.length),
      title: 'A bag of beans & a story',
      description: 'Natural, from Guji.',
      picture: { width: 640, height: 336 },
    })
    const bytes = Buffer.from(cards[0]?.picture?.url.split(',')[1] ?? '', 'base64')
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 640, height: 336 })
    expect(cards[1]).toEqual(cards[0])
    await cardOf(ann, `${site}/shop?a=1#top`)
    expect(asked).toEqual(['/shop?a=1', '/beans.png'])
  })

  test('has only the host if the page states nothing, and no picture if there is none', async () => {
    for (const path of ['/gone', '/file'])
      expect(await cardOf(ann, site + path)).toMatchObject({ title: null, description: null, picture: null })
    expect(await cardOf(ann, `${site}/bare`)).toMatchObject({ title: 'A bag of beans & a story', picture: null })
    expect(await cardOf(ann, `${site}/arabic`)).toMatchObject({ title: 'هدية' })
  })

  test('needs an http or https address', async () => {
    for (const url of ['', 'ftp://a.example', 'a.example', `https://a.example/${'a'.repeat(2_048)}`]) {
      const refused = await ann.call<Problem>('GET', `/link-card?url=${encodeURIComponent(url)}`)
      expect(refused.body).toMatchObject({ status: 422, code: 'validation_failed', errors: [{ path: '/url' }] })
    }
  })

  test('of a new page counts against the limit of a person; known pages do not', async () => {
    const bob = await newPerson(product.url)
    await cardOf(bob, `${site}/bare`)
    for (let page = 0; page < PAGES_PER_MINUTE; page++) await cardOf(bob, `${site}/gone?${page}`)
    const path = (address: string) => `/link-card?url=${encodeURIComponent(address)}`
    const refused = await bob.call<Problem>('GET', path(`${site}/gone?more`))
    expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited' })
    expect((await bob.call('GET', path(`${site}/bare`))).status).toBe(200)
    expect((await ann.call('GET', path(`${site}/gone?more`))).status).toBe(200)
  })
})

describe('a link into a private network', () => {
  const { product } = useProduct()

  test('is not fetched: its card has only the host', async () => {
    const ann = await newPerson(product.url)
    asked.length = 0
    for (const url of [`${site}/shop`, site.replace('127.0.0.1', 'localhost'), `${product.url}/app/`])
      expect(await cardOf(ann, url)).toEqual({
        url,
        host: new URL(url).host,
        title: null,
        description: null,
        picture: null,
      })
    expect(asked).toEqual([])
  })
})
