import { type ComponentProps, type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

export interface Placing {
  align?: 'start' | 'end'
  side?: 'top' | 'bottom'
  /** At least as wide as its trigger. */
  wide?: boolean
}

const GAP = 6
const EDGE = 8
/** The minimum height of a scrolling popup, in pixels. */
const LEAST = 120

/** Places a popup next to its trigger, on the side with more room, and always inside the window. */
function place(popup: HTMLElement, trigger: HTMLElement, { align = 'start', side = 'bottom', wide }: Placing) {
  const at = trigger.getBoundingClientRect()
  const scrolled = popup.scrollTop
  popup.style.maxHeight = ''
  if (wide) popup.style.minWidth = `${at.width}px`
  // The browser pins a popover to all four edges of the window. When two edges conflict, the one at the start of the
  // page's direction wins, so right to left, `left` takes effect only without `right`.
  popup.style.inset = '0 auto auto 0'
  const { offsetWidth: width, offsetHeight: wanted } = popup
  const below = innerHeight - at.bottom - GAP - EDGE
  const above = at.top - GAP - EDGE
  const down = side === 'bottom' ? below >= wanted || below >= above : above < wanted && below > above
  // Covers the trigger if neither side has enough room.
  const height = Math.min(wanted, Math.max(down ? below : above, LEAST), innerHeight - 2 * EDGE)
  const top = down ? at.bottom + GAP : at.top - GAP - height
  const atLeft = (align === 'start') === (document.documentElement.dir !== 'rtl')
  const left = atLeft ? at.left : at.right - width
  popup.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`
  popup.style.top = `${Math.max(EDGE, Math.min(top, innerHeight - height - EDGE))}px`
  popup.style.maxHeight = `${height}px`
  popup.scrollTop = scrolled
}

/**
 * A popup next to a button, in the browser's top layer. Escape and a click elsewhere close it, and the focus returns to
 * the button.
 */
export function usePopup<Trigger extends HTMLElement = HTMLButtonElement>(placing: Placing = {}) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const trigger = useRef<Trigger>(null)
  const popup = useRef<HTMLDivElement>(null)
  const { align, side, wide } = placing

  const show = useCallback(() => {
    flushSync(() => setOpen(true))
    if (!popup.current || !trigger.current) return
    popup.current.showPopover()
    place(popup.current, trigger.current, { align, side, wide })
  }, [align, side, wide])

  const hide = useCallback((refocus = true) => {
    if (popup.current?.matches(':popover-open')) popup.current.hidePopover()
    if (refocus) trigger.current?.focus()
  }, [])

  useEffect(() => {
    if (!open) return
    const again = () => {
      if (popup.current && trigger.current) place(popup.current, trigger.current, { align, side, wide })
    }
    const scrolled = (event: Event) => {
      if (!(event.target instanceof Node && popup.current?.contains(event.target))) again()
    }
    // Handle Escape before a surrounding dialog does, so that the dialog stays open.
    const escape = (event: globalThis.KeyboardEvent) => {
      const holder = document.activeElement
      const ours = holder === trigger.current || popup.current?.contains(holder)
      // The close event arrives late: after closing, the next Escape no longer belongs to this popup.
      const shown = popup.current?.matches(':popover-open') && !popup.current.querySelector(':popover-open')
      if (event.key !== 'Escape' || !ours || !shown) return
      event.preventDefault()
      event.stopPropagation()
      hide()
    }
    addEventListener('resize', again)
    addEventListener('scroll', scrolled, true)
    addEventListener('keydown', escape, true)
    // Content that loads later changes the height.
    const content = new MutationObserver(again)
    if (popup.current) content.observe(popup.current, { childList: true, subtree: true, characterData: true })
    return () => {
      content.disconnect()
      removeEventListener('resize', again)
      removeEventListener('scroll', scrolled, true)
      removeEventListener('keydown', escape, true)
    }
  }, [open, align, side, wide, hide])

  // Pressing the trigger already dismisses the popup before the click arrives. The click must not open it again.
  const wasOpen = useRef(false)
  const triggerProps = {
    ref: trigger,
    'aria-expanded': open,
    'aria-controls': open ? id : undefined,
    onPointerDown: () => {
      wasOpen.current = open
    },
    onClick: () => {
      if (wasOpen.current || open) hide()
      else show()
      wasOpen.current = false
    },
  }
  const popupProps: ComponentProps<'div'> = {
    ref: popup,
    id,
    popover: 'auto',
    onToggle: (event) => {
      if (event.newState === 'closed') setOpen(false)
    },
  }
  return { open, show, hide, triggerProps, popupProps, popup }
}

/** Arrow keys, Home, End and first letters move between menu items. */
export function moveInMenu(event: KeyboardEvent<HTMLElement>) {
  // Items that a narrow window hides cannot take the focus.
  const items = Array.from(
    event.currentTarget.querySelectorAll<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])'),
  ).filter((item) => item.checkVisibility())
  const now = items.indexOf(document.activeElement as HTMLElement)
  const to = (index: number) => {
    event.preventDefault()
    items[(index + items.length) % items.length]?.focus()
  }
  if (event.key === 'ArrowDown') to(now + 1)
  else if (event.key === 'ArrowUp') to(now < 0 ? -1 : now - 1)
  else if (event.key === 'Home') to(0)
  else if (event.key === 'End') to(-1)
  else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== ' ') {
    const letter = event.key.toLowerCase()
    const order = [...items.slice(now + 1), ...items.slice(0, now + 1)]
    order.find((item) => item.textContent?.trim().toLowerCase().startsWith(letter))?.focus()
  }
}
