import { useEffect, useEffectEvent } from 'react'
import { useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../../src/conversations/threads/api.ts'
import { toast } from '../../../../toast.ts'
import { useCustomerName } from '../../inbox/customer-avatar.tsx'
import { addToReply } from '../../inbox/unsent-reply.ts'
import { keepEdit, unsentEdit } from './unsent-edit.ts'

/** Moves the edited text of a draft that is gone into the reply, below what is written there. */
export function useMovedEdit(thread: OpenThread, onMoved: () => void) {
  const t = useTranslations('inbox.movedEdit')
  const name = useCustomerName()(thread)
  const move = useEffectEvent(() => {
    const edit = unsentEdit(thread.id)
    if (!edit || thread.drafts.some(({ id }) => id === edit.draftId)) return
    keepEdit(thread.id, null)
    const { messages } = thread
    const since = messages.slice(messages.findIndex(({ id }) => id === edit.messageId) + 1)
    // The draft can be gone because this text was sent, before the request for that is answered.
    if (since.some(({ direction, text }) => direction === 'OUT' && text === edit.text.trim())) return
    addToReply(thread.id, edit, '\n\n')
    toast.info(t(since.some(({ direction }) => direction === 'IN') ? 'wroteAgain' : 'gone', { name }))
    onMoved()
  })
  useEffect(() => move(), [thread.drafts])
}
