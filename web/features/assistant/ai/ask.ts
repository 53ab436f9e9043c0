import './endpoints.ts'
import type { Generation, Option, OptionsAnswer } from '../../../../src/assistant/ai/api.ts'
import { address, authorizedFetch, call, type CallOptions, isProblem, problemOf } from '../../../client.ts'
import { isAway } from '../../../problem-error.ts'
import { eventsOf } from '../../../live.ts'
import { session } from '../../../session.ts'
import { wait } from '../../../wait.ts'

export type Asking =
  | 'generateCaption'
  | 'rewriteCaption'
  | 'generateHashtags'
  | 'generateCta'
  | 'translateCaption'
  | 'generateImage'
  | 'suggestVoice'
  | 'generateAltText'

/** The AI requests, by operation. */
export type Question = { [O in Asking]: { operation: O; body: NonNullable<CallOptions<O>['body']> } }[Asking]

interface Listener {
  /** Receives the id that identifies the generation even if the connection breaks. */
  onBegin: (id: string) => void
  onOption: (option: Option) => void
  /** Receives the credits left this month; null means unlimited. */
  onLeft: (left: number | null) => void
}

const POLL_MS = 1500

const isOver = ({ status }: Generation) => status !== 'QUEUED' && status !== 'RUNNING'

/** Waits for a generation that continues on the server. Keeps polling while the service is unreachable. */
export async function outcomeOf(ws: string, id: string, signal: AbortSignal): Promise<Generation> {
  for (;;) {
    let pause = POLL_MS
    try {
      const now = await call('getGeneration', { workspace: ws, params: { id }, signal })
      if (isOver(now)) return now
    } catch (error) {
      if (isProblem(error, 'rate_limited')) pause = Math.max(POLL_MS, (error.retryAfter ?? 0) * 1000)
      else if (!isAway(error)) throw error
    }
    await wait(pause, signal)
  }
}

/** Milliseconds without an event, apart from heartbeats. Then the result is read from the service instead. */
const SILENCE_MS = 60_000

/** A watchdog: `expired` resolves once `reset`, called on each event, stays out for SILENCE_MS. */
function watchdog() {
  let timer: ReturnType<typeof setTimeout>
  let expire = () => {}
  const expired = new Promise<void>((resolve) => {
    expire = resolve
  })
  const reset = () => {
    clearTimeout(timer)
    timer = setTimeout(expire, SILENCE_MS)
  }
  reset()
  return { expired, reset, end: () => clearTimeout(timer) }
}

/**
 * Sends an AI request and reports options as they arrive. Resolves with the ended generation, however long it takes.
 */
export async function ask(
  ws: string,
  { operation, body }: Question,
  { onBegin, onOption, onLeft }: Listener,
  signal: AbortSignal,
): Promise<Generation> {
  const response = await authorizedFetch(address(operation), {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', 'x-workspace-id': ws },
    body: JSON.stringify(body),
    signal,
  })
  if (!response.ok) {
    const problem = problemOf(response.status, await response.text(), response.headers.get('retry-after'))
    if (problem.status === 401) session.lost(problem.code)
    throw problem
  }
  const line = response.headers.get('content-type')?.startsWith('text/event-stream') ? response.body : null
  const id = line
    ? (response.headers.get('location')?.split('/').at(-1) ?? '')
    : ((await response.json()) as { id: string }).id
  onBegin(id)
  // Without a stream, perhaps because of a proxy, poll for the result.
  if (!line) return outcomeOf(ws, id, signal)
  const silence = watchdog()
  const hear = async (body: ReadableStream<Uint8Array>) => {
    for await (const { event, data: text } of eventsOf(body)) {
      silence.reset()
      const data: unknown = JSON.parse(text)
      if (event === 'option') onOption(data as Option)
      else if (event === 'done') onLeft((data as OptionsAnswer).usage.remaining)
      else if (event === 'error') {
        const problem = problemOf(502, text)
        // A cancelled generation reports its cost until then, so read it like any other.
        if (problem.code !== 'ai_cancelled') throw problem
      }
    }
  }
  // A broken connection is not a failure: the generation continues on the server.
  const heard = hear(line).catch((error: unknown) => {
    if (signal.aborted || isProblem(error)) throw error
  })
  try {
    // A silent connection stays open, because closing it cancels the generation.
    await Promise.race([heard, silence.expired])
  } finally {
    silence.end()
  }
  return outcomeOf(ws, id, signal)
}
