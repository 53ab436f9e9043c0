import { clsx } from 'clsx'
import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'

interface Props {
  label: string
  value: string
  onChange: (text: string) => void
  /** Accepts a whole sentence and takes all available width. */
  wide?: boolean
}

/** A search field. Calls `onChange` when typing pauses. */
export function SearchField({ label, value, onChange, wide }: Props) {
  const [typed, setTyped] = useState(value)
  const [seen, setSeen] = useState(value)
  const [asked, setAsked] = useState<string | null>(null)
  if (value !== seen) {
    setSeen(value)
    // Adopt a value set elsewhere. Ignore the echo of our own request, because the person may have typed more since.
    if (value !== asked) setTyped(value)
    setAsked(null)
  }
  const ask = useEffectEvent((text: string) => {
    setAsked(text)
    onChange(text)
  })
  useEffect(() => {
    if (typed.trim() === value) return
    const timer = setTimeout(ask, 300, typed.trim())
    return () => clearTimeout(timer)
  }, [typed, value])
  return (
    <search className={clsx('relative min-w-48 grow', !wide && 'sm:max-w-64')}>
      <Search className="pointer-events-none absolute inset-y-0 start-2.5 my-auto size-4 text-muted" aria-hidden />
      <input
        type="search"
        className="input ps-8"
        dir="auto"
        maxLength={wide ? 4000 : 200}
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </search>
  )
}
