import { useState } from 'react'
import { readStored, writeStored } from '../../../storage.ts'

const KEY = 'parley.unscheduled'

/** Whether the unscheduled drafts are shown next to the calendar, stored in this browser. */
export function useFold() {
  const [open, setOpen] = useState(() => (readStored(KEY) ?? String(innerWidth >= 1280)) === 'true')
  const toggle = () => {
    writeStored(KEY, String(!open))
    setOpen(!open)
  }
  return { open, toggle }
}
