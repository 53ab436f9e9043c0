import type { Events } from '../../core/platform/events.ts'
import { LEASE } from './ai.ts'

/**
 * Milliseconds between two looks at a generation that no hint asks for. The process that runs it renews the lease then. Those who
 * wait find what no hint tells them: a person who lost the right to read, a database that is back, the hint of a process that died.
 */
export const BEAT = LEASE / 6

export interface Following {
  /** Resolves when there is something to look at: at once when there has been since the last time. False after `stop`. */
  more(): Promise<boolean>
  stop(): void
}

/** Follows a generation, in whichever process it runs: the row says how it is, a hint or the beat when to look. */
export function followGeneration(events: Pick<Events, 'subscribe'>, workspaceId: string, id: string): Following {
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
  const timer = setInterval(look, BEAT)
  return {
    async more() {
      if (!news && !stopped) await new Promise<void>((resolve) => (wake = resolve))
      news = false
      return !stopped
    },
    stop() {
      stopped = true
      close()
      clearInterval(timer)
      wake()
    },
  }
}
