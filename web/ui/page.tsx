import { type ReactNode, useEffect } from 'react'

interface PageProps {
  title: string
  heading?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A screen: its heading with actions, then what it holds. Sets the title of the window. */
export function Page({ title, heading, actions, children }: PageProps) {
  useTitle(title)
  return (
    <div className="flex min-h-0 min-w-0 grow flex-col">
      <header className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-2.5 lg:px-6">
        <h1 className="min-w-0 grow text-base font-semibold tracking-tight break-words">{heading ?? title}</h1>
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
