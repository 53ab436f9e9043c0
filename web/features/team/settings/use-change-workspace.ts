import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Workspace } from '../../../../src/team/workspaces/api.ts'
import { call, type CallOptions, isProblem } from '../../../client.ts'
import { workspaceQuery } from '../../../queries.ts'
import { saveOver } from '../../../save-over.ts'

export type WorkspaceBody = NonNullable<CallOptions<'updateWorkspace'>['body']>

/** Whether two values agree, at any depth, in every setting that `set` contains. */
function agree(set: unknown, a: unknown, b: unknown): boolean {
  if (typeof set !== 'object' || set === null) return a === b
  return Object.entries(set).every(([key, value]) =>
    agree(value, (a as Record<string, unknown> | null)?.[key], (b as Record<string, unknown> | null)?.[key]),
  )
}

/**
 * Changes some settings of the workspace. Another person's change causes a refusal only if it concerns the same
 * settings. The screen may not have received other changes yet, so those lead to a retry. `onStale` gets the latest
 * settings after a refusal.
 */
export function useChangeWorkspace(
  workspace: Workspace,
  onSuccess: (answer: Workspace) => void,
  onStale?: (latest: Workspace) => void,
) {
  const client = useQueryClient()
  const query = workspaceQuery(workspace.id)
  return useMutation({
    mutationFn: (body: WorkspaceBody) =>
      saveOver(
        workspace,
        body,
        (ifMatch) => call('updateWorkspace', { workspace: workspace.id, params: { id: workspace.id }, body, ifMatch }),
        () => client.fetchQuery({ ...query, staleTime: 0 }),
        (before, now) => agree(body, before, now),
      ),
    onError: (error) => {
      const latest = client.getQueryData<Workspace>(query.queryKey)
      if (latest && isProblem(error, 'stale_version')) onStale?.(latest)
    },
    onSuccess: (answer) => {
      client.setQueryData(query.queryKey, answer)
      onSuccess(answer)
    },
  })
}
