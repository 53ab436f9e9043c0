import { useEffect, useEffectEvent } from 'react'
import { isDialogOpen, letterOf } from '../../../shortcuts.ts'

/**
 * The keys of the whole page: Ctrl or Cmd with S saves, with Enter sends. An open dialog has keys of its own, and Enter
 * on a link opens it in a new tab.
 */
export function useComposerKeys(save: () => void, send: () => void) {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || !(event.metaKey || event.ctrlKey) || event.altKey) return
    if (letterOf(event).toLowerCase() === 's' && !event.shiftKey) {
      // The browser's copy of this page is never what the person wants.
      event.preventDefault()
      if (!isDialogOpen()) save()
    } else if (event.key === 'Enter' && !isDialogOpen() && !isLink(event.target)) {
      event.preventDefault()
      send()
    }
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

const isLink = (target: EventTarget | null) => target instanceof Element && target.closest('a') !== null
