import { useEffect, useRef } from 'react'
import { readStored, writeStored } from './storage.ts'

const KEY = 'parley.shortcuts'

/** Whether single-key shortcuts are enabled. On by default; stored in this browser. */
export const shortcutsOn = () => readStored(KEY) !== 'off'

export const turnShortcuts = (on: boolean) => writeStored(KEY, on ? null : 'off')

const TAKES_KEYS = 'input, textarea, select, [contenteditable], [role=menu], [role=dialog], [role=tablist]'

/** An open dialog. A popover dialog stays in the document after it closes. */
const OPEN_DIALOG = '[role=dialog]:not([popover]), [role=dialog]:popover-open'
export const isDialogOpen = () => document.querySelector(OPEN_DIALOG) !== null

/** Whether a key press belongs to the focused element or to a dialog. */
export const isTyping = (event: KeyboardEvent) =>
  (event.target instanceof Element && event.target.closest(TAKES_KEYS) !== null) || isDialogOpen()

/** The shortcuts of mounted components. The most recent wins. */
const layers: { readonly current: Record<string, () => void> }[] = []

/** The first key of a two-key sequence such as `g c`, and how long, in milliseconds, the second key may take. */
const LEADER = 'g'
const PATIENCE = 1500
let ledAt = Number.NEGATIVE_INFINITY

/** The Latin letter of a key, also on keyboards with another script. */
export const letterOf = ({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>) =>
  key.length === 1 && key > '\x7f' && code.startsWith('Key') ? code.slice(3).toLowerCase() : key

function press(event: KeyboardEvent) {
  // Most keyboards need Shift for a question mark. With a letter, Shift makes a different shortcut.
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
 * Registers shortcuts by `event.key`; `g c` is C after G, `shift a` is both keys at once. They are inactive while the
 * person types and when shortcuts are turned off.
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

/** The tooltip of an action, followed by its key unless shortcuts are turned off. */
export const withKey = (act: string, key: string) => (shortcutsOn() ? `${act} (${key})` : act)
