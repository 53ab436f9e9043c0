import { readFile, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { sized } from '../../../test/tier.ts'
import { box, canMakeVideo, type VideoOptions, withBoxes } from '../../../test/video.ts'
import { eventually, newPerson, type Person, uploadVideo, video } from '../../../test/world.ts'
import type { MediaFile } from './api.ts'
import { bytesAt, sample, sendAndProcess, untilProcessed } from './testing.ts'

const { product } = useProduct()
let ann: Person
const canMake = await canMakeVideo()

beforeAll(async () => {
  ann = await newPerson(product.url)
})

describe.skipIf(!canMake)('a video is read', () => {
  const kinds: [string, VideoOptions, object][] = [
    ['MP4', {}, { mimeType: 'video/mp4', width: 640, height: 360, duration: 4, codec: 'avc', frameRate: 30 }],
    ['MOV', { type: 'mov', frameRate: 25 }, { mimeType: 'video/quicktime', codec: 'avc', duration: 4, frameRate: 25 }],
    ['turned MP4', { rotation: 90, seconds: 1 }, { width: 360, height: 640, duration: 1 }],
    ['HEVC', { codec: 'hevc', seconds: 1 }, { codec: 'hevc', duration: 1 }],
    ['VP9', { codec: 'vp9', seconds: 1 }, { codec: 'vp9', duration: 1 }],
  ]
  test.each(kinds)('%s', async (_, options, facts) => {
    const bytes = await video(options)
    const file = await uploadVideo(ann, bytes, options.type === 'mov' ? 'a.mov' : 'a.mp4')
    expect(file).toMatchObject({ kind: 'VIDEO', state: 'READY', fileSize: bytes.length, renditions: {}, ...facts })
    expect(await bytesAt(file.storageUrl!)).toEqual(bytes)
    const { data, info } = await sharp(await bytesAt(file.thumbnailUrl!))
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([file.width, file.height])
    // The coded video is red at the top; rotated by a quarter, red is on the right.
    const at = (x: number, y: number) => data[(y * info.width + x) * 3]! > 128
    const corners = [at(10, 10), at(info.width - 10, 10), at(10, info.height - 10)]
    expect(corners).toEqual(options.rotation === 90 ? [false, true, false] : [true, true, false])
  })
})

describe('a file that is no real video is rejected with the reason', () => {
  const ftyp = box('ftyp', Buffer.from('isom\0\0\u0002\0isommp42'))
  const damaged = 'The file is damaged or isn’t a video.'
  test.each([
    [
      'nothing after its type',
      Buffer.concat([ftyp, Buffer.alloc(5000)]),
      /^The file is incomplete: its index is missing/,
      'truncated',
    ],
    [
      'frames and no head',
      Buffer.concat([ftyp, box('mdat', Buffer.alloc(5000))]),
      /^The file is incomplete: its index is missing/,
      'truncated',
    ],
    ['a head that is empty', Buffer.concat([ftyp, box('moov')]), /^The file has no video track/, 'no_pictures'],
    [
      'a box shorter than its own head',
      Buffer.concat([ftyp, Buffer.from('0000000461626364', 'hex')]),
      damaged,
      'unreadable',
    ],
    [
      'more boxes than can be',
      Buffer.concat([ftyp, ...Array<Buffer>(100_001).fill(box('free'))]),
      damaged,
      'unreadable',
    ],
  ])('%s', async (_, bytes, reason, code) => {
    const file = await sendAndProcess(ann, sample('a.mp4', 'video/mp4', bytes))
    expect(file).toMatchObject({
      kind: 'VIDEO',
      state: 'REJECTED',
      storageUrl: null,
      thumbnailUrl: null,
      duration: null,
    })
    expect(file.rejectedReason).toMatch(reason)
    expect(file.rejectedCode).toBe(code)
  })

  test.skipIf(!canMake)('a truncated video', async () => {
    const bytes = await video({ seconds: 1 })
    for (const length of [bytes.length - 10, bytes.indexOf('moov') + 100]) {
      const file = await uploadVideo(ann, bytes.subarray(0, length))
      expect([file.state, file.rejectedReason]).toEqual(['REJECTED', 'The file is incomplete: its end is missing.'])
    }
  })

  test.skipIf(!canMake)('a video with impossible facts', async () => {
    const bytes = await video({ seconds: 1 })
    const lasting = (ticks: number, ticksPerSecond: number) => {
      const lie = Buffer.from(bytes)
      const head = lie.indexOf('mdhd') + 4
      lie.writeUInt32BE(ticksPerSecond, head + (lie[head] === 1 ? 20 : 12))
      lie.writeUInt32BE(ticks, lie.indexOf('stts') + 16)
      return uploadVideo(ann, lie)
    }
    expect(await lasting(0, 30)).toMatchObject({
      state: 'REJECTED',
      rejectedReason: expect.stringMatching(/0 seconds long/),
    })
    expect(await lasting(2 ** 31 - 1, 1)).toMatchObject({ state: 'REJECTED', rejectedReason: damaged })
    expect(await lasting(2 ** 20, 1)).toMatchObject({ state: 'READY', duration: 30 * 2 ** 20 })
  })
})

describe.skipIf(!canMake)('a location is not served', () => {
  const place = '+52.5200+013.4050/'
  const facts = async (bytes: Buffer) => {
    const { state, width, height, duration, codec, frameRate } = await uploadVideo(ann, bytes)
    return { state, width, height, duration, codec, frameRate }
  }

  test.each(['mp4', 'mov'] as const)('as cameras write it, in %s', async (type) => {
    const bytes = await video({ location: place, seconds: 1, type })
    expect(bytes.toString('latin1').split('+52.52').length).toBe(4)
    const file = await uploadVideo(ann, bytes)
    const served = await bytesAt(file.storageUrl!)
    expect(served.length).toBe(bytes.length)
    expect(served.toString('latin1')).not.toMatch(/52\.52|©xyz|loci|ISO6709/)
    // Nothing has moved, and it plays as before.
    expect(served.subarray(bytes.indexOf('mdat') - 4)).toEqual(bytes.subarray(bytes.indexOf('mdat') - 4))
    expect(await facts(served)).toEqual(await facts(bytes))
  })

  test('next to the head, in XMP, in unknown boxes, or after an eight-byte length', async () => {
    const bytes = await video({ seconds: 1 })
    const xmp = box(
      'uuid',
      Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'),
      Buffer.from('exif:GPSLatitude=52.52'),
    )
    const wide = box('XMP_', Buffer.alloc(8), Buffer.from('52.52 here'))
    wide.writeBigUInt64BE(BigInt(wide.length), 8)
    wide.writeUInt32BE(1)
    const plain = box('uuid', Buffer.alloc(16), Buffer.from('52.52'))
    const behind = (more: Buffer) => Buffer.concat([bytes, more])
    const inside = (more: Buffer) => withBoxes(bytes, more)
    const each = [behind(xmp), inside(wide), behind(plain), inside(xmp), behind(wide), inside(plain)]
    const expected = await facts(bytes)
    for (const whole of each.slice(0, sized(3, 6))) {
      const file = await uploadVideo(ann, whole)
      const served = await bytesAt(file.storageUrl!)
      expect([served.length, served.includes('52.52'), file.state]).toEqual([whole.length, false, 'READY'])
      expect(await facts(served)).toEqual(expected)
    }
  })

  test('in tracks other than pictures and sound, including their content', async () => {
    const bytes = await video({ seconds: 1 })
    const mdat = bytes.indexOf('mdat') - 4
    const length = bytes.readUInt32BE(mdat)
    const positions = Buffer.alloc(length - 8, '+52.52+013.40/ ')
    const track = bytes.indexOf('trak') - 4
    const clone = Buffer.from(bytes.subarray(track, track + bytes.readUInt32BE(track)))
    clone.write('meta', clone.indexOf('vide'), 'latin1')
    const chunks = clone.indexOf('stco') + 8
    for (let chunk = 0; chunk < clone.readUInt32BE(chunks); chunk += 1) {
      const at = chunks + 4 + chunk * 4
      clone.writeUInt32BE(clone.readUInt32BE(at) + length, at)
    }
    const whole = Buffer.concat([withBoxes(bytes, clone), box('mdat', positions)])
    const file = await uploadVideo(ann, whole)
    expect(file.state).toBe('READY')
    const served = await bytesAt(file.storageUrl!)
    expect([served.length, served.includes('52.52')]).toEqual([whole.length, false])
    const frames = whole.indexOf('mdat') - 4
    expect(served.subarray(frames, frames + length)).toEqual(whole.subarray(frames, frames + length))
    expect(await facts(served)).toEqual(await facts(bytes))
  })

  test('behind zeros where no list may end: the video is refused, since some readers go on there', async () => {
    const bytes = await video({ seconds: 1 })
    const place = box('udta', box('©xyz', Buffer.from('+52.52+013.40/')))
    const zeros = Buffer.alloc(8)
    const rejected = { state: 'REJECTED', storageUrl: null }
    expect(await uploadVideo(ann, withBoxes(bytes, zeros, place))).toMatchObject(rejected)
    expect(await uploadVideo(ann, Buffer.concat([bytes, zeros, place]))).toMatchObject(rejected)
    // Padding up to the end, and the end of `udta`, are usual.
    const padded = Buffer.concat([withBoxes(bytes, Buffer.alloc(200_000)), Buffer.alloc(200_000)])
    const ended = withBoxes(bytes, box('udta', box('name', Buffer.from('film')), zeros, Buffer.from('more')))
    for (const whole of [padded, ended]) {
      expect(await bytesAt((await uploadVideo(ann, whole)).storageUrl!)).toEqual(whole)
    }
  })

  test('but harmless metadata stay', async () => {
    const bytes = await video({ seconds: 1 })
    const tool = Buffer.concat([Buffer.from([0, 5, 0x15, 0xc7]), Buffer.from('Tools')])
    const whole = withBoxes(bytes, box('udta', box('©too', tool)))
    const file = await uploadVideo(ann, whole)
    expect(await bytesAt(file.storageUrl!)).toEqual(whole)
  })
})

describe.skipIf(!canMake)('the served file of a video', () => {
  test('can be requested in ranges, as a video', async () => {
    const bytes = await video({ seconds: 1, type: 'mov' })
    const { storageUrl } = await uploadVideo(ann, bytes, 'a.mov')
    const part = await fetch(storageUrl!, { headers: { range: 'bytes=100-199' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${bytes.length}`])
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(100, 200))
    const head = await fetch(storageUrl!, { method: 'HEAD' })
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-type': 'video/quicktime',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    })
    const page = await fetch(`${product.url}/app/`)
    expect(page.headers.get('content-security-policy')).toContain("media-src 'self' blob:")
  })

  test('has a plain thumbnail of the same shape if no frame can be decoded', async () => {
    const bytes = await video({ seconds: 1, width: 320, height: 640 })
    const broken = Buffer.from(bytes).fill(0xff, bytes.indexOf('mdat') + 4)
    const file = await uploadVideo(ann, broken)
    expect([file.state, file.width, file.height]).toEqual(['READY', 320, 640])
    const picture = sharp(await bytesAt(file.thumbnailUrl!))
    expect(await picture.metadata()).toMatchObject({ format: 'webp', width: 320, height: 640 })
    const { dominant } = await picture.stats()
    expect([dominant.r, dominant.g, dominant.b].every((value) => Math.abs(value - 0x3f) < 12)).toBe(true)
  })

  test('is removed with its file', async () => {
    const file = await uploadVideo(ann)
    const urls = [file.storageUrl!, file.thumbnailUrl!]
    for (const url of urls) expect((await fetch(url)).status).toBe(200)
    await ann.must('DELETE', `/media/${file.id}`)
    for (const url of urls) {
      await eventually(async () => (await fetch(url)).status === 404)
    }
  })
})

const MB = sized(150, 300)
describe.skipIf(!canMake)(`a video of ${MB} MB`, () => {
  const most = async (pid: number) =>
    Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  const piece = Buffer.alloc(1024 * 1024)

  test.each(['with', 'without'].slice(0, sized(1, 2)))(
    'is never held in memory, sent %s its length',
    async (how) => {
      const bytes = await video({ location: '+52.5200+013.4050/' })
      const filler = Buffer.alloc(8)
      filler.writeUInt32BE(MB * piece.length + 8)
      filler.write('free', 4)
      const start = Buffer.from('--b\r\ncontent-disposition: form-data; name="f"; filename="a.mp4"\r\n\r\n')
      const end = Buffer.from('\r\n--b--\r\n')
      const size = bytes.length + filler.length + MB * piece.length
      // Resets the peak memory.
      await writeFile(`/proc/${product.pid}/clear_refs`, '5')
      const before = await most(product.pid)
      const file = await new Promise<MediaFile>((resolve, reject) => {
        const sending = httpRequest(`${ann.url}/media`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${ann.session.accessToken}`,
            'x-workspace-id': ann.workspaceId,
            'content-type': 'multipart/form-data; boundary=b',
            ...(how === 'with' && { 'content-length': start.length + size + end.length }),
          },
        })
        sending.on('error', reject).on('response', (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (more: string) => (text += more))
          response.on('end', () => resolve(JSON.parse(text) as MediaFile))
        })
        const pieces = [start, bytes, filler, ...Array<Buffer>(MB).fill(piece), end]
        Readable.from(pieces, { objectMode: true }).pipe(sending)
      })
      const ready = await untilProcessed(ann, file.id)
      expect([ready.state, ready.fileSize, ready.duration]).toEqual(['READY', size, 4])
      expect((await most(product.pid)) - before).toBeLessThan(100)
      const part = await fetch(ready.storageUrl!, { headers: { range: 'bytes=0-99999' } })
      expect((await part.text()).includes('52.52')).toBe(false)
      await ann.must('DELETE', `/media/${file.id}`)
    },
    120_000,
  )
})
