import { type RefObject, useEffect, useRef, useState } from 'react'

/**
 * Makes a tray item draggable to the position of another, and returns its state. The drag code loads with the first
 * movable item.
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
      // Not fatal: buttons and keys reorder the tray as well.
      (error: unknown) => console.error(error),
    )
    return () => {
      over = true
      undo?.()
    }
  }, [element, id, movable])
  return state
}
