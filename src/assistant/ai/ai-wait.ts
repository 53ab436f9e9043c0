import type { Events } from '../../core/platform/events.ts'

/** Who waits in this process for a generation, by its id. */
const waiting = new Map<string, Set<() => void>>()

/** Says to those in this process that something became of it. Those elsewhere hear it as an event. */
export function tellWaiting(id: string): void {
  for (const look of waiting.get(id) ?? []) look()
}

const LOOK_EVERY = 2_000

export interface Waiting {
  /** Comes back when there is something to look at: at once when there has been since the last time. */
  more(): Promise<void>
  /** Comes back at once from now on. */
  stop(): void
}

/** Listens for what becomes of a generation: told in this process, by an event from another one, or by looking now and then. */
export function awaitGeneration(events: Pick<Events, 'subscribe'>, workspaceId: string, id: string): Waiting {
  let stopped = false
  let news = false
  let wake = () => undefined as void
  const look = () => {
    news = true
    wake()
  }
  const { close } = events.subscribe(workspaceId, undefined, ({ event }) => {
    if (event.kind === 'generation' && event.id === id) look()
  })
  const timer = setInterval(look, LOOK_EVERY)
  const listeners = waiting.get(id) ?? new Set()
  waiting.set(id, listeners.add(look))
  return {
    async more() {
      if (!news && !stopped) await new Promise<void>((resolve) => (wake = resolve))
      news = false
    },
    stop() {
      stopped = true
      close()
      clearInterval(timer)
      listeners.delete(look)
      if (listeners.size === 0) waiting.delete(id)
      wake()
    },
  }
}
