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

/** Whether a key that is pressed belongs to what has the focus. */
export const isTyping = (event: KeyboardEvent) =>
  (event.target instanceof Element && event.target.closest(TAKES_KEYS) !== null) ||
  document.querySelector('[role=dialog]') !== null

/** Single keys of a screen, as `event.key` names them. They rest while somebody types, and when they are turned off. */
export function useShortcuts(keys: Record<string, () => void>) {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // On most keyboards a question mark needs Shift; of letters Shift makes other keys.
      const shifted = event.shiftKey && event.key !== '?'
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || shifted) return
      const act = latest.current[event.key]
      if (!act || isTyping(event) || !shortcutsOn()) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/** A tooltip that names the key of an act beside the act; only the act while single keys are turned off. */
export const withKey = (act: string, key: string) => (shortcutsOn() ? `${act} (${key})` : act)
