import type { ExternalToast } from 'sonner'

type Kind = 'message' | 'success' | 'error' | 'info' | 'dismiss'
type Wanted = [kind: Kind, text: string, options?: ExternalToast]

// Toasts are loaded with the first message, so that no screen waits for them.
let show: ((...wanted: Wanted) => void) | null = null
const waiting: Wanted[] = []
const listeners = new Set<() => void>()
let asked = false

function say(...wanted: Wanted) {
  if (show) {
    show(...wanted)
    return
  }
  waiting.push(wanted)
  asked = true
  for (const listener of listeners) listener()
}

export const toast = {
  message: (text: string, options?: ExternalToast) => say('message', text, options),
  success: (text: string, options?: ExternalToast) => say('success', text, options),
  error: (text: string, options?: ExternalToast) => say('error', text, options),
  info: (text: string, options?: ExternalToast) => say('info', text, options),
  dismiss: (id: string) => say('dismiss', id),
}

export const toastsAsked = {
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  get: () => asked,
}

/** The toast region calls this once it is mounted. */
export function toastsReady(shower: (...wanted: Wanted) => void) {
  show = shower
  for (const wanted of waiting.splice(0)) shower(...wanted)
}
