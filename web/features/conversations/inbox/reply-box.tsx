import { useQuery } from '@tanstack/react-query'
import { CornerDownLeft, X } from 'lucide-react'
import { type FormEvent, Suspense, useEffect, useId, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Message, OpenThread } from '../../../../src/conversations/threads/api.ts'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { isProblem } from '../../../client.ts'
import { NETWORKS } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { lazy } from '../../../ui/part.tsx'
import { useSuggest } from '../../../ui/suggest.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useCustomerName } from './customer-avatar.tsx'
import { found } from '../replies/find.ts'
import { savedRepliesQuery } from '../replies/queries.ts'
import { useInboxProblem } from './problem.ts'
import { useClosedNote } from './closed-note.tsx'
import { ReplyTools } from './reply-tools.tsx'
import { filledText } from './saved-replies.tsx'
import { useWindow } from './times.ts'
import { changeReply, dropReply, type UnsentReply, useUnsentReply } from './unsent-reply.ts'
import { useReplyLimits } from './use-reply-limits.ts'
import { useRest } from './use-rest.ts'
import type { useSend } from './use-send.ts'
import { WritingArea } from './writing-area.tsx'

const ChosenPicture = lazy(async () => ({ default: (await import('./chosen-picture.tsx')).ChosenPicture }))
const NewerMessage = lazy(async () => ({ default: (await import('./newer-message.tsx')).NewerMessage }))

interface Props {
  thread: OpenThread
  /** All loaded messages. */
  messages: Message[]
  account: SocialAccount | undefined
  send: ReturnType<typeof useSend>
  refused: string | null
  /** Called when the person starts typing, and when they pause or leave. */
  onTyping: (typing: boolean) => void
}

/** Writes to the customer. An unsent reply is kept, with the way in which it will be sent. */
export function ReplyBox({ thread, messages, account, send, refused, onTyping }: Props) {
  const t = useTranslations('inbox')
  const problem = useInboxProblem()
  const { ws } = usePlace()
  const hint = useId()
  const reply = useUnsentReply(thread.id)
  const { text, parentId, privately, picture } = reply
  const change = (next: Partial<UnsentReply>) => changeReply(thread.id, next)
  const answered = messages.find(({ id }) => id === parentId)
  const left = useWindow()(thread)
  const field = useRef<HTMLTextAreaElement>(null)
  const network = NETWORKS[thread.platform].short
  const name = useCustomerName()(thread)
  const write = (next: string) => {
    change({ text: next })
    onTyping(next.trim() !== '')
  }
  useRest(text, () => onTyping(false))
  // The question about a newer message takes the place of the field, and its buttons are gone after it.
  const asked = useRef(false)
  useEffect(() => {
    if (asked.current && !send.newer) field.current?.focus()
    asked.current = send.newer !== null
  }, [send.newer])
  const insert = (piece: string) => {
    const { selectionStart: from, selectionEnd: to } = field.current!
    flushSync(() => write(text.slice(0, from) + piece + text.slice(to)))
    field.current!.focus()
    field.current!.setSelectionRange(from + piece.length, from + piece.length)
  }
  const { data: saved = [] } = useQuery({ ...savedRepliesQuery(ws, thread.id), enabled: !refused })
  const suggest = useSuggest<SavedReply>({
    field,
    signs: '/',
    above: true,
    label: t('saved.title'),
    find: ({ text: sought }) => found(saved, sought).slice(0, MOST_OFFERED),
    textOf: filledText,
    show: ({ name, ...one }) => (
      <>
        <bdi className="max-w-40 shrink-0 clip font-medium">{name}</bdi>
        <bdi className="clip text-xs text-muted">{filledText(one)}</bdi>
      </>
    ),
    replace: (piece, from, to) => write(text.slice(0, from) + piece + text.slice(to)),
  })

  const closed = useClosedNote(thread, account)
  const limits = useReplyLimits(thread, reply)
  const { secretly } = limits
  if (closed) return <div className="px-3 pt-1 pb-3 text-13 text-muted">{closed}</div>

  const submit = () =>
    send.mutate({
      ...(picture ? { attachments: [picture.id] } : { text: text.trim() }),
      ...(secretly && { privately: true }),
      ...(parentId !== null && { parentId }),
    })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!refused && !limits.reason && !send.isPending) submit()
  }
  if (send.newer)
    return (
      <Suspense>
        <NewerMessage
          message={send.newer}
          text={text}
          busy={send.isPending}
          customer={name}
          onSend={submit}
          onBack={send.forget}
          onDrop={() => {
            dropReply(thread.id)
            send.forget()
          }}
        />
      </Suspense>
    )
  return (
    <form onSubmit={onSubmit} aria-label={t('forms.reply')}>
      {parentId !== null && (
        <p className="mx-3 mt-1 flex items-center gap-1.5 rounded-md bg-sunken ps-2 text-xs text-muted">
          <CornerDownLeft className="size-3.5 shrink-0 rtl:-scale-x-100" aria-hidden />
          <span className="sr-only">{t('answers')}</span>
          <span dir="auto" className="grow clip">
            {answered?.text ?? t('answersEarlier')}
          </span>
          <Button
            variant="ghost"
            size="icon"
            className="size-6! max-sm:size-11!"
            aria-label={t('answerNewest')}
            onClick={() => {
              change({ parentId: null })
              field.current?.focus()
            }}
          >
            <X className="size-3.5" aria-hidden />
          </Button>
        </p>
      )}
      <Suspense>{picture && <ChosenPicture picture={picture} onDrop={() => change({ picture: null })} />}</Suspense>
      <WritingArea
        ref={field}
        aria-label={t('replyTo', { name })}
        aria-describedby={hint}
        placeholder={t(saved.length > 0 ? 'replyHint' : 'replyAlone')}
        value={text}
        suggest={suggest}
        onWrite={write}
      />
      {send.error && !isProblem(send.error, 'newer_message') && (
        <div className="px-2 pb-1">
          <FormError>{problem(send.error)}</FormError>
        </div>
      )}
      <p id={hint} className="px-3 pb-1 text-xs text-muted empty:hidden">
        {secretly
          ? t('privateHint', { name })
          : left?.state === 'human'
            ? t('window.human', { network, until: left.until })
            : left?.state === 'open'
              ? t('window.until', { until: left.until })
              : null}
      </p>
      <ReplyTools
        thread={thread}
        text={text}
        picture={picture}
        privately={privately}
        limits={limits}
        refused={refused}
        busy={send.isPending}
        onPicture={(chosen) => change({ picture: chosen })}
        onPrivately={(secret) => change({ privately: secret })}
        onEmoji={insert}
        onSaved={(one) => {
          write(text.trim() === '' ? filledText(one) : `${text.trimEnd()} ${filledText(one)}`)
          field.current?.focus()
        }}
      />
    </form>
  )
}

/** The maximum number of saved replies to suggest while typing. */
const MOST_OFFERED = 6
