import { useEffect, useEffectEvent } from 'react'
import { isDialogOpen, letterOf } from '../../../shortcuts.ts'

/** The controls that Enter operates, except the button whose shortcut is Ctrl+Enter. */
const TAKES_ENTER = 'a, summary, select, input[type=file], button:not([aria-keyshortcuts~="Control+Enter"])'

const takesEnter = (target: EventTarget | null) => target instanceof Element && target.closest(TAKES_ENTER) !== null

/** Whether a menu or another popup covers the page. */
const isPopupOpen = () => document.querySelector(':popover-open') !== null

/**
 * The keys of the whole page: Ctrl or Cmd with S saves, with Enter sends. Enter belongs to a focused control that it
 * operates, and to an open dialog or popup.
 */
export function useComposerKeys(save: () => void, send: () => void) {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || !(event.metaKey || event.ctrlKey) || event.altKey) return
    if (letterOf(event).toLowerCase() === 's' && !event.shiftKey) {
      // The browser's copy of this page is never what the person wants.
      event.preventDefault()
      if (!isDialogOpen()) save()
    } else if (event.key === 'Enter' && !isDialogOpen() && !isPopupOpen() && !takesEnter(event.target)) {
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
