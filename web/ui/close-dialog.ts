import { createContext } from 'react'

/** Closes the dialog around, after a question if it is `guarded` and a field has changed. */
export const CloseDialog = createContext<() => void>(() => undefined)
