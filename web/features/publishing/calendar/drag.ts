import {
  autoScrollForElements,
  autoScrollWindowForElements,
} from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element'
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements, monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { CalendarEntry } from './entry.ts'

const entryIn = (data: Record<string | symbol, unknown>) => data['entry'] as CalendarEntry | undefined

/** A ref to the latest value, for event handlers in effects. */
function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}

/** Makes a post draggable. Returns whether it is being dragged. */
export function useDraggable(element: RefObject<HTMLElement | null>, entry: CalendarEntry, movable: boolean): boolean {
  const [dragging, setDragging] = useState(false)
  const latest = useLatest(entry)
  useEffect(() => {
    if (!element.current || !movable) return
    return draggable({
      element: element.current,
      getInitialData: () => ({ entry: latest.current }),
      onDragStart: () => setDragging(true),
      onDrop: () => setDragging(false),
    })
  }, [element, latest, movable])
  return dragging
}

interface Cell {
  /**
   * The new time of a post dropped in the cell, at `down` of its height, from 0 to 1; null if it cannot be dropped
   * here.
   */
  at: (entry: CalendarEntry, down: number) => Date | null
  onDrop: (entry: CalendarEntry, at: Date) => void
}

/** Makes a cell a drop target. Returns the time that the post above it would get. */
export function useDropCell(element: RefObject<HTMLElement | null>, cell: Cell): Date | null {
  const [over, setOver] = useState<number | null>(null)
  const latest = useLatest(cell)
  useEffect(() => {
    const place = element.current
    if (!place) return
    const timeOf = (data: Record<string | symbol, unknown>, y: number) => {
      const entry = entryIn(data)
      const { top, height } = place.getBoundingClientRect()
      return entry ? latest.current.at(entry, Math.max(0, Math.min(0.999, (y - top) / height))) : null
    }
    return dropTargetForElements({
      element: place,
      canDrop: ({ source, input }) => timeOf(source.data, input.clientY) !== null,
      onDrag: ({ source, location }) => setOver(timeOf(source.data, location.current.input.clientY)?.getTime() ?? null),
      onDragLeave: () => setOver(null),
      onDrop: ({ source, location }) => {
        setOver(null)
        const entry = entryIn(source.data)
        const at = timeOf(source.data, location.current.input.clientY)
        if (entry && at) latest.current.onDrop(entry, at)
      },
    })
  }, [element, latest])
  return over === null ? null : new Date(over)
}

/** Scrolls when a post is dragged to an edge, and reports drops on cells that accept none. */
export function useDragArea(scroller: RefObject<HTMLElement | null> | null, onRefused: (cell: HTMLElement) => void) {
  const latest = useLatest(onRefused)
  useEffect(() => {
    const isEntry = ({ source }: { source: { data: Record<string, unknown> } }) => entryIn(source.data) !== undefined
    return combine(
      scroller?.current ? autoScrollForElements({ element: scroller.current, canScroll: isEntry }) : () => {},
      autoScrollWindowForElements({ canScroll: isEntry }),
      monitorForElements({
        canMonitor: isEntry,
        onDrop: ({ location }) => {
          const { clientX, clientY } = location.current.input
          if (location.current.dropTargets.length > 0) return
          const cell = document.elementsFromPoint(clientX, clientY).find((one) => one.tagName === 'TD')
          if (cell instanceof HTMLElement) latest.current(cell)
        },
      }),
    )
  }, [scroller, latest])
}
