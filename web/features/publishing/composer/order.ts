import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'

interface Item {
  element: HTMLElement
  id: string
  show: (state: 'still' | 'dragged' | 'over') => void
  /** Called when another item is dropped on this one. */
  take: (id: string) => void
}

/** Makes a tray item draggable and a drop target for others. Returns a cleanup function. */
export const orderable = ({ element, id, show, take }: Item) =>
  combine(
    draggable({
      element,
      getInitialData: () => ({ medium: id }),
      onDragStart: () => show('dragged'),
      onDrop: () => show('still'),
    }),
    dropTargetForElements({
      element,
      canDrop: ({ source }) => typeof source.data['medium'] === 'string' && source.data['medium'] !== id,
      onDragEnter: () => show('over'),
      onDragLeave: () => show('still'),
      onDrop: ({ source }) => {
        show('still')
        take(String(source.data['medium']))
      },
    }),
  )
