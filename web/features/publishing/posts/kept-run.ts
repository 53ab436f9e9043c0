import { useQuery, useQueryClient } from '@tanstack/react-query'
import { usePlace } from '../../shell/workspace.tsx'

/**
 * The current or last run of an action on many items. The cache of queries holds it, so that it outlives its screen: a
 * person who leaves and comes back finds its progress and its refusals, and the next person to sign in does not.
 */
export function useKeptRun<Run extends object>(name: string): [run: Run | null, setRun: (run: Run | null) => void] {
  const { ws } = usePlace()
  const client = useQueryClient()
  const queryKey = [ws, name]
  const { data: run = null } = useQuery<Run | null>({
    queryKey,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  return [run, (next) => void client.setQueryData(queryKey, next)]
}
