import { setPriority } from 'node:os'
import type { Answer } from './media-decoder.ts'
import { loadSharp, makePicture, UnusablePicture } from './media-picture.ts'

// The process that decodes: what a picture can break or use up is only this one, which knows no secrets.

setPriority(10)
process.on('disconnect', () => process.exit())
// Ctrl-C reaches it too; it ends with the one that it works for.
process.on('SIGINT', () => {})
process.on('message', (path: string) => void work(path))

async function work(path: string): Promise<void> {
  try {
    say({ picture: await makePicture(path) })
  } catch (error) {
    if (!(error instanceof UnusablePicture)) say({ failed: String(error) })
    else say({ unusable: { code: error.code, message: error.message, cause: String(error.cause ?? '') } })
  }
}

const say = (answer: Answer) => process.send?.(answer)

await loadSharp()
say({ ready: true })
