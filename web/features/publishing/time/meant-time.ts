import { useState } from 'react'
import { instantsOf } from '../../../time.ts'

/**
 * The instant of a wall time in a zone. If a clock change skips or repeats the wall time, `isUnclear` is set, and `at` is
 * null until the person has chosen. `initial` is the instant that the first wall time stands for.
 */
export function useMeantTime(wall: string, zone: string, initial: Date | null = null) {
  const [meant, setMeant] = useState(() => initial && { wall, at: initial })
  const isValid = /^\d{4,}-\d\d-\d\dT\d\d:\d\d$/.test(wall)
  const instants = isValid ? instantsOf(wall, zone).at : []
  const isUnclear = isValid && instants.length !== 1
  const chosen = meant?.wall === wall ? meant.at : null
  const at = isUnclear ? chosen : (instants[0] ?? null)
  return { isValid, isUnclear, chosen, at, choose: (one: Date) => setMeant({ wall, at: one }) }
}
