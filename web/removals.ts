import { useSyncExternalStore } from 'react'
import { toast } from './toast.ts'

// Removals that the service cannot take back. It gets each request once its undo is gone.

const UNDO_MS = 10_000

/** The ids of what is hidden here, and removed for all once its undo is gone. */
let leaving: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()
/** What ends each removal that still has its undo. */
const pending = new Map<string, (keepalive?: boolean) => Promise<void>>()

function hide(id: string, hidden: boolean) {
  leaving = new Set([...[...leaving].filter((one) => one !== id), ...(hidden ? [id] : [])])
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The ids of what no list shows, because it is about to be removed. */
export const useLeaving = () => useSyncExternalStore(subscribe, () => leaving)

interface Removal {
  /** The message about it, and the name of its undo. */
  said: string
  undo: string
  /** Sends the request. With `keepalive` it goes out although the page is left. */
  remove: (keepalive: boolean) => Promise<unknown>
  /** Reports a refusal. What was hidden is back then. */
  onRefused: (error: unknown) => void
}

/** Hides something, and removes it once its message closes or the page is left. Until then, Undo brings it back. */
export function removeLater(id: string, { said, undo, remove, onRefused }: Removal): void {
  const finish = async (keepalive = false) => {
    if (!pending.delete(id)) return
    try {
      await remove(keepalive)
    } catch (error) {
      hide(id, false)
      onRefused(error)
    }
  }
  const bringBack = () => {
    if (pending.delete(id)) hide(id, false)
  }
  pending.set(id, finish)
  hide(id, true)
  toast.success(said, {
    duration: UNDO_MS,
    action: { label: undo, onClick: bringBack },
    onAutoClose: () => void finish(),
    onDismiss: () => void finish(),
  })
}

/** Sends all requests that still wait. */
export const finishRemovals = (keepalive = false): Promise<unknown> =>
  Promise.all(Array.from(pending.values(), (finish) => finish(keepalive)))

addEventListener('pagehide', () => void finishRemovals(true))
