import { type RefObject, useEffect, useRef, useState } from 'react'

/**
 * Lets an item of the tray be dragged to the place of another; answers how it looks meanwhile. What dragging needs is fetched
 * with the first item that can be moved.
 */
export function useOrder(
  element: RefObject<HTMLElement | null>,
  id: string,
  movable: boolean,
  onPlace: (id: string) => void,
): 'still' | 'dragged' | 'over' {
  const [state, setState] = useState<'still' | 'dragged' | 'over'>('still')
  const place = useRef(onPlace)
  useEffect(() => {
    place.current = onPlace
  })
  useEffect(() => {
    const item = element.current
    if (!item || !movable) return
    let over = false
    let undo: (() => void) | undefined
    import('./order.ts').then(
      ({ orderable }) => {
        if (!over) undo = orderable({ element: item, id, show: setState, take: (other) => place.current(other) })
      },
      // Buttons and keys order the tray as well.
      (error: unknown) => console.error(error),
    )
    return () => {
      over = true
      undo?.()
    }
  }, [element, id, movable])
  return state
}
