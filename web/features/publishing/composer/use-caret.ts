import { type RefObject, useLayoutEffect } from 'react'

/** The place of the caret when the composer of a post was closed. */
let left: { id: string; from: number; to: number } | null = null

/**
 * The first save of a new post leads to the page of that post, with a composer of its own: who is typing goes on there, at
 * the same place in the text. A new post has the focus in its text, except on touch screens, where the keyboard would cover the rest.
 */
export function useCaret(text: RefObject<HTMLTextAreaElement | null>, id: string | null) {
  useLayoutEffect(() => {
    const area = text.current
    if (left && left.id === id) {
      area?.focus({ preventScroll: true })
      area?.setSelectionRange(left.from, left.to)
    } else if (id === null && !matchMedia('(pointer: coarse) or (width < 40rem)').matches) {
      area?.focus({ preventScroll: true })
    }
    left = null
    return () => {
      left =
        id && area && document.activeElement === area ? { id, from: area.selectionStart, to: area.selectionEnd } : null
    }
  }, [text, id])
}
