import { useEffect, useRef } from 'react'
import { isTyping, letterOf } from '../../../shortcuts.ts'

/** Returns a ref for what Ctrl or Cmd with Z undoes, once. In a field, the keys undo what was typed there. */
export function useUndoKeys() {
  const last = useRef<(() => void) | null>(null)
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
      if (!isUndo || letterOf(event).toLowerCase() !== 'z' || !last.current || isTyping(event)) return
      event.preventDefault()
      last.current()
      last.current = null
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
  return last
}
