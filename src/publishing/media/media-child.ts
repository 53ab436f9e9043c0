import { setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { DecoderAnswer, Order } from './media-decoder.ts'
import { loadSharp, makeCrop, makePicture, makeThumbnail } from './media-picture.ts'
import { UnusableFile } from './media-unusable.ts'
import { makeVideo } from './media-video.ts'

// The decoding process. A file can crash or exhaust only this process, which knows no secrets.

/** What the watchdog reads: the id of the parent, and the megabytes that this process may currently use. */
export interface Watched {
  parent: number
  limit: Int32Array
}

/** Megabytes for reading the header of a video, and for decoding pixels. */
const HEADER_MEMORY = 270
const PIXEL_MEMORY = 600

const isBuilt = import.meta.url.endsWith('.js')
const limit = new Int32Array(new SharedArrayBuffer(4))
const [parent, lowered] = process.argv.slice(2).map(Number)

/** Sets the megabytes that this process may use. A lower limit given by the parent applies instead. */
const mayUse = (megabytes: number) => void Atomics.store(limit, 0, Math.min(megabytes, lowered || megabytes))

setPriority(10)
process.on('disconnect', () => process.exit())
process.on('message', (order: Order) => void work(order))

async function work(order: Order): Promise<void> {
  try {
    say({ made: await make(order), memory: memory() })
  } catch (error) {
    if (!(error instanceof UnusableFile)) return say({ failed: String(error), memory: memory() })
    const { key, values, cause } = error
    say({ unusable: { key, values, cause: String(cause ?? '') }, memory: memory() })
  }
}

async function make({ path, kind, crop, thumbnail }: Order) {
  mayUse(kind === 'VIDEO' ? HEADER_MEMORY : PIXEL_MEMORY)
  if (crop) return makeCrop(path, crop)
  if (thumbnail) return makeThumbnail(path)
  if (kind === 'IMAGE') return makePicture(path)
  return makeVideo(path, (read) => {
    say({ read })
    mayUse(PIXEL_MEMORY)
  })
}

const memory = () => process.memoryUsage.rss() / 1024 / 1024
const say = (answer: DecoderAnswer) => void process.send?.(answer)

mayUse(PIXEL_MEMORY)
const watched: Watched = { parent: parent ?? process.ppid, limit }
const watchdog = new Worker(new URL(isBuilt ? './media-watchdog.js' : './media-watchdog.mjs', import.meta.url), {
  workerData: watched,
})
watchdog.unref()
await loadSharp()
say({ ready: true })
