import { type ChildProcess, fork } from 'node:child_process'
import type { MediaFile } from './api.ts'
import type { Crop } from './media-crops.ts'
import { type Picture, type PictureRendition, UnusableFile } from './media-picture.ts'
import type { Video } from './media-video.ts'

/** What the decoding process says: once that it is there, then what it makes of each file. */
export type Answer = { ready: true } | Result
type Result =
  | { made: Made }
  | { unusable: { code: UnusableFile['code']; message: string; cause: string } }
  | { failed: string }

type Made = Picture | Video | PictureRendition

export interface Order {
  path: string
  kind: MediaFile['kind']
  crop?: Crop
}

/** Both throw `UnusableFile` when that cannot be done. */
export interface Decoder {
  /** Makes of the file at a path what is served of it. */
  file(path: string, kind: MediaFile['kind']): Promise<Picture | Video>
  /** Makes of the picture at a path what a network gets of a part of it. */
  crop(path: string, crop: Crop): Promise<PictureRendition>
}

/** The decoder's program: as it is written, or built beside us. */
const isBuilt = import.meta.url.endsWith('.js')
const CHILD = new URL(isBuilt ? './media-child.js' : './media-child.ts', import.meta.url)
/** Where programs are looked for. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin'
/** A file that is not decoded by then never will be, in milliseconds. */
const LIMIT = 120_000
/** How long the process waits for the next file. */
const IDLE = 5_000

/**
 * Decodes in a process of its own, one file after another: what files need of memory goes back with its end, soon after the
 * last one, and one that breaks the decoder breaks nothing else. A file that breaks it twice is unusable.
 */
export function createDecoder(): Decoder {
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function decode(order: Order): Promise<Made> {
    clearTimeout(idle)
    try {
      const result = (await ask(order)) ?? (await ask(order))
      if (!result) throw new UnusableFile('unreadable', 'It cannot be decoded: two tries broke off.')
      if ('failed' in result) throw new Error(`Decoding failed: ${result.failed}`)
      if ('made' in result) return result.made
      const { code, message, cause } = result.unusable
      throw new UnusableFile(code, message, cause)
    } finally {
      idle = setTimeout(() => child?.connected && child.disconnect(), IDLE).unref()
    }
  }

  /** What the process says of a file; undefined when it ended over it. */
  async function ask(order: Order): Promise<Result | undefined> {
    // Its end is known before its channel is said to be closed.
    if (!child?.connected || child.exitCode !== null || child.signalCode !== null) {
      child = start()
      if (!(await next(child))) throw new Error('The process that decodes does not start')
    }
    const answer = next(child)
    // When it cannot be told, it has ended or will.
    child.send(order, (error) => error && child?.kill('SIGKILL'))
    return (await answer) as Result | undefined
  }

  function inTurn(order: Order): Promise<Made> {
    const turn = last.then(
      () => decode(order),
      () => decode(order),
    )
    last = turn
    return turn
  }

  return {
    file: async (path, kind) => (await inTurn({ path, kind })) as Picture | Video,
    crop: async (path, crop) => (await inTurn({ path, kind: 'IMAGE', crop })) as PictureRendition,
  }
}

function start(): ChildProcess {
  const child = fork(CHILD, {
    cwd: import.meta.dirname,
    // Large pieces go back to the system as soon as they are free, instead of staying in parts of the heap.
    env: { PATH, MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
    execArgv: isBuilt ? [] : ['--import', 'tsx'],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  // What goes wrong with it shows as its end.
  return child.on('error', () => child.kill('SIGKILL'))
}

/** The next thing that a process says; undefined when it ends before. Only meanwhile it keeps the product from ending. */
function next(child: ChildProcess): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const late = setTimeout(() => child.kill('SIGKILL'), LIMIT)
    const end = (answer?: Answer) => {
      clearTimeout(late)
      child.off('message', end).off('close', ended)
      child.unref()
      child.channel?.unref()
      resolve(answer)
    }
    const ended = () => end()
    child.ref()
    child.channel?.ref()
    child.on('message', end).on('close', ended)
  })
}
