import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { MediaFile } from './api.ts'
import { headerOf, loadSharp } from './media-picture.ts'
import { UnusableFile } from './media-unusable.ts'
import {
  bytesAt,
  flatPng,
  manyFrames,
  plain,
  pngText,
  type Sample,
  sample,
  send,
  sendAndProcess,
  untilProcessed,
  somewhere,
  turned,
  twoHalves,
} from './testing.ts'

// Which files are refused, what is made of the others, and what is served.

const { product, sql: client } = useProduct()
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

const faultsOf = (answer: { status: number; body: unknown }) => {
  const { code, errors = [] } = answer.body as Problem
  return [answer.status, code, ...errors.map((fault) => `${fault.path} ${fault.code}`)]
}

const refusal = async (file: Sample) => faultsOf(await send(ann, file))

const originalOf = async ({ id }: MediaFile) => {
  const { rows } = await client.query<{ key: string }>('select original_key as key from media_file where id = $1', [id])
  const { key } = rows[0]!
  return readFile(join(product.dataDir, 'media', key.slice(0, 2), key))
}

const servedOf = (file: MediaFile) => bytesAt(file.storageUrl!)
const pixels = (bytes: Uint8Array, options = {}) =>
  sharp(bytes, { limitInputPixels: false, ...options })
    .raw()
    .toBuffer()
const metadata = (bytes: Uint8Array) => sharp(bytes).metadata()

test('the bytes decide the type of a file, not the name or type that was sent', async () => {
  const bytes = await plain().jpeg().toBuffer()
  const sent = [
    sample('a.png', 'image/jpeg', bytes),
    sample('a.jpg', 'image/png', bytes),
    sample('a.html', 'text/html', bytes),
    sample('a.mp4', 'video/mp4', bytes),
    sample('a', '', bytes),
    sample('5.12.2026', 'application/octet-stream', bytes),
  ]
  for (const each of sent) {
    const file = await sendAndProcess(ann, each)
    expect(file).toMatchObject({ kind: 'IMAGE', state: 'READY', mimeType: 'image/jpeg', fileName: each.name })
  }
})

