import { clsx } from 'clsx'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'

interface Props {
  icon: ReactNode
  title: string
  /** The missing choices, shown first and in red. */
  missing?: string | null | undefined
  /** The current choices, visible while collapsed. */
  summary?: ReactNode
  open: boolean
  onOpen: (open: boolean) => void
  children: ReactNode
}

/** A section of the form that collapses to a one-line summary. */
export function Fold({ icon, title, missing, summary, open, onOpen, children }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={clsx('border-t', !open && 'last:[&_button]:rounded-b-[13px]')}>
      <h2>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => onOpen(!open)}
          className="flex min-h-12 w-full items-center gap-2 px-4 py-1.5 text-start text-13 hover:bg-hover focus-visible:-outline-offset-2"
        >
          {icon}
          <span className="flex min-w-0 grow items-baseline gap-x-3 max-md:flex-col">
            <span id={id} className="shrink-0 font-medium">
              {title}
            </span>
            {!open && (
              <span className="max-w-full min-w-0 clip text-xs text-muted">
                {missing && <span className="text-bad">{missing}</span>}
                {missing && summary && ' · '}
                {summary}
              </span>
            )}
          </span>
          <ChevronRight
            className={clsx('size-4 shrink-0 text-muted transition-transform', open ? 'rotate-90' : 'rtl:rotate-180')}
            aria-hidden
          />
        </button>
      </h2>
      {open && <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-1 pb-4">{children}</div>}
    </section>
  )
}
