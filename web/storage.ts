type Kind = 'localStorage' | 'sessionStorage'

// Storage may be blocked or full, and then throws.

/** Returns the stored value; null if there is none, and undefined if storage is blocked. */
export function readStored(key: string, kind: Kind = 'localStorage'): string | null | undefined {
  try {
    return window[kind].getItem(key)
  } catch {
    return undefined
  }
}

/** Stores a value, or removes it if it is null. Returns false if storage is blocked or full. */
export function writeStored(key: string, value: string | null, kind: Kind = 'localStorage'): boolean {
  try {
    if (value === null) window[kind].removeItem(key)
    else window[kind].setItem(key, value)
    return true
  } catch {
    return false
  }
}
