import { useMutation, useQueryClient } from '@tanstack/react-query'
import { UserX } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { call } from '../../../client.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { renewThread } from './cache.ts'
import { useCustomerName } from './customer-avatar.tsx'
import { useInboxProblem } from './problem.ts'

/** Erases a thread's customer permanently, after a confirmation, for people with permission. */
export function EraseCustomer({ thread, customer }: { thread: Thread; customer: NonNullable<Thread['customer']> }) {
  const t = useTranslations('inbox.erase')
  const problem = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('eraseCustomer')
  const name = useCustomerName()(thread)
  const [asking, setAsking] = useState(false)
  const erase = useMutation({
    mutationFn: () => call('eraseCustomer', { workspace: ws, params: { id: customer.id } }),
    onSuccess: () => toast.success(t('begun')),
    onError: (error) => toast.error(problem(error)),
    onSettled: () => {
      setAsking(false)
      return renewThread(client, ws, thread.id)
    },
  })
  if (may.hidden || customer.erased) return null
  return (
    <div className="border-t pt-3">
      <Button variant="ghost" size="sm" reason={may.reason} className="-ms-2 text-bad" onClick={() => setAsking(true)}>
        <UserX className="size-3.5" aria-hidden />
        {t('title')}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('ask', { name })}
        description={t('body')}
        action={t('title')}
        danger
        busy={erase.isPending}
        onConfirm={() => erase.mutate()}
      />
    </div>
  )
}
