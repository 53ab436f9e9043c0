import { useLayoutEffect, useRef, useState } from 'react'
import type { CalendarEntry } from './entry.ts'

const chipOf = (id: string) => document.querySelector<HTMLElement>(`a[data-post="${id}"]`)

/** Shows posts at their new times while the service stores them. A focused chip keeps the focus when it moves. */
export function useShownMoves() {
  const [moved, setMoved] = useState<ReadonlyMap<string, CalendarEntry>>(new Map())
  const follow = useRef<string | null>(null)

  /** Shows a post as this entry; null shows it as stored. */
  const show = (entry: CalendarEntry | null, id: string) => {
    if (document.activeElement?.closest('[data-chip]')?.querySelector(`a[data-post="${id}"]`)) follow.current = id
    setMoved((before) => {
      const after = new Map(before)
      if (entry) after.set(id, entry)
      else after.delete(id)
      return after
    })
  }

  // Runs after every render, because the chip may appear only once its new period is shown.
  useLayoutEffect(() => {
    if (!follow.current) return
    const chip = chipOf(follow.current)
    if (!chip && document.activeElement === document.body) return
    if (!chip?.closest('[data-chip]')?.contains(document.activeElement)) chip?.focus()
    follow.current = null
  })

  /** The entries, with moving posts at their new times. */
  const withMoved = (entries: CalendarEntry[]) => [...entries.filter((one) => !moved.has(one.id)), ...moved.values()]

  return { show, withMoved }
}
