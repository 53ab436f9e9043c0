import { useSyncExternalStore } from 'react'
import { onForget } from './storage.ts'
import { toast } from './toast.ts'

// Removals that the service cannot take back. It gets each request once its undo is gone.

const UNDO_MS = 10_000

/** The ids of what is hidden here, and removed for all once its undo is gone. */
let leaving: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()
/** The removals that still have their undo: what sends each, and the id of its message. */
const pending = new Map<string, { finish: (keepalive?: boolean) => Promise<void>; message: string }>()

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
  // A removal that is made again has another message, because the first one may still be closing.
  const message = crypto.randomUUID()
  pending.set(id, { finish, message })
  hide(id, true)
  toast.success(said, {
    id: message,
    duration: UNDO_MS,
    action: { label: undo, onClick: bringBack },
    onAutoClose: () => void finish(),
    onDismiss: () => void finish(),
  })
}

/** Sends all requests that still wait. */
export const finishRemovals = (keepalive = false): Promise<unknown> =>
  Promise.all(
    Array.from(pending.values(), ({ finish, message }) => {
      toast.dismiss(message)
      return finish(keepalive)
    }),
  )

addEventListener('pagehide', () => void finishRemovals(true))

// The session ended in another tab. Its removals can't be sent, and the next person must not be offered their undo.
onForget(() => {
  for (const [id, { message }] of pending) {
    pending.delete(id)
    hide(id, false)
    toast.dismiss(message)
  }
})
