import type { KeyboardEvent } from 'react'
import type { CalendarEntry } from './entry.ts'
import { useMoving } from './moving.ts'

const ARROWS: Record<string, [across: number, down: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Alt with an arrow key moves the post. In right-to-left text, the days run right to left too. */
export function useArrows(entry: CalendarEntry) {
  const { step } = useMoving()
  return (event: KeyboardEvent<HTMLElement>) => {
    const arrow = ARROWS[event.key]
    if (!arrow || !event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const [across, down] = arrow
    step(entry, document.documentElement.dir === 'rtl' ? -across : across, down, true)
  }
}
