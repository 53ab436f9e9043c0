import { type ReactNode, useEffect } from 'react'

interface PageProps {
  title: string
  heading?: ReactNode
  /** A link to the parent screen, before the heading. */
  up?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A screen: its heading with actions, then its content. Sets the window title. */
export function Page({ title, heading, up, actions, children }: PageProps) {
  useTitle(title)
  return (
    <div className="flex min-h-0 min-w-0 grow flex-col">
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 border-b bg-surface px-4 py-2 lg:ps-6 lg:pe-4">
        <div className="flex min-w-0 grow basis-40 items-center gap-1.5">
          {up}
          <h1 className="min-w-0 grow text-15 font-semibold tracking-tight break-words">{heading ?? title}</h1>
        </div>
        {actions && <div className="flex min-w-0 flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Parley`
  }, [title])
}
