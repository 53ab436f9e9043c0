import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyProps {
  icon: LucideIcon
  title: string
  children?: ReactNode
  actions?: ReactNode
  role?: 'alert' | 'status'
  /** The only content of the screen, so its title is the page heading. */
  whole?: boolean
}

/** The shared frame for everything shown in place of content. */
export function Empty({ icon: Icon, title, children, actions, role, whole }: EmptyProps) {
  const Heading = whole ? 'h1' : 'h2'
  return (
    <div role={role} className="grid justify-items-center gap-3 px-6 py-14 text-center">
      <div className="grid size-11 place-items-center rounded-xl border bg-surface text-muted shadow-card">
        <Icon className="size-5" aria-hidden />
      </div>
      <div className="grid max-w-sm gap-1">
        <Heading className="text-sm font-semibold">{title}</Heading>
        {children && <div className="text-13 text-muted">{children}</div>}
      </div>
      {actions && <div className="mt-1 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}
