import { useEffect, useEffectEvent } from 'react'

/** Milliseconds without a change after which a person no longer counts as typing. */
const REST_MS = 6000

/** Calls `onRest` when the text stops changing or is gone, and on unmount. */
export function useRest(text: string, onRest: () => void) {
  const rest = useEffectEvent(onRest)
  useEffect(() => {
    const timer = setTimeout(() => rest(), text === '' ? 0 : REST_MS)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => () => rest(), [])
}
