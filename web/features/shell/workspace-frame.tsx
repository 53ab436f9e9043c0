import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo } from 'react'
import { keepHome } from '../../home.ts'
import { follow } from '../../live.ts'
import { meQuery, workspaceQuery } from '../../queries.ts'
import { ErrorView, NotFound } from '../../ui/states.tsx'
import { DemoBar } from '../demo/demo-bar.tsx'
import { isVisitor } from '../demo/visitor.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { PausedBar } from './paused-bar.tsx'
import { PageSkeleton } from './shell.tsx'
import { PlaceProvider } from './workspace.tsx'

/** One workspace: who one is in it, its settings, and its stream of hints. */
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
  if (me.data && !membership) return <NotFound />
  if (place)
    return (
      <PlaceProvider value={place}>
        <ConnectionBar />
        <PausedBar />
        {isVisitor(me.data?.email ?? null) && <DemoBar />}
        {children}
      </PlaceProvider>
    )
  if (query.error) return <ErrorView whole error={query.error} retry={() => void query.refetch()} />
  return <PageSkeleton />
}
