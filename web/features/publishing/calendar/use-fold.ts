import { useState } from 'react'

const KEY = 'parley.unscheduled'

/** Whether the drafts without a time are beside the calendar, as it was left in this browser. */
export function useFold() {
  const [open, setOpen] = useState(() => (localStorage.getItem(KEY) ?? String(innerWidth >= 1280)) === 'true')
  const toggle = () => {
    localStorage.setItem(KEY, String(!open))
    setOpen(!open)
  }
  return { open, toggle }
}
