import { useEffect, useRef } from 'react'

/** Focuses a field when it appears, for the next step of something the person has just started. */
export function useFocus() {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return field
}
