import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { chunksInPng, framesOfGif, framesOfWebp, segmentsInJpeg } from '../../../test/hostile-files.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { sized } from '../../../test/tier.ts'
import { eventually, newPerson, type Person, type Problem } from '../../../test/world.ts'
import { flatPng, manyFrames, plain, type Sample, sample, send, sendAndProcess } from './testing.ts'

// What malicious pictures, and the largest acceptable ones, can do to the service.

const { product } = useProduct({ own: true })
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
  await sendAndProcess(ann, sample('warm.jpg', 'image/jpeg', await plain().jpeg().toBuffer()))
  idle = (await memory(product.pid)).now
})

let idle = 0

/** The memory of a process in MB: now and at its peak. */
async function memory(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { now: read('VmRSS'), peak: read('VmHWM') }
}

/** The decoding processes of the product. */
const children = async () =>
  (await readFile(`/proc/${product.pid}/task/${product.pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number)

describe('malicious files', () => {
  test('a GIF that is also a script is served only as a picture', async () => {
    const gif = await manyFrames(1, 60, 40)
    gif.write('/*', 6, 'latin1')
    const script = Buffer.from('*/=1;alert(1)/*')
    const comment = Buffer.concat([Buffer.from([0x21, 0xfe, script.length]), script, Buffer.from([0])])
    const image = gif.indexOf(Buffer.from('21f904', 'hex'))
    const polyglot = Buffer.concat([gif.subarray(0, image), comment, gif.subarray(image), Buffer.from('*/alert(2)')])
    expect(polyglot.toString('latin1')).toMatch(/^GIF89a\/\*.*\*\/=1;alert\(1\)/s)
    const file = await sendAndProcess(ann, sample('a.gif', 'image/gif', polyglot))
    const response = await fetch(file.storageUrl!)
    expect(response.headers.get('content-type')).toBe('image/gif')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    // Bytes after the end of the picture are dropped.
    expect(Buffer.from(await response.arrayBuffer()).includes('alert')).toBe(false)
  })

  test('a JPEG followed by an HTML page is served only as a picture', async () => {
    const page = Buffer.from('<!doctype html><script>alert(1)</script>')
    const jpeg = Buffer.concat([await plain().jpeg().toBuffer(), page])
    const file = await sendAndProcess(ann, sample('a.html', 'text/html', jpeg))
    const response = await fetch(file.storageUrl!)
    expect(Buffer.from(await response.arrayBuffer()).includes('alert')).toBe(false)
    expect(
      ['content-type', 'x-content-type-options', 'content-security-policy'].map((name) => response.headers.get(name)),
    ).toEqual(['image/jpeg', 'nosniff', "sandbox; default-src 'none'"])
  })

  test('a GIF of two thousand frames takes little time and memory', async () => {
    const bytes = await manyFrames(2_000, 500, 500)
    const file = await sendAndProcess(ann, sample('a.gif', 'image/gif', bytes))
    expect([file.state, file.width, file.height]).toEqual(['READY', 500, 500])
  })

  test('a header with hundreds of thousands of parts is refused at once, while others sign in and upload', async () => {
    const before = (await memory(product.pid)).now
    const jpeg = await plain().jpeg().toBuffer()
    // A library would read these for many minutes, on all the threads that file access and password hashing share.
    const bombs = [
      ...Array.from({ length: 4 }, () => sample('a.webp', 'image/webp', framesOfWebp(120_000))),
      ...Array.from({ length: 4 }, () => sample('a.jpg', 'image/jpeg', segmentsInJpeg(jpeg, 1_000_000))),
      sample('a.gif', 'image/gif', framesOfGif(300_000)),
      sample('a.png', 'image/png', chunksInPng(flatPng(10, 10), 300_000)),
    ]
    const [ben, ...senders] = await Promise.all([0, 1, 2].map(() => newPerson(product.url)))
    const refused = Promise.all(bombs.map((bomb, index) => send<Problem>(senders[index % 2]!, bomb)))
    expect((await sendAndProcess(ben!, sample('b.jpg', 'image/jpeg', jpeg))).state).toBe('READY')
    expect((await newPerson(product.url)).workspaceId).toEqual(expect.any(String))
    const told = (await refused).map(({ status, body }) => [status, body.errors?.[0]?.code])
    expect(told).toEqual(bombs.map(() => [422, 'too_many_parts']))
    expect((await memory(product.pid)).peak - before).toBeLessThan(250)
  })

  test('all of these and the largest accepted pictures take little memory, and it is freed', async () => {
    const size = [8660, 5773] as const
    const kinds: [name: string, make: () => Promise<Buffer>][] = [
      [
        'passes.jpg',
        () =>
          plain(...size)
            .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
            .toBuffer(),
      ],
      [
        'flat.png',
        () =>
          plain(...size)
            .png({ progressive: true })
            .toBuffer(),
      ],
      [
        'turned.jpg',
        () =>
          plain(...size)
            .withMetadata({ orientation: 6 })
            .jpeg()
            .toBuffer(),
      ],
      [
        'flat.webp',
        () =>
          plain(...size)
            .webp({ effort: 0 })
            .toBuffer(),
      ],
      [
        'flat.gif',
        () =>
          plain(...size)
            .gif({ effort: 1 })
            .toBuffer(),
      ],
    ]
    // Pictures in passes need the most memory.
    const large: Sample[] = []
    for (const [name, make] of kinds.slice(0, sized(1, 5)))
      large.push(sample(name, `image/${name.split('.')[1]!.replace('jpg', 'jpeg')}`, await make()))
    expect((await send(ann, sample('a.png', 'image/png', flatPng(30_000, 30_000)))).status).toBe(422)
    await eventually(async () => (await children()).length === 0)
    await sendAndProcess(ann, sample('warm.jpg', 'image/jpeg', await plain().jpeg().toBuffer()))
    const [decoder] = await children()
    const start = await memory(decoder!)
    // A slow picture has its own process, so all processes are watched while they live.
    let most = 0
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        for (const pid of await children()) most = Math.max(most, (await memory(pid).catch(() => start)).peak || 0)
        await sleep(20)
      }
    })()
    try {
      for (const each of large)
        expect([each.name, (await sendAndProcess(ann, each)).state]).toEqual([each.name, 'READY'])
    } finally {
      isOver = true
      await watching
    }
    expect(most - start.now).toBeLessThan(350)
    expect((await memory(product.pid)).peak - idle).toBeLessThan(100)
    await eventually(async () => (await children()).length === 0)
  })
})
