import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { refusalTexts } from '../i18n.tsx'

export const Route = createRootRouteWithContext<{ client: QueryClient }>()({ component: Root })

function Root() {
  const isLoaded = useRouterState({ select: (state) => state.resolvedLocation !== undefined })
  useEffect(() => {
    if (!isLoaded) return undefined
    // Not with the first screen: only an act of the person is refused. If they do not load, refusals are in English until
    // a screen loads them.
    const timer = setTimeout(() => void refusalTexts().catch(() => undefined), 1_000)
    return () => clearTimeout(timer)
  }, [isLoaded])
  return <Outlet />
}
