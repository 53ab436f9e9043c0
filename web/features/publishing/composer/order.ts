import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'

interface Item {
  element: HTMLElement
  id: string
  show: (state: 'still' | 'dragged' | 'over') => void
  /** Another item was dropped on this one. */
  take: (id: string) => void
}

/** Makes an item of the tray one that can be dragged, and on which others can be dropped; answers how to undo that. */
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