describe('refused at once with the reason', () => {
  const html = Buffer.from('<!doctype html><html><script>alert(1)</script></html>'.repeat(100))
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)" width="10" height="10"/>')
  const files: [string, Sample, string][] = [
    ['HTML named .jpg', sample('page.jpg', 'image/jpeg', html), 'not_accepted'],
    ['SVG', sample('logo.svg', 'image/svg+xml', svg), 'not_accepted'],
    ['SVG named .png', sample('logo.png', 'image/png', svg), 'not_accepted'],
    [
      'SVG with an XML head',
      sample('logo.svg', 'image/svg+xml', Buffer.concat([Buffer.from('<?xml version="1.0"?>\n'), svg])),
      'not_accepted',
    ],
    ['a script', sample('x.gif', 'image/gif', Buffer.from('alert(1)//'.repeat(1000))), 'not_accepted'],
    ['PDF', sample('a.pdf', 'application/pdf', Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj')), 'not_accepted'],
    ['ZIP', sample('a.zip', 'application/zip', Buffer.from('504b030414000000080000002100', 'hex')), 'not_accepted'],
    ['one byte', sample('a.jpg', 'image/jpeg', Buffer.from([0xff])), 'not_accepted'],
  ]
  test.each(files)('%s', async (_, file, code) => {
    expect(await refusal(file)).toEqual([415, 'unsupported_media_type', `/files/0 ${code}`])
  })

  test.each(['tiff', 'avif'] as const)('%s', async (format) => {
    const bytes = await plain().toFormat(format).toBuffer()
    expect(await refusal(sample(`a.${format}`, `image/${format}`, bytes))).toEqual([
      415,
      'unsupported_media_type',
      '/files/0 not_accepted',
    ])
  })

  test('a picture of more than 50 megapixels, before anything is decoded', async () => {
    const bomb = flatPng(30_000, 30_000)
    expect(bomb.length).toBeLessThan(1_000_000)
    const started = Date.now()
    expect(await refusal(sample('a.png', 'image/png', bomb))).toEqual([
      422,
      'validation_failed',
      '/files/0 too_many_pixels',
    ])
    expect(Date.now() - started).toBeLessThan(10_000)
    expect(await refusal(sample('a.png', 'image/png', flatPng(10_000, 5_001)))).toEqual([
      422,
      'validation_failed',
      '/files/0 too_many_pixels',
    ])
    expect((await sendAndProcess(ann, sample('a.png', 'image/png', flatPng(10_000, 5_000)))).state).toBe('READY')
  })

  test('a rotated picture that would take too much memory to turn', async () => {
    const webp = await plain(3000, 2500).withMetadata({ orientation: 6 }).webp().toBuffer()
    expect(await refusal(sample('a.webp', 'image/webp', webp))).toEqual([
      422,
      'validation_failed',
      '/files/0 too_many_pixels',
    ])
  })

  test.each([
    ['SVG', () => Promise.resolve(svg)],
    ['TIFF', () => plain().tiff().toBuffer()],
    ['AVIF', () => plain().avif().toBuffer()],
  ])('%s, by the decoder too, in case it ever gets that far', async (_, make) => {
    const path = join(product.dataDir, 'no-picture')
    await writeFile(path, await make())
    const error = await headerOf((await loadSharp())(path)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UnusableFile)
    expect(error).toMatchObject({ cause: { message: 'Input file contains unsupported image format' } })
  })

  test('a header that cannot be read', async () => {
    const png = flatPng(10, 10)
    const bad = Buffer.concat([png.subarray(0, 16), Buffer.alloc(100)])
    expect(await refusal(sample('a.png', 'image/png', bad))).toEqual([422, 'validation_failed', '/files/0 unreadable'])
    const jpeg = await plain().jpeg().toBuffer()
    expect(await refusal(sample('a.jpg', 'image/jpeg', jpeg.subarray(0, 60)))).toEqual([
      422,
      'validation_failed',
      '/files/0 unreadable',
    ])
  })
})

describe('a damaged file is rejected with the reason', () => {
  const formats = { jpg: 'jpeg', png: 'png', gif: 'gif', webp: 'webp' } as const
  test.each(Object.entries(formats))('a truncated %s', async (extension, format) => {
    const noise = await sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: 'white',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer()
    const whole = await sharp(noise).toFormat(format).toBuffer()
    const cut = sample(`cut.${extension}`, `image/${format}`, whole.subarray(0, whole.length * 0.6))
    const answer = await send<MediaFile & Problem>(ann, cut)
    if (answer.status !== 201) {
      expect(await refusal(cut)).toEqual([422, 'validation_failed', '/files/0 unreadable'])
      return
    }
    const file = await sendAndProcess(ann, cut)
    expect(file).toMatchObject({ state: 'REJECTED', storageUrl: null, thumbnailUrl: null })
    expect(file.rejectedReason).toMatch(/^The file is (incomplete|damaged)/)
  })

  test('an animation that is truncated in a later frame', async () => {
    const gif = await manyFrames(50, 60, 40)
    const frames = await Promise.all(['red', 'green', 'blue'].map((colour) => plain(60, 40, colour).png().toBuffer()))
    const webp = await sharp(frames, { join: { animated: true } })
      .webp({ lossless: true })
      .toBuffer()
    for (const [type, whole] of [
      ['gif', gif],
      ['webp', webp],
    ] as const) {
      const answer = await send(ann, sample(`a.${type}`, `image/${type}`, whole.subarray(0, whole.length - 25)))
      if (answer.status !== 201) expect(faultsOf(answer)).toEqual([422, 'validation_failed', '/files/0 unreadable'])
      else
        expect((await untilProcessed(ann, answer.body.id)).rejectedReason).toBe(
          'The file is incomplete: its end is missing.',
        )
    }
  })

  test('pixels that are damaged in the middle', async () => {
    const whole = flatPng(500, 500)
    const broken = Buffer.from(whole)
    broken.fill(0x55, 60, whole.length - 20)
    const file = await sendAndProcess(ann, sample('a.png', 'image/png', broken))
    expect([file.state, file.rejectedReason]).toEqual(['REJECTED', 'The file is damaged and can’t be read.'])
  })
})

describe('a picture without location and rotation is served unchanged', () => {
  test('in every format, with its colour profile and harmless metadata', async () => {
    const camera = { IFD0: { Make: 'Camera', Artist: 'Ann' } }
    const files: Sample[] = [
      sample('a.jpg', 'image/jpeg', await plain().withIccProfile('p3').withExif(camera).jpeg().toBuffer()),
      sample('b.png', 'image/png', flatPng(100, 50, [pngText('Software', 'Paint')])),
      sample('c.webp', 'image/webp', await plain().withExif(camera).webp().toBuffer()),
      sample('d.gif', 'image/gif', await manyFrames(5, 60, 40)),
    ]
    for (const sent of files) {
      const file = await sendAndProcess(ann, sent)
      expect([file.fileName, file.state, file.fileSize]).toEqual([sent.name, 'READY', sent.bytes.length])
      expect(await servedOf(file)).toEqual(Buffer.from(sent.bytes))
      expect(file).toMatchObject(await metadata(sent.bytes).then(({ width, height }) => ({ width, height })))
    }
  })

  test('with a thumbnail of at most 640 by 640 pixels without metadata', async () => {
    const bytes = await plain(1600, 800)
      .withExif({ IFD0: { Artist: 'Ann' } })
      .jpeg()
      .toBuffer()
    const { thumbnailUrl } = await sendAndProcess(ann, sample('a.jpg', 'image/jpeg', bytes))
    const made = await metadata(await bytesAt(thumbnailUrl!))
    expect(made).toMatchObject({ format: 'webp', width: 640, height: 320 })
    expect(made.exif).toBeUndefined()
  })
})

describe('a location is removed, and every pixel stays the same', () => {
  const placed = (picture: Sharp) => picture.withIccProfile('p3').withExifMerge(somewhere)
  const xmp = '<x:xmpmeta><rdf:Description exif:GPSLatitude="52,31N"/></x:xmpmeta>'

  const cases: [string, () => Promise<Sample>][] = [
    ['a JPEG with GPS', async () => sample('a.jpg', 'image/jpeg', await placed(plain()).jpeg().toBuffer())],
    [
      'a progressive JPEG with GPS',
      async () => sample('a.jpg', 'image/jpeg', await placed(plain()).jpeg({ progressive: true }).toBuffer()),
    ],
    [
      'a JPEG with a place in XMP',
      async () => sample('a.jpg', 'image/jpeg', await plain().withXmp(xmp).jpeg().toBuffer()),
    ],
    [
      'a JPEG with a video behind it',
      async () =>
        sample(
          'a.jpg',
          'image/jpeg',
          Buffer.concat([await plain().jpeg().toBuffer(), Buffer.from('....ftypmp42 ©xyz+52.5+013.4/')]),
        ),
    ],
    ['a PNG with GPS', async () => sample('a.png', 'image/png', await placed(plain()).png().toBuffer())],
    [
      'a PNG with a place in a text',
      async () => sample('a.png', 'image/png', flatPng(100, 50, [pngText('GPSLatitude', '52.5')])),
    ],
    ['a WebP with GPS', async () => sample('a.webp', 'image/webp', await placed(plain()).webp().toBuffer())],
    [
      'a GIF with a place in a comment',
      async () => {
        const gif = await manyFrames(3, 60, 40)
        const text = Buffer.from('location: home')
        const comment = Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), text, Buffer.from([0])])
        return sample('a.gif', 'image/gif', Buffer.concat([gif.subarray(0, -1), comment, gif.subarray(-1)]))
      },
    ],
  ]
  test.each(cases)('%s', async (_, make) => {
    const sent = await make()
    const file = await sendAndProcess(ann, sent)
    expect(file.state).toBe('READY')
    const served = await servedOf(file)
    expect(served.length).toBeLessThan(sent.bytes.length)
    expect(file.fileSize).toBe(served.length)
    expect(served.toString('latin1')).not.toMatch(/GPS|Exif|EXIF|52,31N|©xyz|location/)
    const [before, after] = [await metadata(sent.bytes), await metadata(served)]
    expect([after.exif, after.xmp]).toEqual([undefined, undefined])
    expect([after.format, after.width, after.height, after.pages, after.icc]).toEqual([
      before.format,
      before.width,
      before.height,
      before.pages,
      before.icc,
    ])
    expect((await pixels(served, { pages: -1 })).equals(await pixels(sent.bytes, { pages: -1 }))).toBe(true)
    expect(await originalOf(file)).toEqual(Buffer.from(sent.bytes))
  })

  test('an animated WebP stays animated', async () => {
    const frames = await Promise.all(['red', 'green', 'blue'].map((colour) => plain(60, 40, colour).png().toBuffer()))
    const bytes = await sharp(frames, { join: { animated: true } })
      .withExif(somewhere)
      .webp()
      .toBuffer()
    const file = await sendAndProcess(ann, sample('a.webp', 'image/webp', bytes))
    const made = await metadata(await servedOf(file))
    expect([made.pages, made.exif, (await metadata(bytes)).exif === undefined]).toEqual([3, undefined, false])
    expect([file.width, file.height]).toEqual([60, 40])
  })
})

