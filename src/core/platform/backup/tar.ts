import { once } from 'node:events'
import type { Writable } from 'node:stream'

const BLOCK = 512
const LARGEST_OCTAL = 8 ** 11

/** Writes files one after another as a tar archive (ustar) that `tar -tf` reads too. */
export class TarWriter {
  readonly #out: Writable
  readonly #time: number

  constructor(out: Writable, time: Date) {
    this.#out = out
    this.#time = Math.floor(time.getTime() / 1000)
  }

  /** Throws when the content is not exactly `size` bytes long. */
  async file(name: string, size: number, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    await this.#write(header(name, size, this.#time))
    let written = 0
    for await (const chunk of content) {
      written += chunk.length
      if (written > size) break
      await this.#write(chunk)
    }
    if (written !== size) throw new Error(`${name} changed its size while it was read`)
    await this.#write(Buffer.alloc(padding(size)))
  }

  async end(): Promise<void> {
    await this.#write(Buffer.alloc(2 * BLOCK))
    this.#out.end()
  }

  async #write(chunk: Buffer): Promise<void> {
    if (chunk.length > 0 && !this.#out.write(chunk)) await once(this.#out, 'drain')
  }
}

export interface TarEntry {
  name: string
  size: number
  /** To be read before the next entry is asked for; what is not read is skipped. */
  content: AsyncIterable<Buffer>
}

/** The files of a tar archive in their order. Throws for an archive that is cut off or damaged. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source)
  for (;;) {
    const block = await bytes.take(BLOCK)
    if (block.every((byte) => byte === 0)) return
    const { name, size, type } = parseHeader(block)
    let left = size
    const content = async function* () {
      while (left > 0) {
        const chunk = await bytes.some(left)
        left -= chunk.length
        yield chunk
      }
    }
    if (type === '0' || type === '\0') yield { name, size, content: content() }
    else if (type !== '5') throw new Error(`${name} in the archive is not an ordinary file`)
    while (left > 0) left -= (await bytes.some(left)).length
    await bytes.take(padding(size))
  }
}

/** A stream read in pieces of wanted lengths. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** At least one byte and at most `most`. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next()
      if (next.done) throw new Error('The archive is cut off')
      this.#rest = next.value
    }
    const part = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(part.length)
    return part
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = length; left > 0;) {
      const part = await this.some(left)
      parts.push(part)
      left -= part.length
    }
    return Buffer.concat(parts)
  }
}

function header(path: string, size: number, time: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const { name, prefix } = split(path)
  block.write(name, 0)
  block.write('0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  if (size < LARGEST_OCTAL) block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  else {
    block[124] = 0x80
    block.writeBigUInt64BE(BigInt(size), 128)
  }
  block.write(`${time.toString(8).padStart(11, '0')}\0`, 136)
  block.write('        ', 148)
  block.write('0', 156)
  block.write('ustar\0', 257)
  block.write('00', 263)
  block.write(prefix, 345)
  block.write(`${sum(block).toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function parseHeader(block: Buffer): { name: string; size: number; type: string } {
  const text = (start: number, end: number) => block.toString('utf8', start, end).split('\0')[0] ?? ''
  const checked = Buffer.from(block)
  checked.write('        ', 148)
  if (Number.parseInt(text(148, 156), 8) !== sum(checked)) throw new Error('The archive is damaged')
  const size = block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : Number.parseInt(text(124, 136), 8)
  const prefix = text(345, 500)
  return { name: prefix ? `${prefix}/${text(0, 100)}` : text(0, 100), size, type: text(156, 157) || '\0' }
}

/** A name of up to 100 bytes and the folders before it of up to 155. */
function split(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' }
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
    if (Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { name, prefix }
  }
  throw new Error(`${path} is too long a name for a backup`)
}

const sum = (block: Buffer): number => block.reduce((total, byte) => total + byte, 0)
const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK
