import { createContext, useContext } from 'react'
import type { CalendarEntry } from './entry.ts'

/** Reschedules posts in the calendar. */
export interface Moving {
  /** The id of the last moved post, which stays visible. */
  held: string | null
  movable: (entry: CalendarEntry) => boolean
  /** The time of a post on another date; null if that has passed. */
  timeOn: (entry: CalendarEntry, date: string) => Date | null
  /** Moves a post immediately. */
  place: (entry: CalendarEntry, at: Date) => void
  /** Moves a post to a date, keeping its time of day. */
  placeOn: (entry: CalendarEntry, date: string) => void
  /** Moves a post by `across` days and `down` rows. With `more` to come, only the last step is sent to the service. */
  step: (entry: CalendarEntry, across: number, down: number, more?: boolean) => void
  /** Shows why a cell did not accept a post. */
  refused: (cell?: HTMLElement) => void
  /** Asks for a time. */
  choose: (entry: CalendarEntry) => void
  /** Confirms publishing now. */
  publish: (entry: CalendarEntry) => void
}

const Context = createContext<Moving | null>(null)
export const MovingProvider = Context.Provider

export function useMoving(): Moving {
  const moving = useContext(Context)
  if (!moving) throw new Error('No calendar around this component')
  return moving
}
