import { QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Intl } from './i18n.tsx'
import { watchParts } from './parts.ts'
import { makeQueryClient } from './queries.ts'
import { routeTree } from './routeTree.gen.ts'
import { session } from './session.ts'
import { forgetUnsent } from './storage.ts'
import './style.css'
import './theme.ts'
import { ErrorView, NotFound } from './ui/states.tsx'
import { Toaster } from './ui/toaster.tsx'

watchParts()

const client = makeQueryClient()

const router = createRouter({
  routeTree,
  basepath: '/app',
  context: { client },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  // Skeletons match the layout of the content, so there is no flash to avoid by holding them.
  defaultPendingMinMs: 0,
  defaultNotFoundComponent: () => <NotFound />,
  defaultErrorComponent: ({ error, reset }) => <ErrorView whole error={error} retry={reset} />,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

const WHY = { lost: true, ended: 'elsewhere', disabled: 'disabled' } as const

// Signing out, here or in another tab, clears the screen and the cached data.
session.listen((event, user) => {
  if (event === 'changed') {
    if (user) client.setQueryData(['me'], user)
    return
  }
  const { pathname, href } = router.state.location
  // These pages belong to the link that opened them, and a visitor may be writing there.
  if (/^\/(reset|review|reports|undo)\//.test(pathname)) return
  if (event === 'left') forgetUnsent()
  if (/^\/(login|register|forgot)$/.test(pathname)) return
  if (pathname.startsWith('/invite/')) {
    client.clear()
    void router.invalidate()
    return
  }
  void router
    .navigate({
      to: '/login',
      search: event === 'left' ? {} : { to: href, ended: WHY[event] },
      replace: true,
      ignoreBlocker: true,
    })
    .then(() => client.clear())
})

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Intl>
        <RouterProvider router={router} />
        <Toaster />
      </Intl>
    </QueryClientProvider>
  </StrictMode>,
)
