import { useEffect, useRef } from 'react'

const KEY = 'parley.shortcuts'

/** Whether single keys do something; on until somebody turns it off in this browser. */
export function shortcutsOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    // Storage may be forbidden: then they stay on.
    return true
  }
}

export function turnShortcuts(on: boolean) {
  try {
    if (on) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, 'off')
  } catch {
    // It then cannot be kept.
  }
}

const TAKES_KEYS = 'input, textarea, select, [contenteditable], [role=menu], [role=dialog], [role=tablist]'

/** A dialog that is open; one that is a popover stays in the document when it is closed. */
const OPEN_DIALOG = '[role=dialog]:not([popover]), [role=dialog]:popover-open'
export const isDialogOpen = () => document.querySelector(OPEN_DIALOG) !== null

/** Whether a key that is pressed belongs to what has the focus. */
export const isTyping = (event: KeyboardEvent) =>
  (event.target instanceof Element && event.target.closest(TAKES_KEYS) !== null) || isDialogOpen()

/** The keys of what is on the screen, the latest last. */
const layers: { readonly current: Record<string, () => void> }[] = []

/** The first key of two that follow each other, as in `g c`, and how long the second one may take. */
const LEADER = 'g'
const PATIENCE = 1500
let ledAt = Number.NEGATIVE_INFINITY

/** The letter of a key, on keyboards whose letters are not Latin too. */
const letterOf = ({ key, code }: KeyboardEvent) =>
  key.length === 1 && key > '\x7f' && code.startsWith('Key') ? code.slice(3).toLowerCase() : key

function press(event: KeyboardEvent) {
  // On most keyboards a question mark needs Shift; of letters Shift makes other keys.
  const shifted = event.shiftKey && event.key !== '?'
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
  if (isTyping(event) || !shortcutsOn()) return
  const letter = letterOf(event)
  const isSecond = !shifted && event.timeStamp - ledAt < PATIENCE
  ledAt = letter === LEADER && !shifted && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY
  const name = shifted ? `shift ${letter.toLowerCase()}` : isSecond ? `${LEADER} ${letter}` : letter
  const act = layers.findLast((layer) => name in layer.current)?.current[name]
  if (!act) return
  event.preventDefault()
  act()
}

/**
 * Keys of a screen, as `event.key` names them; `g c` is C after G, `shift a` both at once. They rest while somebody types, and when they are turned
 * off.
 */
export function useShortcuts(keys: Record<string, () => void>) {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    if (layers.push(latest) === 1) addEventListener('keydown', press)
    return () => {
      layers.splice(layers.indexOf(latest), 1)
      if (layers.length === 0) removeEventListener('keydown', press)
    }
  }, [])
}

/** A tooltip that names the key of an act beside the act; only the act while single keys are turned off. */
export const withKey = (act: string, key: string) => (shortcutsOn() ? `${act} (${key})` : act)
