import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { usePlace } from '../../shell/workspace.tsx'

export type BulkKind = 'move' | 'cancel' | 'retry' | 'remove'

export interface BulkRefusal {
  post: Post
  why: string
}

export interface BulkRun {
  kind: BulkKind | 'label' | 'undo'
  done: number
  total: number
  running: boolean
  refused: BulkRefusal[]
  /** The ids of the posts that stay selected once it has finished. */
  stay: string[]
}

/**
 * The current or last action on many posts. The cache of queries holds it, so that it outlives the list: a person who
 * leaves and comes back finds its progress and its refusals, and the next person to sign in does not.
 */
export function useBulkRun(): [run: BulkRun | null, setRun: (run: BulkRun | null) => void] {
  const { ws } = usePlace()
  const client = useQueryClient()
  const queryKey = [ws, 'bulk-run']
  const { data: run = null } = useQuery<BulkRun | null>({
    queryKey,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  return [run, (next) => void client.setQueryData(queryKey, next)]
}
