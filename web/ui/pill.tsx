import { clsx } from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface Props {
  icon: LucideIcon
  /** Classes for the text and background colours. */
  look: string
  /** Spins the icon, for work in progress. */
  spins?: boolean
  children: ReactNode
}

/** A state as icon, text and colour. */
export function Pill({ icon: Icon, look, spins, children }: Props) {
  return (
    <span
      className={clsx(
        'inline-flex h-5.5 shrink-0 items-center gap-1 rounded-full px-2 text-xs font-medium whitespace-nowrap',
        look,
      )}
    >
      <Icon className={clsx('size-3.5', spins && 'motion-safe:animate-spin')} aria-hidden />
      {children}
    </span>
  )
}
