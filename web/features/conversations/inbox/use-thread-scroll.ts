import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { Message } from '../../../../src/conversations/threads/api.ts'

/** The distance from the end, in pixels, within which a reader follows the thread. */
const NEAR = 80

/**
 * Scrolls a thread. It opens at its end, follows new messages while the reader is there, and goes to the reader's own.
 * What the reader sees stays in place when earlier messages are inserted above. `missed` counts the customer's messages
 * that arrived below it.
 */
export function useThreadScroll(messages: Message[], me: string | undefined) {
  const scroller = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  /** The distance from the end, which messages that are inserted above do not change. */
  const toEnd = useRef(0)
  const first = messages[0]?.id
  const newest = messages.at(-1)
  /** The time of the newest message when the reader was last at the end. */
  const [seenUntil, setSeenUntil] = useState(newest?.at ?? '')
  const seeAll = () => {
    if (follows.current && newest) setSeenUntil(newest.at)
  }
  const follow = () => {
    const element = scroller.current
    if (!element) return
    if (follows.current) element.scrollTop = element.scrollHeight
    toEnd.current = element.scrollHeight - element.scrollTop
  }
  const resized = useEffectEvent(follow)
  const scrolled = useEffectEvent((element: HTMLElement) => {
    toEnd.current = element.scrollHeight - element.scrollTop
    follows.current = toEnd.current - element.clientHeight < NEAR
    seeAll()
  })
  useEffect(() => {
    const element = scroller.current
    if (!element) return undefined
    const look = () => scrolled(element)
    element.addEventListener('scroll', look, { passive: true })
    // Content that loads later, such as a picture, changes the height.
    const content = new ResizeObserver(() => resized())
    content.observe(element)
    if (element.firstElementChild) content.observe(element.firstElementChild)
    return () => {
      element.removeEventListener('scroll', look)
      content.disconnect()
    }
  }, [])
  const last = useRef(newest?.id)
  const inserted = useEffectEvent(() => {
    const element = scroller.current
    // A new message can push the first one out.
    if (!element || follows.current || last.current !== newest?.id) return
    element.scrollTop = element.scrollHeight - toEnd.current
  })
  useLayoutEffect(() => inserted(), [first])
  const arrived = useEffectEvent(() => {
    last.current = newest?.id
    if (newest?.direction === 'OUT' && newest.author?.id === me) follows.current = true
    follow()
    seeAll()
  })
  useEffect(() => arrived(), [newest?.id])
  return {
    scroller,
    missed: messages.filter(({ direction, at }) => direction === 'IN' && at > seenUntil).length,
    scrollToEnd: () => {
      follows.current = true
      follow()
      seeAll()
      scroller.current?.focus({ preventScroll: true })
    },
  }
}
