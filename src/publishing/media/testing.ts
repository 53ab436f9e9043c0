import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import type { MediaFile } from './api.ts'

// Files that the tests of this folder send, and reads of what remains.

export interface Sample {
  name: string
  type: string
  bytes: Uint8Array
}

export const sample = (name: string, type: string, bytes: Uint8Array): Sample => ({ name, type, bytes })

export function formOf(...files: Sample[]): FormData {
  const form = new FormData()
  for (const [index, { name, type, bytes }] of files.entries()) {
    form.append(`field-${index}`, new Blob([new Uint8Array(bytes)], { type }), name)
  }
  return form
}

/** A person who can call the API. */
interface Caller {
  call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; headers: Headers; body: T }>
  must<T>(method: string, path: string, body?: unknown): Promise<T>
}

export const send = <T = MediaFile>(person: Caller, ...files: Sample[]) =>
  person.call<T>('POST', '/media', formOf(...files))

/** Waits until a file is no longer processing, and returns it. */
export async function untilProcessed(person: Caller, id: string): Promise<MediaFile> {
  for (let waited = 0; waited < 120_000; waited += 50) {
    const file = await person.must<MediaFile>('GET', `/media/${id}`)
    if (file.state !== 'PROCESSING') return file
    await sleep(50)
  }
  throw new Error(`${id} was still being processed after two minutes`)
}

export async function sendAndProcess(person: Caller, file: Sample): Promise<MediaFile> {
  const answer = await send(person, file)
  if (answer.status !== 201) throw new Error(`${file.name} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return untilProcessed(person, answer.body.id)
}

export async function bytesAt(url: string): Promise<Buffer> {
  const response = await fetch(url)
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}

/** Lists the names of all stored files of a product. */
export async function stored(dataDir: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'media'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .toSorted()
}

// ---- pictures

export const plain = (width = 400, height = 300, background = '#3b82f6') =>
  sharp({ create: { width, height, channels: 3, background } })

/** Makes an incompressible picture of about this many bytes. */
export async function noisy(size: number): Promise<Buffer> {
  const side = Math.ceil(Math.sqrt(size / 3))
  return sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer()
}

/** Makes a picture that is red above and blue below, which shows its orientation. */
export async function twoHalves(width = 400, height = 200) {
  const lower = await plain(width, height / 2, '#0000ff')
    .png()
    .toBuffer()
  return sharp(await plain(width, height, '#ff0000').png().toBuffer()).composite([
    { input: lower, top: height / 2, left: 0 },
  ])
}

export const somewhere = {
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '13/1 24/1 0/1' },
}

/** Makes a JPEG with an orientation in its EXIF, in any colour space. */
export function turned(jpeg: Buffer, orientation: number): Buffer {
  const exif = Buffer.from('ffe100224578696600004d4d002a00000008000101120003000000010000000000000000', 'hex')
  exif.writeUInt16BE(orientation, 28)
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** Makes a black-and-white PNG of one colour, which takes a few kilobytes whatever its size. */
export function flatPng(width: number, height: number, extra: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 })
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...extra,
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const pngText = (keyword: string, text: string) => chunk('tEXt', Buffer.from(`${keyword}\0${text}`, 'latin1'))

/** Makes an animated GIF with this many full frames. */
export async function manyFrames(count: number, width: number, height: number): Promise<Buffer> {
  const one = await plain(width, height).gif().toBuffer()
  const start = 13 + ((one[10] ?? 0) & 0x80 ? 3 << (((one[10] ?? 0) & 7) + 1) : 0)
  const image = one.indexOf(0x2c, start)
  const control = Buffer.from('21f9040405000000', 'hex')
  const frame = Buffer.concat([control, one.subarray(image, one.length - 1)])
  const loop = Buffer.from('21ff0b4e45545343415045322e300301000000', 'hex')
  return Buffer.concat([one.subarray(0, start), loop, ...Array<Buffer>(count).fill(frame), Buffer.from([0x3b])])
}
