import type { ReactNode } from 'react'

interface Props {
  title: string
  note?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A section of the page: title, link and content. */
export const Section = ({ title, note, action, children }: Props) => (
  <section className="mb-6" aria-label={title}>
    <div className="mb-1 flex min-h-7 items-center gap-2 max-sm:min-h-11">
      <h3 className="text-13 font-semibold">{title}</h3>
      {note && <span className="text-xs text-faint">{note}</span>}
      {action && (
        <span className="ms-auto inline-flex font-medium text-muted underline-offset-3 *:inline-flex *:min-h-6 *:items-center hover:text-fg hover:underline max-sm:*:min-h-11 max-sm:*:min-w-11 max-sm:*:justify-end">
          {action}
        </span>
      )}
    </div>
    {children}
  </section>
)
