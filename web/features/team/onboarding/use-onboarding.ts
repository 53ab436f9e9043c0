import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Language, Profile } from '../../../../src/team/identity/api.ts'
import { call, type CallOptions } from '../../../client.ts'
import { browserZone } from '../../../i18n.tsx'
import { useProblemText } from '../../../problem.ts'
import { meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { startConnecting } from '../../channels/accounts/use-connect.ts'

type Answers = NonNullable<CallOptions<'completeOnboarding'>['body']>

/** The answers to the first questions, and their sending. A guest joins the workspace of another person. */
export function useOnboarding(me: Profile) {
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const workspace = me.workspaces.find(({ id }) => id === me.defaultWorkspaceId)
  const leads = workspace?.role === 'OWNER'
  const guest = workspace !== undefined && !leads ? workspace : null
  const nameless = me.name === ''
  const [value, setValue] = useState({
    workspaceName: workspace?.name ?? '',
    niche: '',
    name: me.name,
    timezone: browserZone(),
    language: me.language as Language,
    goals: [] as string[],
  })
  /** The network to connect right after the answers are sent; null for none. */
  const connecting = useRef<Platform | null>(null)
  const finish = useMutation({
    mutationFn: (body: Answers) => call('completeOnboarding', { body }),
    onSuccess: async (answer, body) => {
      client.setQueryData(meQuery.queryKey, answer)
      const answered = Object.keys(body).length > 0
      const network = connecting.current
      if (workspace && network) {
        try {
          return await startConnecting(workspace.id, network, 'compose')
        } catch (error) {
          // The person can retry on the accounts screen.
          toast.error(text(error))
        }
      }
      if (!workspace) await navigate({ to: '/' })
      else
        await navigate({
          to: leads && answered ? '/w/$ws/accounts' : '/w/$ws/today',
          params: { ws: workspace.id },
        })
    },
  })
  const answers = (): Answers => {
    const { workspaceName, niche, name, timezone, language, goals } = value
    const own = { timezone, language, ...(nameless && { name: name.trim() }) }
    if (guest) return own
    const ofWorkspace = { workspaceName: workspaceName.trim(), ...(niche.trim() && { niche: niche.trim() }) }
    return { ...own, goals, ...(leads && ofWorkspace) }
  }
  return {
    leads,
    /** The workspace that the person joins as a guest; null for everyone else. */
    guest,
    nameless,
    value,
    change: (some: Partial<typeof value>) => setValue({ ...value, ...some }),
    /** Sets the network to connect after the answers are sent. */
    connectNext: (platform: Platform | null) => {
      connecting.current = platform
    },
    busy: finish.isPending,
    error: finish.error,
    send: () => finish.mutate(answers()),
    skip: () => finish.mutate({}),
  }
}
