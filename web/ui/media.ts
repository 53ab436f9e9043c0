import { useSyncExternalStore } from 'react'

/** A hook that tells whether the window is as a media query says. */
export function mediaHook(query: string): () => boolean {
  const media = matchMedia(query)
  const listen = (listener: () => void) => {
    media.addEventListener('change', listener)
    return () => media.removeEventListener('change', listener)
  }
  return () => useSyncExternalStore(listen, () => media.matches)
}

/** Whether this is a phone under a finger, where the system's own pickers are the best ones. */
export const usePhone = mediaHook('(pointer: coarse) and (width < 40rem)')
