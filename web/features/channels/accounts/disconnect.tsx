import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { accountsQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import { usePlace } from '../../shell/workspace.tsx'

/** Asks before an account is disconnected, and again with the number of its posts if it is in use. */
export function Disconnect({ account: { id, name }, onClose }: { account: SocialAccount; onClose: () => void }) {
  const t = useTranslations('accounts')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  /** How many posts use the account; null until the service has said so. */
  const [inUse, setInUse] = useState<number | null>(null)
  const disconnect = useMutation({
    mutationFn: (confirm: boolean) =>
      call('deleteSocialAccount', { workspace: ws, params: { id }, query: confirm ? { confirm: 'true' } : {} }),
    onSuccess: () => {
      onClose()
      toast.success(t('disconnected', { name }))
      void client.invalidateQueries({ queryKey: accountsQuery(ws).queryKey })
    },
    onError: (error) => {
      if (isProblem(error, 'account_in_use')) return setInUse(Number(error.problem['count'] ?? 0))
      onClose()
      toast.error(text(error))
    },
  })
  return (
    <Confirm
      danger
      open
      onOpenChange={onClose}
      title={t('disconnectTitle', { name })}
      description={inUse === null ? t('disconnectBody') : t('inUse', { count: inUse })}
      action={inUse === null ? t('disconnect') : t('disconnectAnyway')}
      busy={disconnect.isPending}
      onConfirm={() => disconnect.mutate(inUse !== null)}
    />
  )
}
