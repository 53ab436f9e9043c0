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
  removeStored(UNSENT, 'sessionStorage')
}

/** The keys of unsaved posts and of uploads to resume. */
const UNSAVED = /^(parley\.draft\.|upload:)/

/** The id of the person of the last session, in this browser and in this tab. */
const PERSON = 'parley.person'

/** Forgets what another person left in this browser and in this tab. The same person finds it again. */
export function forgetOthers(person: string): void {
  const isOthers = (kind: Kind) => {
    const last = readStored(PERSON, kind)
    writeStored(PERSON, person, kind)
    return Boolean(last) && last !== person
  }
  const inBrowser = isOthers('localStorage')
  const inTab = isOthers('sessionStorage')
  if (inBrowser) removeStored(UNSAVED, 'localStorage')
  if (inBrowser || inTab) forgetUnsent()
}

function removeStored(keys: RegExp, kind: Kind) {
  try {
    for (const key of Object.keys(window[kind])) if (keys.test(key)) window[kind].removeItem(key)
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
