import { useState } from 'react'
import type { Thread } from '../../../../src/conversations/threads/api.ts'

/**
 * The threads before and after the open one. A thread that has left the list, for example because it was answered,
 * keeps its place, and the thread that took it comes after it. `list` names the list; null while another one is shown.
 */
export function usePlaceInList(threads: readonly Thread[], open: string | undefined, list: string | null) {
  const now = threads.findIndex(({ id }) => id === open)
  const [last, setLast] = useState({ open, list, at: now })
  const isOther = last.open !== open || last.list !== list
  if (isOther || (now >= 0 && now !== last.at)) setLast({ open, list, at: now })
  const at = now < 0 && !isOther ? last.at : now
  const isPlaced = at >= 0
  return {
    /** Whether the open thread is, or was, in the list. */
    isPlaced,
    after: isPlaced ? threads[now < 0 ? at : at + 1] : undefined,
    before: isPlaced ? threads[at - 1] : undefined,
  }
}
