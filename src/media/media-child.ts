import { setPriority } from 'node:os'
import type { Answer, Order } from './media-decoder.ts'
import { loadSharp, makeCrop, makePicture, UnusableFile } from './media-picture.ts'
import { makeVideo } from './media-video.ts'

// The process that decodes: what a file can break or use up is only this one, which knows no secrets.

setPriority(10)
process.on('disconnect', () => process.exit())
// Ctrl-C reaches it too; it ends with the one that it works for.
process.on('SIGINT', () => {})
process.on('message', (order: Order) => void work(order))

async function work({ path, kind, crop }: Order): Promise<void> {
  try {
    say({ made: await (crop ? makeCrop(path, crop) : kind === 'IMAGE' ? makePicture(path) : makeVideo(path)) })
  } catch (error) {
    if (!(error instanceof UnusableFile)) say({ failed: String(error) })
    else say({ unusable: { code: error.code, message: error.message, cause: String(error.cause ?? '') } })
  }
}

const say = (answer: Answer) => process.send?.(answer)

await loadSharp()
say({ ready: true })
