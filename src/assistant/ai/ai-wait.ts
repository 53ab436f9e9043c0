import type { Events } from '../../core/platform/events.ts'
import { LEASE } from './ai-turns.ts'

/**
 * Milliseconds between two checks of a generation without a hint. The process that runs it then renews its lease. Those
 * who wait notice what no hint reports: a person who lost access, a database that is back, a hint lost with its
 * process.
 */
export const BEAT = LEASE / 6

export interface Following {
  /**
   * Resolves when there is something to check, at once if there was since the last call. Resolves to false after
   * `stop`.
   */
  more(): Promise<boolean>
  stop(): void
}

/**
 * Follows a generation, whichever process runs it. The row has its state; a hint or the interval says when to check.
 */
export function followGeneration(events: Pick<Events, 'subscribe'>, workspaceId: string, id: string): Following {
  let stopped = false
  let news = false
  let wake = () => undefined as void
  const signal = () => {
    news = true
    wake()
  }
  const { close } = events.subscribe(workspaceId, undefined, ({ event }) => {
    if (event.kind === 'generation' && event.id === id) signal()
  })
  const timer = setInterval(signal, BEAT)
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
