import { useState } from 'react'

const KEY = 'parley.unscheduled'

/** Whether the unscheduled drafts are shown next to the calendar, stored in this browser. */
export function useFold() {
  const [open, setOpen] = useState(() => (localStorage.getItem(KEY) ?? String(innerWidth >= 1280)) === 'true')
  const toggle = () => {
    localStorage.setItem(KEY, String(!open))
    setOpen(!open)
  }
  return { open, toggle }
}
