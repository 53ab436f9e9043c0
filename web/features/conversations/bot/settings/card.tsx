import { type ReactNode, useId } from 'react'

interface Props {
  /** The anchor for links from the summary sentence. */
  id: string
  number: number
  title: string
  end?: ReactNode
  children: ReactNode
}

/** One numbered question about the bot. */
export function Card({ id, number, title, end, children }: Props) {
  const heading = useId()
  return (
    <section id={id} aria-labelledby={heading} className="card scroll-mt-16 px-4 pb-4">
      <header className="flex min-h-12 flex-wrap items-center gap-x-2 gap-y-1 py-2">
        <span
          aria-hidden
          className="grid size-5 shrink-0 place-items-center rounded-full bg-sunken text-xs font-semibold text-muted tabular-nums"
        >
          {number}
        </span>
        <h2 id={heading} className="min-w-0 grow text-13 font-semibold">
          {title}
        </h2>
        {end}
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">{children}</div>
    </section>
  )
}
