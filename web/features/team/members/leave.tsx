import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../../src/team/identity/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { usePlace } from '../../shell/workspace.tsx'

/** Leaves the workspace. For every member but the owner. */
export function Leave({ me }: { me: Profile }) {
  const t = useTranslations('members')
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ws, membership, workspace } = usePlace()
  const [asking, setAsking] = useState(false)
  const { name } = workspace
  const leave = useMutation({
    mutationFn: () => call('removeMember', { workspace: ws, params: { id: ws, userId: me.id } }),
    onSuccess: async () => {
      toast.success(t('left', { name }))
      await client.fetchQuery({ ...meQuery, staleTime: 0 })
      await navigate({ to: '/' })
      client.removeQueries({ queryKey: [ws] })
    },
    onError: (error) => {
      setAsking(false)
      toast.error(text(error))
    },
  })
  return (
    <section className="card flex flex-wrap items-center gap-x-4 gap-y-3 p-5">
      <div className="grid min-w-0 grow basis-48 gap-1">
        <h2 className="text-sm font-semibold">{t('leave')}</h2>
        <p className="text-xs text-muted">{membership.role === 'OWNER' ? t('leaveOwner') : t('leaveLead')}</p>
      </div>
      <Button reason={membership.role === 'OWNER' ? t('leaveOwner') : null} onClick={() => setAsking(true)}>
        {t('leaveAction')}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('leaveTitle', { name })}
        description={t('leaveLead')}
        action={t('leaveAction')}
        danger
        busy={leave.isPending}
        onConfirm={() => leave.mutate()}
      />
    </section>
  )
}
