import { type ChildProcess, fork } from 'node:child_process'
import { type Picture, UnusablePicture } from './media-picture.ts'

/** What the decoding process says: once that it is there, then what it makes of each file. */
export type Answer = { ready: true } | Result
type Result =
  | { picture: Picture }
  | { unusable: { code: UnusablePicture['code']; message: string; cause: string } }
  | { failed: string }

/** Makes of the file at a path what is served of it. Throws `UnusablePicture` when that cannot be done. */
export type Decode = (path: string) => Promise<Picture>

const CHILD = new URL('./media-child.ts', import.meta.url)
/** A picture that is not decoded by then never will be, in milliseconds. */
const LIMIT = 120_000
/** How long the process waits for the next picture. */
const IDLE = 5_000

/**
 * Decodes in a process of its own, one picture after another: what pictures need of memory goes back with its end, soon after
 * the last one, and one that breaks the decoder breaks nothing else. A picture that breaks it twice is unusable.
 */
export function createDecoder(): Decode {
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function decode(path: string): Promise<Picture> {
    clearTimeout(idle)
    try {
      const result = (await ask(path)) ?? (await ask(path))
      if (!result) throw new UnusablePicture('unreadable', 'It cannot be decoded: two tries broke off.')
      if ('failed' in result) throw new Error(`Decoding failed: ${result.failed}`)
      if ('picture' in result) return result.picture
      const { code, message, cause } = result.unusable
      throw new UnusablePicture(code, message, cause)
    } finally {
      idle = setTimeout(() => child?.connected && child.disconnect(), IDLE).unref()
    }
  }

  /** What the process says of a file; undefined when it ended over it. */
  async function ask(path: string): Promise<Result | undefined> {
    if (!child?.connected) {
      child = start()
      if (!(await next(child))) throw new Error('The process that decodes pictures does not start')
    }
    const answer = next(child)
    // When it cannot be told, it has ended or will.
    child.send(path, (error) => error && child?.kill('SIGKILL'))
    return (await answer) as Result | undefined
  }

  return (path) => {
    const turn = last.then(
      () => decode(path),
      () => decode(path),
    )
    last = turn
    return turn
  }
}

function start(): ChildProcess {
  const child = fork(CHILD, {
    cwd: import.meta.dirname,
    env: {},
    execArgv: ['--import', 'tsx'],
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
