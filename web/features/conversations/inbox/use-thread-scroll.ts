import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import type { Message } from '../../../../src/conversations/threads/api.ts'

/** The distance from the end, in pixels, within which a reader follows the thread. */
const NEAR = 80

/**
 * Scrolls a thread. It opens at its end, and follows new messages while the reader is there. What the reader sees stays
 * in place when earlier messages are inserted above.
 */
export function useThreadScroll(messages: Message[]) {
  const scroller = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  /** The distance from the end, which messages that are inserted above do not change. */
  const toEnd = useRef(0)
  const [first, newest] = [messages[0]?.id, messages.at(-1)?.id]
  const follow = () => {
    const element = scroller.current
    if (!element) return
    if (follows.current) element.scrollTop = element.scrollHeight
    toEnd.current = element.scrollHeight - element.scrollTop
  }
  const resized = useEffectEvent(follow)
  useEffect(() => {
    const element = scroller.current
    if (!element) return undefined
    const look = () => {
      toEnd.current = element.scrollHeight - element.scrollTop
      follows.current = toEnd.current - element.clientHeight < NEAR
    }
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
  useLayoutEffect(() => {
    const element = scroller.current
    if (element && !follows.current) element.scrollTop = element.scrollHeight - toEnd.current
  }, [first])
  const arrived = useEffectEvent(follow)
  useEffect(() => arrived(), [newest])
  return scroller
}
