import { useSyncExternalStore } from 'react'

const phone = matchMedia('(pointer: coarse) and (width < 40rem)')

const listen = (listener: () => void) => {
  phone.addEventListener('change', listener)
  return () => phone.removeEventListener('change', listener)
}

/** Whether this is a phone under a finger, where the system's own pickers are the best ones. */
export const usePhone = () => useSyncExternalStore(listen, () => phone.matches)
