import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { type Running, startProduct } from '../../test/product.ts'
import { box, canMakeVideo, type VideoOptions, withBoxes } from '../../test/video.ts'
import { newPerson, type Person, uploadVideo, video } from '../../test/world.ts'
import { bytesAt, sample, send, sendAndSettle } from './testing.ts'

let database: TestDatabase
let product: Running
let dataDir: string
let ann: Person
const canMake = await canMakeVideo()

beforeAll(async () => {
  database = await freshDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'parley-videos-'))
  product = await startProduct({ databaseUrl: database.url, dataDir })
  ann = await newPerson(product.url)
}, 60_000)

afterAll(async () => {
  await product?.stop()
  await database?.drop()
  await rm(dataDir, { recursive: true, force: true })
})

describe.skipIf(!canMake)('what is told of a video', () => {
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
    // Red lies above in what is coded; turned by a quarter it lies at the end of the line.
    const at = (x: number, y: number) => data[(y * info.width + x) * 3]! > 128
    const corners = [at(10, 10), at(info.width - 10, 10), at(10, info.height - 10)]
    expect(corners).toEqual(options.rotation === 90 ? [false, true, false] : [true, true, false])
  })
})

describe('a video that is none is rejected with the reason', () => {
  const ftyp = box('ftyp', Buffer.from('isom\0\0\u0002\0isommp42'))
  const damaged = 'It is damaged, or no video.'
  test.each([
    ['nothing after its type', Buffer.concat([ftyp, Buffer.alloc(5000)]), /^It is cut off: the part that tells how/],
    [
      'frames and no head',
      Buffer.concat([ftyp, box('mdat', Buffer.alloc(5000))]),
      /^It is cut off: the part that tells how/,
    ],
    ['a head that is empty', Buffer.concat([ftyp, box('moov')]), /^It has no moving pictures/],
    ['a box shorter than its own head', Buffer.concat([ftyp, Buffer.from('0000000461626364', 'hex')]), damaged],
    ['more boxes than can be', Buffer.concat([ftyp, ...Array<Buffer>(200_001).fill(box('free'))]), damaged],
  ])('%s', async (_, bytes, reason) => {
    const file = await sendAndSettle(ann, sample('a.mp4', 'video/mp4', bytes))
    expect(file).toMatchObject({
      kind: 'VIDEO',
      state: 'REJECTED',
      storageUrl: null,
      thumbnailUrl: null,
      duration: null,
    })
    expect(file.rejectedReason).toMatch(reason)
  })

  test.skipIf(!canMake)('one that is cut off', async () => {
    const bytes = await video({ seconds: 1 })
    for (const length of [bytes.length - 10, bytes.indexOf('moov') + 100]) {
      const file = await uploadVideo(ann, bytes.subarray(0, length))
      expect([file.state, file.rejectedReason]).toEqual(['REJECTED', 'It is cut off: its end is missing.'])
    }
  })

  test.skipIf(!canMake)('a name or type that is of no video', async () => {
    const bytes = await video({ seconds: 0.1 })
    const lies = [sample('a.jpg', 'video/mp4', bytes), sample('a.mp4', 'image/jpeg', bytes)]
    for (const lie of lies)
      expect(await send(ann, lie)).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    const truths = [sample('a.mov', 'video/mp4', bytes), sample('video', '', bytes)]
    for (const truth of truths) expect((await send(ann, truth)).status).toBe(201)
  })
})

describe.skipIf(!canMake)('what tells a place is not served', () => {
  const place = '+52.5200+013.4050/'
  const facts = async (bytes: Buffer) => {
    const { state, width, height, duration, codec, frameRate } = await uploadVideo(ann, bytes)
    return { state, width, height, duration, codec, frameRate }
  }

  test.each(['mp4', 'mov'] as const)('in the ways of cameras, in %s', async (type) => {
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

  test('beside the head, in XMP, in what nobody knows, behind a length of eight bytes', async () => {
    const bytes = await video({ seconds: 1 })
    const xmp = box(
      'uuid',
      Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'),
      Buffer.from('exif:GPSLatitude=52.52'),
    )
    const wide = box('XMP_', Buffer.alloc(8), Buffer.from('52.52 here'))
    wide.writeBigUInt64BE(BigInt(wide.length), 8)
    wide.writeUInt32BE(1)
    for (const more of [xmp, wide, box('uuid', Buffer.alloc(16), Buffer.from('52.52'))]) {
      for (const whole of [Buffer.concat([bytes, more]), withBoxes(bytes, more)]) {
        const file = await uploadVideo(ann, whole)
        const served = await bytesAt(file.storageUrl!)
        expect([served.length, served.includes('52.52'), file.state]).toEqual([whole.length, false, 'READY'])
        expect(await facts(served)).toEqual(await facts(bytes))
      }
    }
  })

  test('what is harmless stays', async () => {
    const bytes = await video({ seconds: 1 })
    const tool = Buffer.concat([Buffer.from([0, 5, 0x15, 0xc7]), Buffer.from('Tools')])
    const whole = withBoxes(bytes, box('udta', box('©too', tool)))
    const file = await uploadVideo(ann, whole)
    expect(await bytesAt(file.storageUrl!)).toEqual(whole)
  })
})
