import { clsx } from 'clsx'
import { useState } from 'react'

interface AvatarProps {
  name: string
  url?: string | null
  className?: string
  square?: boolean
}

/** A picture, or initials. Hidden from screen readers, because the name is always next to it. */
export function Avatar({ name, url, className, square }: AvatarProps) {
  const [broken, setBroken] = useState<string | null>(null)
  const letters = name
    .split(/\s+/)
    .slice(0, 2)
    // Initials skip the Arabic article, which is written as part of the word.
    .map((word) => Array.from(word.replace(/^ال(?=..)/u, ''))[0] ?? '')
    .join('')
    .toUpperCase()
  const shape = clsx(
    'inline-grid shrink-0 place-items-center overflow-hidden bg-accent-soft text-2xs font-semibold text-accent-strong',
    square ? 'rounded-md' : 'rounded-full',
    className ?? 'size-7',
  )
  return (
    <span aria-hidden className={shape}>
      {url && broken !== url ? (
        <img src={url} alt="" className="size-full object-cover" onError={() => setBroken(url)} />
      ) : (
        letters || '?'
      )}
    </span>
  )
}
