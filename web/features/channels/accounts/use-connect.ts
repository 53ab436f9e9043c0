import { useMutation } from '@tanstack/react-query'
import type { Platform } from '../../../../src/networks/api.ts'
import { call } from '../../../client.ts'
import { usePlace } from '../../shell/workspace.tsx'

/**
 * Goes to the consent page of a network, which returns to the workspace's accounts. With `next`, the accounts lead on to
 * a new post if something was connected.
 */
export async function startConnecting(ws: string, platform: Platform, next?: 'compose') {
  const answer = await call('startConnection', {
    workspace: ws,
    params: { network: platform },
    query: { redirect: `/app/w/${ws}/accounts${next ? `?next=${next}` : ''}`, workspaceId: ws },
  })
  if (!answer) throw new Error('The service named no consent page')
  location.assign(answer.authorizationUrl)
}

export function useConnect() {
  const { ws } = usePlace()
  return useMutation({ mutationFn: (platform: Platform) => startConnecting(ws, platform) })
}
