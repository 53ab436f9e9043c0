import { type RefObject, useLayoutEffect } from 'react'

/** The caret position when a post's composer was closed. */
let left: { id: string; from: number; to: number } | null = null

/**
 * Keeps the focus and caret when the first save of a new post moves to that post's own page and composer. A new post
 * focuses its text, except on touch screens, where the keyboard would cover the rest.
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
