import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Message, OpenThread } from '../../../../src/conversations/threads/api.ts'
import { isOpenComment } from '../../../../src/conversations/threads/rules.ts'
import { addToReply, changeReply } from './unsent-reply.ts'

export type AnswerForm = 'reply' | 'note'

/** Which form below a thread is open, and the ways to begin an answer. */
export function useAnswering({ id, customer }: OpenThread) {
  // Where the network reports only a count of comments, there is no customer to answer.
  const forms: readonly AnswerForm[] = customer ? ['reply', 'note'] : ['note']
  const [form, setForm] = useState<AnswerForm>(customer ? 'reply' : 'note')
  const box = useRef<HTMLDivElement>(null)
  const open = (wanted: AnswerForm) => {
    flushSync(() => setForm(wanted))
    box.current?.querySelector<HTMLElement>('textarea')?.focus()
  }
  return {
    forms,
    form,
    box,
    /** Opens a form and focuses its field. */
    open,
    /** Shows the reply, to which text was moved. It takes the focus only if nothing else has it. */
    show: () => {
      const { activeElement } = document
      if (activeElement === document.body) queueMicrotask(() => open('reply'))
      else if (!box.current?.contains(activeElement)) setForm('reply')
    },
    /** Answers a comment that is not the newest. */
    answer: (comment: Message) => {
      changeReply(id, { parentId: comment.id })
      open('reply')
    },
    /** Reuses the text of a failed answer, below the text that is there. */
    again: (failed: Message, messages: Message[]) => {
      const comments = messages.filter(isOpenComment)
      const parent = comments.find((one) => one.id === failed.parentId)
      addToReply(id, { text: failed.text ?? '', privately: failed.kind === 'PRIVATE_REPLY' })
      changeReply(id, { parentId: parent && parent !== comments.at(-1) ? parent.id : null })
      open('reply')
    },
  }
}
