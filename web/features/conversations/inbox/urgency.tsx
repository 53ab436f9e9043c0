import { OctagonAlert } from 'lucide-react'
import { type UrgencyFilter, URGENCIES } from './search.ts'

const BARS = [
  { x: 1, y: 10, height: 5 },
  { x: 6, y: 6, height: 9 },
  { x: 11, y: 1, height: 14 },
]

/**
 * The urgency of a thread: a warning sign, or one to three bars. Hidden from screen readers, because the word is next
 * to it.
 */
export function UrgencySign({ urgency }: { urgency: UrgencyFilter }) {
  if (urgency === 'CRITICAL') return <OctagonAlert className="size-3.5 shrink-0 text-bad" aria-hidden />
  const full = URGENCIES.length - URGENCIES.indexOf(urgency)
  return (
    <svg viewBox="0 0 16 16" className="size-3.5 shrink-0 fill-current" aria-hidden>
      {BARS.map(({ x, y, height }, index) => (
        <rect key={x} x={x} y={y} width="4" height={height} rx="1" opacity={index < full ? 1 : 0.25} />
      ))}
    </svg>
  )
}
