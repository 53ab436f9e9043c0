import { describe, expect, test } from 'vitest'
import { facts, isFileHost, renditionOf } from './rules.ts'

const picture = (width: number, height: number, change = {}) => ({
  mimeType: 'image/jpeg',
  fileSize: 1_000_000,
  width,
  height,
  ...change,
})

describe('a rendition', () => {
  test('is not made of a picture that the network accepts unchanged', () => {
    expect(renditionOf(picture(1080, 1350), facts.NET_PHOTO)).toBeNull()
    expect(renditionOf(picture(6000, 100), facts.NET_PAGE)).toBeNull()
    expect(renditionOf(picture(100, 100), facts.NET_VIDEO)).toBeNull()
  })

  test.each([
    ['wrong format', picture(800, 600, { mimeType: 'image/webp' })],
    ['too many bytes', picture(1000, 1000, { fileSize: 8_000_001 })],
    ['too narrow', picture(200, 200)],
    ['too wide', picture(5000, 4000)],
    ['too tall', picture(500, 3000)],
    ['slightly too tall', picture(1080, 1351)],
    ['a horizontal strip', picture(3000, 10)],
    ['a vertical strip', picture(1, 5000)],
  ])('of a picture (%s) is within the bounds and shows all of it', (_what, from) => {
    const made = renditionOf(from, facts.NET_PHOTO)
    if (!made) throw new Error('none')
    const { images } = facts.NET_PHOTO
    const ratio = made.width / made.height
    expect(ratio).toBeGreaterThanOrEqual(images!.aspect!.min)
    expect(ratio).toBeLessThanOrEqual(images!.aspect!.max)
    expect(made.width).toBeGreaterThanOrEqual(images!.width!.min)
    expect(made.width).toBeLessThanOrEqual(images!.width!.max)
    expect(made.inner.width).toBeLessThanOrEqual(made.width)
    expect(made.inner.height).toBeLessThanOrEqual(made.height)
    // One side touches the frame, so there is no unnecessary border.
    expect(made.inner.width === made.width || made.inner.height === made.height).toBe(true)
  })
})

test('files of messages are fetched only from the hosts of their network', () => {
  const taken = [
    'https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=1',
    'https://scontent.xx.fbcdn.net/v/t1.jpg',
    'https://fbcdn.net/x',
  ]
  for (const address of taken) expect(isFileHost('NET_PAGE', address), address).toBe(true)
  const refused = [
    'http://scontent.xx.fbcdn.net/v/t1.jpg',
    'https://fbcdn.net.example.test/x',
    'https://evilfbcdn.net/x',
    'https://fbcdn.net:8443/x',
    'https://fbcdn.net@127.0.0.1/x',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'file:///etc/passwd',
    'no address',
  ]
  for (const address of refused) expect(isFileHost('NET_PAGE', address), address).toBe(false)
  expect(isFileHost('NET_VIDEO', taken[0]!)).toBe(false)
})
