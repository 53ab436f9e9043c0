import type { KeyboardEvent } from 'react'
import type { Entry } from './entry.ts'
import { useMoving } from './moving.ts'

const ARROWS: Record<string, [across: number, down: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Alt and an arrow move the post; where text runs from right to left, so do the days. */
export function useArrows(entry: Entry) {
  const { step } = useMoving()
  return (event: KeyboardEvent<HTMLElement>) => {
    const arrow = ARROWS[event.key]
    if (!arrow || !event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const [across, down] = arrow
    step(entry, document.documentElement.dir === 'rtl' ? -across : across, down, true)
  }
}
