import { createContext, useContext } from 'react'
import type { Entry } from './entry.ts'

/** Gives posts of the calendar other times. */
export interface Moving {
  /** The post that moved last: it stays in sight. */
  held: string | null
  movable: (entry: Entry) => boolean
  /** When a post would go out on a date; null where that has passed. */
  timeOn: (entry: Entry, date: string) => Date | null
  /** Moves a post at once. */
  place: (entry: Entry, at: Date) => void
  /** Moves a post to a date, at the same time of the clock. */
  placeOn: (entry: Entry, date: string) => void
  /** Moves a post `across` days and `down` rows of the view; with `more` to come the service hears of the last step only. */
  step: (entry: Entry, across: number, down: number, more?: boolean) => void
  /** Says why a cell took no post. */
  refused: (cell?: HTMLElement) => void
  /** Asks for the time. */
  choose: (entry: Entry) => void
  /** Asks whether it is to go out now. */
  publish: (entry: Entry) => void
}

const Context = createContext<Moving | null>(null)
export const MovingProvider = Context.Provider

export function useMoving(): Moving {
  const moving = useContext(Context)
  if (!moving) throw new Error('No calendar around this component')
  return moving
}
