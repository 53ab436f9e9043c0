import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { keepHome } from '../../home.ts'
import { follow } from '../../live.ts'
import { meQuery, workspaceQuery } from '../../queries.ts'
import { lazy } from '../../ui/part.tsx'
import { ErrorView, NotFound } from '../../ui/states.tsx'
import { ConnectionBar } from './frame.ts'
import { PageSkeleton, UnderBars } from './shell.tsx'
import { PlaceProvider } from './workspace.tsx'

// Only few workspaces need these.
const AccessLost = lazy(() => import('./access-lost.tsx'))
const PausedBar = lazy(() => import('./paused-bar.tsx'))

/** Provides one workspace: the person's membership, its settings, and its stream of hints. */
export function WorkspaceFrame({ ws, children }: { ws: string; children: ReactNode }) {
  const client = useQueryClient()
  const me = useQuery(meQuery)
  const membership = me.data?.workspaces.find((one) => one.id === ws)
  const query = useQuery({ ...workspaceQuery(ws), enabled: Boolean(membership) })
  const member = Boolean(membership)
  useEffect(() => {
    if (!member) return undefined
    keepHome(ws)
    return follow(client, ws)
  }, [client, ws, member])
  const workspace = query.data
  const place = useMemo(
    () => (membership && workspace ? { ws, membership, workspace } : null),
    [ws, membership, workspace],
  )
  const [belonged, setBelonged] = useState<string>()
  if (membership && belonged !== membership.name) setBelonged(membership.name)
  if (me.data && !membership)
    return belonged === undefined ? (
      <NotFound />
    ) : (
      <Suspense>
        <AccessLost name={belonged} />
      </Suspense>
    )
  if (place)
    return (
      <PlaceProvider value={place}>
        <Suspense>
          <ConnectionBar />
        </Suspense>
        <UnderBars bars={place.workspace.publishing.paused && <PausedBar />}>{children}</UnderBars>
      </PlaceProvider>
    )
  if (query.error) return <ErrorView whole error={query.error} retry={() => void query.refetch()} />
  return <PageSkeleton />
}
