import { type ChildProcess, fork } from 'node:child_process'
import type { MediaFile } from './api.ts'
import type { Crop } from './media-crops.ts'
import type { DecodedPicture, PictureRendition, Thumbnail } from './media-picture.ts'
import { UnusableFile } from './media-unusable.ts'
import type { Video } from './media-video.ts'

/** A message of the decoding process: it is ready, it has read a video's header, or it has made the copies of a file. */
export type Answer = { ready: true } | { read: Video } | Result
type Outcome =
  | { made: Made }
  | { unusable: Pick<UnusableFile, 'key' | 'values'> & { cause: string } }
  | { failed: string }
/** With the megabytes that the process uses after it. */
type Result = Outcome & { memory: number }

type Made = DecodedPicture | Video | PictureRendition | Thumbnail

/** Why the process ended over a file. */
type End = 'too_slow' | 'too_much_memory' | 'broken'

export interface Order {
  path: string
  kind: MediaFile['kind']
  crop?: Crop
  thumbnail?: true
}

/** All throw `UnusableFile` when that cannot be done. */
export interface Decoder {
  /** Makes of the file at a path what is served of it. `isQuick`: a picture is given up sooner, and waits for no slow one. */
  file(path: string, kind: MediaFile['kind'], isQuick?: boolean): Promise<DecodedPicture | Video>
  /** Makes of the picture at a path what a network gets of a part of it. */
  crop(path: string, crop: Crop, isQuick?: boolean): Promise<PictureRendition>
  /** Makes of the picture at a path a small one, and nothing else. It has little time. */
  thumbnail(path: string): Promise<Thumbnail>
}

/** The decoder's program: as it is written, or built beside us. */
const isBuilt = import.meta.url.endsWith('.js')
const CHILD = new URL(isBuilt ? './media-child.js' : './media-child.ts', import.meta.url)
/** The search path for programs. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin'
/** Milliseconds until the process is killed: over its own start, and over a file. */
const START_LIMIT = 60_000
const FILE_LIMIT = 10_000
/** The same over a picture for which others wait: what takes longer has a lane of its own. */
const QUICK_LIMIT = 2_000
/** Megabytes of JavaScript objects; what lies outside of them is the watchdog's to limit. */
const HEAP = 192
/** A process that uses more megabytes after a file is not given the next one, which has to find room. */
const REST = 160
/** Milliseconds that the process waits for the next file. */
const IDLE = 5_000

interface Lowered {
  /** Milliseconds for a file. */
  time?: number
  /** Megabytes for the whole process. */
  memory?: number
}

/**
 * Decodes pictures in one process, slow ones in another and videos in a third, one file in each at a time. The memory that a file needs goes back
 * with the end of its process, soon after the last file. A process that takes too long or too much memory is killed, which makes
 * its file unusable at once; a file that breaks the process in another way is tried once more. Of a video whose header was read
 * by then, what the header tells is kept, with a plain picture for a thumbnail.
 */
export function createDecoder(lowered: Lowered = {}): Decoder {
  const quick = createProcess({ ...lowered, time: Math.min(lowered.time ?? QUICK_LIMIT, QUICK_LIMIT) })
  const slow = createProcess(lowered)
  const videos = createProcess(lowered)
  const forPictures = (isQuick: boolean | undefined) => (isQuick ? quick : slow)
  return {
    file: async (path, kind, isQuick) =>
      (await (kind === 'VIDEO' ? videos : forPictures(isQuick))({ path, kind })) as DecodedPicture | Video,
    crop: async (path, crop, isQuick) =>
      (await forPictures(isQuick)({ path, kind: 'IMAGE', crop })) as PictureRendition,
    thumbnail: async (path) => (await quick({ path, kind: 'IMAGE', thumbnail: true })) as Thumbnail,
  }
}

function createProcess({ time, memory }: Lowered): (order: Order) => Promise<Made> {
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function decode(order: Order): Promise<Made> {
    clearTimeout(idle)
    try {
      let result = await ask(order)
      if (result === 'broken') result = await ask(order)
      if (typeof result === 'string') throw new UnusableFile(unusable[result])
      if (result.memory > REST) retire()
      if ('failed' in result) throw new Error(`Decoding failed: ${result.failed}`)
      if ('made' in result) return result.made
      const { key, values, cause } = result.unusable
      throw new UnusableFile(key, values, cause)
    } finally {
      idle = setTimeout(() => child?.connected && child.disconnect(), IDLE).unref()
    }
  }

  function retire(): void {
    if (child) kill(child)
    child = undefined
  }

  /** The result of the process for a file, or the way in which the process ended over it. */
  async function ask(order: Order): Promise<Result | End> {
    // Its end is known before its channel is said to be closed.
    if (!child?.connected || child.exitCode !== null || child.signalCode !== null) {
      child = start(memory)
      if (typeof (await next(child, START_LIMIT)) === 'string')
        throw new Error('The process that decodes does not start')
    }
    const answer = next(child, time ?? FILE_LIMIT)
    // When it cannot be told, it has ended or will.
    const asked = child
    child.send(order, (error) => error && kill(asked))
    return (await answer) as Result | End
  }

  return (order) => {
    const turn = last.then(
      () => decode(order),
      () => decode(order),
    )
    last = turn
    return turn
  }
}

const unusable = {
  too_slow: 'too_slow',
  too_much_memory: 'too_much_memory',
  broken: 'unreadable/broke_off',
} as const satisfies Record<End, UnusableFile['key']>

function start(memory: number | undefined): ChildProcess {
  const child = fork(CHILD, [String(process.pid), ...(memory === undefined ? [] : [String(memory)])], {
    cwd: import.meta.dirname,
    // Large pieces go back to the system as soon as they are free, instead of staying in parts of the heap.
    env: { PATH, MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
    execArgv: [`--max-old-space-size=${HEAP}`, ...(isBuilt ? [] : ['--import', 'tsx'])],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A process group of its own: killed with the programs that it started, and not reached by Ctrl-C.
    detached: process.platform !== 'win32',
  })
  // An error of the process shows as its end.
  return child.on('error', () => kill(child))
}

/** Kills the process with the programs that it started. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** The exit codes and signals of the watchdog, and of Node.js with a full heap. */
const MEMORY_SIGNALS: readonly unknown[] = ['SIGUSR2', 'SIGABRT', 'SIGTRAP']

/**
 * The next answer of a process, or how it ended; killed when there is none within `limit` milliseconds. Only meanwhile the
 * process keeps the product from ending.
 */
function next(child: ChildProcess, limit: number): Promise<Answer | End> {
  return new Promise((resolve) => {
    let read: Video | undefined
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      kill(child)
    }, limit)
    const end = (answer: Answer | End) => {
      clearTimeout(late)
      child.off('message', heard).off('close', ended)
      child.unref()
      child.channel?.unref()
      resolve(answer)
    }
    const heard = (answer: Answer) => {
      if ('read' in answer) read = answer.read
      else end(answer)
    }
    const ended = (_code: number | null, signal: NodeJS.Signals | null) => {
      if (read) end({ made: read, memory: 0 })
      else end(isLate ? 'too_slow' : MEMORY_SIGNALS.includes(signal) ? 'too_much_memory' : 'broken')
    }
    child.ref()
    child.channel?.ref()
    child.on('message', heard).on('close', ended)
  })
}
