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

/** The keys of unsent texts. */
const UNSENT = /^parley\.(reply|note|comment|mentions|edit)\./

const forgetting = new Set<() => void>()

/** Calls `forget` when what a person left unsent in this tab must not be kept any longer. */
export const onForget = (forget: () => void) => void forgetting.add(forget)

/** Forgets what a person left unsent in this tab, because another person may sign in next. */
export function forgetUnsent(): void {
  for (const forget of forgetting) forget()
  try {
    for (const key of Object.keys(sessionStorage)) if (UNSENT.test(key)) sessionStorage.removeItem(key)
  } catch {
    // Blocked storage has none.
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
