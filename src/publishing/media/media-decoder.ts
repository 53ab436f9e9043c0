import { type ChildProcess, fork } from 'node:child_process'
import type { Area, RenditionUse } from '../../networks/rules.ts'
import type { MediaFile } from './api.ts'
import type { DecodedPicture, PictureRendition, Thumbnail } from './media-picture.ts'
import { UnusableFile } from './media-unusable.ts'
import type { Video } from './media-video.ts'

/** A message of the decoding process: it is ready, it has read a video's header, or it has finished a file. */
export type DecoderAnswer = { ready: true } | { read: Video } | Result
type Outcome =
  | { made: Made }
  | { unusable: Pick<UnusableFile, 'key' | 'values'> & { cause: string } }
  | { failed: string }
/** `memory`: the megabytes that the process uses after the file. */
type Result = Outcome & { memory: number }

type Made = DecodedPicture | Video | PictureRendition | Thumbnail

/** Why the process ended during a file. */
type End = 'too_slow' | 'too_much_memory' | 'broken'

/** The part of a picture that a use needs. */
export interface Crop {
  use: RenditionUse
  area: Area
}

export interface Order {
  path: string
  kind: MediaFile['kind']
  crop?: Crop
  thumbnail?: true
}

/** A picture in the quick lane gets less time, and does not wait for slow ones. */
export type Lane = 'quick' | 'slow'

/** All methods throw `UnusableFile` if the file cannot be decoded. */
export interface Decoder {
  /** Makes the copies of a file that are served. A picture is slow by default; videos have a lane of their own. */
  file(path: string, kind: MediaFile['kind'], lane?: Lane): Promise<DecodedPicture | Video>
  /** Makes a crop of a picture in the form that a network gets. */
  crop(path: string, crop: Crop, lane?: Lane): Promise<PictureRendition>
  /** Makes only a small copy of a picture, with the short time limit. */
  thumbnail(path: string): Promise<Thumbnail>
}

/** The decoder's program: its source, or the built file next to this one. */
const isBuilt = import.meta.url.endsWith('.js')
const CHILD = new URL(isBuilt ? './media-child.js' : './media-child.ts', import.meta.url)
/** The search path for programs. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin'
/** Milliseconds until the process is killed, while it starts and for a file. */
const START_LIMIT = 60_000
const FILE_LIMIT = 10_000
/** Milliseconds until the process is killed for a picture while others wait. A slower one moves to the slow lane. */
const QUICK_LIMIT = 2_000
/** Megabytes of JavaScript objects. The watchdog limits the rest of the memory. */
const HEAP = 192
/** A process that uses more megabytes than this after a file is replaced, so that the next file has enough memory. */
const REST = 160
/** Milliseconds that an idle process waits for the next file. */
const IDLE = 5_000

interface Lowered {
  /** Milliseconds for a file. */
  time?: number
  /** Megabytes for the whole process. */
  memory?: number
}

/**
 * Decodes pictures in one process, slow pictures in a second and videos in a third, one file at a time in each. A
 * process ends soon after its last file, which frees the memory. A process that exceeds its time or memory is killed,
 * and its file is unusable at once; a file that crashes the process is tried once more. If the header of a video had
 * been read by then, its facts are kept, with a plain picture as the thumbnail.
 */
export function createDecoder(lowered: Lowered = {}): Decoder {
  const quick = createProcess({ ...lowered, time: Math.min(lowered.time ?? QUICK_LIMIT, QUICK_LIMIT) })
  const slow = createProcess(lowered)
  const videos = createProcess(lowered)
  const pictures = { quick, slow }
  return {
    file: async (path, kind, lane = 'slow') =>
      (await (kind === 'VIDEO' ? videos : pictures[lane])({ path, kind })) as DecodedPicture | Video,
    crop: async (path, crop, lane = 'slow') =>
      (await pictures[lane]({ path, kind: 'IMAGE', crop })) as PictureRendition,
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

  /** Returns the result of the process for a file, or how the process ended during it. */
  async function ask(order: Order): Promise<Result | End> {
    // The exit of the process is known before its channel counts as disconnected.
    if (!child?.connected || child.exitCode !== null || child.signalCode !== null) {
      child = start(memory)
      if (typeof (await next(child, START_LIMIT)) === 'string') throw new Error('The decoder process failed to start')
    }
    const answer = next(child, time ?? FILE_LIMIT)
    // If the order cannot be sent, the process has ended or is about to.
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
    // Makes the allocator return large blocks to the system as soon as they are free.
    env: { PATH, MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
    execArgv: [`--max-old-space-size=${HEAP}`, ...(isBuilt ? [] : ['--import', 'tsx'])],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A separate process group, so that the programs it started can be killed with it and Ctrl-C does not reach it.
    detached: process.platform !== 'win32',
  })
  // An error of the process is handled as its end.
  return child.on('error', () => kill(child))
}

/** Kills the process and the programs that it started. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** The signals of the watchdog, and of Node.js with a full heap. */
const MEMORY_SIGNALS: readonly unknown[] = ['SIGUSR2', 'SIGABRT', 'SIGTRAP']

/**
 * Returns the next answer of a process, or how it ended. Kills the process if there is none within `limit`
 * milliseconds. Only during this wait does the process keep the product from exiting.
 */
function next(child: ChildProcess, limit: number): Promise<DecoderAnswer | End> {
  return new Promise((resolve) => {
    let read: Video | undefined
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      kill(child)
    }, limit)
    const end = (answer: DecoderAnswer | End) => {
      clearTimeout(late)
      child.off('message', heard).off('close', ended)
      child.unref()
      child.channel?.unref()
      resolve(answer)
    }
    const heard = (answer: DecoderAnswer) => {
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
