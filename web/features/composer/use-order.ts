import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { type RefObject, useEffect, useRef, useState } from 'react'

/** Lets an item of the tray be dragged to the place of another; answers how it looks meanwhile. */
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
    return combine(
      draggable({
        element: item,
        getInitialData: () => ({ medium: id }),
        onDragStart: () => setState('dragged'),
        onDrop: () => setState('still'),
      }),
      dropTargetForElements({
        element: item,
        canDrop: ({ source }) => typeof source.data['medium'] === 'string' && source.data['medium'] !== id,
        onDragEnter: () => setState('over'),
        onDragLeave: () => setState('still'),
        onDrop: ({ source }) => {
          setState('still')
          place.current(String(source.data['medium']))
        },
      }),
    )
  }, [element, id, movable])
  return state
}
