import { useSyncExternalStore } from 'react'

/** Creates a hook that returns whether the window matches a media query. */
export function mediaHook(query: string): () => boolean {
  const media = matchMedia(query)
  const listen = (listener: () => void) => {
    media.addEventListener('change', listener)
    return () => media.removeEventListener('change', listener)
  }
  return () => useSyncExternalStore(listen, () => media.matches)
}

/** Whether this is a touch phone, where the system's own pickers work best. */
export const usePhone = mediaHook('(pointer: coarse) and (width < 40rem)')