describe('a picture that its metadata rotates is served upright', () => {
  test.each(['jpeg', 'png', 'webp'] as const)('%s, with the resulting size', async (format) => {
    const turned = (await twoHalves()).withIccProfile('p3').withMetadata({ orientation: 6 }).withExifMerge(somewhere)
    const bytes = await turned.toFormat(format, { lossless: true }).toBuffer()
    expect((await metadata(bytes)).orientation).toBe(6)
    const file = await sendAndProcess(ann, sample(`a.${format}`, `image/${format}`, bytes))
    expect([file.state, file.width, file.height]).toEqual(['READY', 200, 400])
    const served = await servedOf(file)
    const made = await metadata(served)
    expect([made.format, made.width, made.height, made.orientation, made.exif]).toEqual([
      format,
      200,
      400,
      undefined,
      undefined,
    ])
    expect(made.icc).toEqual((await metadata(bytes)).icc)
    expect(file.fileSize).toBe(served.length)
    // After a quarter turn clockwise, the top is on the right.
    const colour = async (left: number) => [
      ...(await sharp(served).extract({ left, top: 200, width: 1, height: 1 }).removeAlpha().raw().toBuffer()),
    ]
    const [onTheLeft, onTheRight] = [await colour(10), await colour(190)]
    expect(onTheLeft[2]).toBeGreaterThan(200)
    expect(onTheRight[0]).toBeGreaterThan(200)
    expect(await metadata(await bytesAt(file.thumbnailUrl!))).toMatchObject({ width: 200, height: 400 })
    expect(await originalOf(file)).toEqual(bytes)
  })

  test('with 16 bits per colour, in grey and in CMYK', async () => {
    const deep = await plain(300, 100).toColourspace('rgb16').withMetadata({ orientation: 6 }).png().toBuffer()
    const grey = turned(await plain(300, 100).toColourspace('b-w').jpeg().toBuffer(), 6)
    const cmyk = turned(await plain(300, 100).toColourspace('cmyk').jpeg().toBuffer(), 6)
    const deepFile = await sendAndProcess(ann, sample('a.png', 'image/png', deep))
    expect(await metadata(await servedOf(deepFile))).toMatchObject({ width: 100, height: 300, depth: 'ushort' })
    const greyFile = await sendAndProcess(ann, sample('a.jpg', 'image/jpeg', grey))
    expect(await metadata(await servedOf(greyFile))).toMatchObject({ width: 100, height: 300, channels: 1 })
    const cmykFile = await sendAndProcess(ann, sample('a.jpg', 'image/jpeg', cmyk))
    const served = await servedOf(cmykFile)
    // CMYK becomes sRGB, which networks and browsers accept.
    expect(await metadata(served)).toMatchObject({ width: 100, height: 300, space: 'srgb' })
    const [before, after] = [await sharp(cmyk).toColourspace('srgb').raw().toBuffer(), await pixels(served)]
    for (let i = 0; i < 3; i += 1) expect(Math.abs(before[i]! - after[i]!)).toBeLessThan(12)
  })
})
