import type { Language } from '../src/team/identity/api.ts'
import { LANGUAGES } from './languages.ts'
import { readStored, writeStored } from './storage.ts'

// The language of the screens: the signed-in person's, otherwise the one that this browser chose or prefers.

const KEY = 'parley.language'
const isKnown = (tag: string | null | undefined): tag is Language =>
  tag !== null && tag !== undefined && tag in LANGUAGES
const listeners = new Set<() => void>()

let current: Language = chosen() ?? preferred()

function chosen(): Language | undefined {
  const kept = readStored(KEY)
  return isKnown(kept) ? kept : undefined
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
    writeStored(KEY, next)
    for (const listener of listeners) listener()
  },

  listen(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
