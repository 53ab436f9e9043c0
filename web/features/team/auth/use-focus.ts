import { useEffect, useRef } from 'react'

/** For a field that is the next step of what somebody has just begun: it takes the focus when it appears. */
export function useFocus() {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return field
}
