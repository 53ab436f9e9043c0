import type { Language } from '../src/team/identity/api.ts'
import { LANGUAGES } from './languages.ts'

// The language of the screens: that of the person once they are signed in, before that what this browser chose or prefers.

const KEY = 'parley.language'
const isKnown = (tag: string | null | undefined): tag is Language =>
  tag !== null && tag !== undefined && tag in LANGUAGES
const listeners = new Set<() => void>()

let current: Language = chosen() ?? preferred()

function chosen(): Language | undefined {
  try {
    const kept = localStorage.getItem(KEY)
    return isKnown(kept) ? kept : undefined
  } catch {
    return undefined // no storage for us here: the browser's languages decide
  }
}

function preferred(): Language {
  const wanted = navigator.languages.map((tag) => tag.split('-')[0]).find(isKnown)
  return wanted ?? 'en'
}

export const language = {
  get: () => current,

  set(next: string) {
    if (!isKnown(next) || next === current) return
    current = next
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // Without storage it holds until the page is left.
    }
    for (const listener of listeners) listener()
  },

  listen(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
